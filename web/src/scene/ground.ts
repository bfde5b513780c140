/** The walkable floor, terrain, areas and walls as meshes, made from the rings of "ground". */
import {
  type BufferGeometry,
  CanvasTexture,
  Color,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  type Material,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  type Object3D,
  RepeatWrapping,
  SRGBColorSpace,
  ShapeUtils,
} from "three";
import type { Reply } from "../wire";
import type { Point, Theme, View } from "../store";
import { rim, solids, standing, strokes, thin } from "./blocks";
import { PALETTES, areaColour, terrainColour } from "./colours";
import { flat, polygons, type Polygon } from "./polygons";
import { labelPlace } from "./label_place";
import type { Bounds } from "./cameras";

/** Faint floor tiles, which make the speed of the walk visible. */
export function tiles(): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 128;
  const pen = canvas.getContext("2d") as CanvasRenderingContext2D;
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, 128, 128);
  pen.fillStyle = "#e9e8e5";
  pen.fillRect(0, 0, 128, 2);
  pen.fillRect(0, 0, 2, 128);
  const texture = new CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.anisotropy = 8;
  texture.colorSpace = SRGBColorSpace;
  return texture;
}

/** Drawing order, which prevents flicker: floor, terrain, areas. */
const ORDER = { floor: -40, terrain: -30, area: -20 };

export class Ground {
  readonly root = new Group();
  readonly walls = new Group();
  readonly terrain = new Group();
  readonly areas = new Group();
  floors: Polygon[] = [];
  /** Walls without thickness, x0, y0, x1, y1 of each; on a floor of a building all walls. */
  lines: Float32Array = new Float32Array(0);
  areaNames: { name: string; role: string | undefined; at: Point; size: number }[] = [];
  private sides: Mesh | undefined;
  /** The ground is one floor of a building: walls are its lines only, because links join it. */
  private isFloor = false;
  /** What 3D shows of a floor in another way. */
  private solid: Object3D[] = [];
  private theme: Theme = "light";
  private readonly floor = new MeshLambertMaterial({ depthWrite: false, map: tiles() });
  private readonly plain = new MeshBasicMaterial({ depthWrite: false });
  private readonly side = new MeshLambertMaterial({ side: DoubleSide, vertexColors: true });
  private readonly cap = new MeshLambertMaterial({ side: DoubleSide });
  private readonly flatCap = new MeshBasicMaterial();
  private readonly line = new LineBasicMaterial();
  /** Those of terrain and areas; the others are used again for the next ground. */
  private readonly materials: Material[] = [];
  private readonly meshes: { mesh: Mesh; lit: MeshLambertMaterial; plain: MeshBasicMaterial }[] = [];

  constructor() {
    this.root.add(this.terrain, this.areas, this.walls);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const palette = PALETTES[theme];
    this.floor.color.set(palette.ground);
    this.plain.color.set(palette.floor);
    this.side.color.set(palette.side);
    this.cap.color.set(theme === "light" ? palette.cap : palette.side);
    this.flatCap.color.set(palette.cap);
    this.line.color.set(palette.edge);
  }

  /** The map is drawn flat and in exact colours, 3D with light and shadow; floors of a building are drawn elsewhere then. */
  setView(view: View): void {
    for (const { mesh, lit, plain } of this.meshes) mesh.material = view === "map" ? plain : lit;
    if (this.sides !== undefined) this.sides.visible = view !== "map";
    for (const part of this.isFloor ? this.solid : []) part.visible = view === "map";
    if (this.isFloor && this.sides !== undefined) this.sides.visible = false;
  }

  show(reply: Reply<"ground">, bounds: Bounds, kinds: string[], view: View): void {
    this.clear();
    this.isFloor = reply.ok.sheets.length > 0;
    this.floors = polygons(reply.arrays);
    this.lines = reply.arrays.lines;
    this.addFloor(Math.max(bounds[2] - bounds[0], bounds[3] - bounds[1]));
    this.addTerrain(reply, kinds);
    this.addAreas(reply);
    this.addWalls(bounds, reply.arrays.lines);
    this.setView(view);
  }

  /** Remove everything, also from the graphics card. */
  private clear(): void {
    this.root.traverse((part) => {
      if (part instanceof Mesh || part instanceof LineSegments) part.geometry.dispose();
    });
    for (const material of this.materials) material.dispose();
    this.materials.length = 0;
    for (const group of [this.terrain, this.areas, this.walls]) group.clear();
    for (const { mesh } of this.meshes) mesh.removeFromParent();
    this.meshes.length = 0;
    this.solid = [];
    this.areaNames = [];
  }

  private add(group: Group, geometry: BufferGeometry, lit: MeshLambertMaterial, plain: MeshBasicMaterial): Mesh {
    const mesh = new Mesh(geometry, lit);
    group.add(mesh);
    this.meshes.push({ mesh, lit, plain });
    return mesh;
  }

  private addFloor(size: number): void {
    this.floor.map?.repeat.setScalar(size > 150 ? 0.2 : 1);
    const geometry = flat(this.floors.map((polygon) => ({ polygon, z: 0 })));
    const mesh = this.add(this.root, geometry, this.floor, this.plain);
    mesh.renderOrder = ORDER.floor;
    mesh.receiveShadow = true;
    this.solid.push(mesh);
  }

  private addTerrain(reply: Reply<"ground">, kinds: string[]): void {
    const found = polygons(reply.arrays, "terrain_");
    found.forEach((polygon, i) => {
      const colour = new Color(terrainColour(reply.ok.terrain[i]?.kind ?? "", kinds, this.theme));
      const lit = new MeshLambertMaterial({ color: colour, depthWrite: false });
      const plain = new MeshBasicMaterial({ color: colour, depthWrite: false });
      this.materials.push(lit, plain);
      const mesh = this.add(this.terrain, flat([{ polygon, z: 0 }]), lit, plain);
      mesh.renderOrder = ORDER.terrain + i / found.length;
      mesh.receiveShadow = true;
    });
  }

  private addAreas(reply: Reply<"ground">): void {
    polygons(reply.arrays, "area_").forEach((polygon, i) => {
      const { name = "", role } = reply.ok.areas[i] ?? {};
      const look = { color: areaColour(role), depthWrite: false, transparent: true, opacity: 0.18 };
      const lit = new MeshLambertMaterial(look);
      const plain = new MeshBasicMaterial(look);
      const line = new LineBasicMaterial({ color: look.color });
      this.materials.push(lit, plain, line);
      const mesh = this.add(this.areas, flat([{ polygon, z: 0 }]), lit, plain);
      mesh.renderOrder = ORDER.area;
      this.areas.add(new LineSegments(strokes(rim(polygon.shell, 0.02)), line));
      const at = labelPlace(polygon.shell, this.floors, this.lines);
      this.areaNames.push({ name, role, at, size: Math.abs(ShapeUtils.area(polygon.shell)) });
    });
  }

  private addWalls(bounds: Bounds, lines: Float32Array | undefined): void {
    const blocks = solids(this.floors, bounds);
    const caps = this.add(this.walls, flat(blocks.map(({ polygon, z }) => ({ polygon, z }))), this.cap, this.flatCap);
    caps.castShadow = true;
    const sides = new Mesh(standing(blocks, lines), this.side);
    sides.castShadow = true;
    this.walls.add(sides);
    this.sides = sides;
    const frame = blocks[blocks.length - 1].polygon.shell; // around everything, with no edge of its own
    const rims = this.isFloor ? [] : blocks.flatMap(({ edges, z }) =>
      edges.filter((ring) => ring !== frame).flatMap((ring) => rim(ring, z + 0.01)),
    );
    const edges = new LineSegments(strokes([...rims, ...thin(lines)]), this.line);
    this.walls.add(edges);
    this.solid.push(caps, edges);
  }
}
