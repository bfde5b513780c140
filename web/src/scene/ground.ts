/** The walkable floor, terrain, areas and walls as meshes, made from the rings of "ground". */
import {
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  Color,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  RepeatWrapping,
  SRGBColorSpace,
  ShapeUtils,
  Vector2,
} from "three";
import type { Arrays, Reply } from "../wire";
import type { Bounds } from "./stage";
import { PALETTES, areaColour, terrainColour } from "./colours";
import type { Point, Theme, View } from "../store";

/** A polygon: its shell and its holes. */
export interface Polygon {
  shell: Vector2[];
  holes: Vector2[][];
}

export interface GroundFacts {
  terrain?: { kind: string }[];
  areas?: { name: string; role?: string }[];
}

/** Polygons from points and the two offset arrays of the wire. */
export function polygons(arrays: Arrays, prefix = ""): Polygon[] {
  const points = arrays[`${prefix}points`];
  const rings = arrays[`${prefix}rings`];
  const starts = arrays[`${prefix}polygons`];
  if (points === undefined || rings === undefined || starts === undefined) return [];
  const ring = (r: number): Vector2[] => {
    const out: Vector2[] = [];
    for (let i = rings[r]; i < rings[r + 1]; i++) out.push(new Vector2(points[2 * i], points[2 * i + 1]));
    const closed = out.length > 1 && out[0].equals(out[out.length - 1]);
    return closed ? out.slice(0, -1) : out;
  };
  const found: Polygon[] = [];
  for (let p = 0; p + 1 < starts.length; p++) {
    const all: Vector2[][] = [];
    for (let r = starts[p]; r < starts[p + 1]; r++) all.push(ring(r));
    if (all.length > 0) found.push({ shell: all[0], holes: all.slice(1) });
  }
  return found;
}

/** Whether a point is inside a ring (even-odd). */
export function inside(x: number, y: number, ring: Vector2[]): boolean {
  let found = false;
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
    const a = ring[i];
    const b = ring[j];
    if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) found = !found;
  }
  return found;
}

/** Triangles of polygons, each at a height of its own. */
export function flat(parts: { polygon: Polygon; z: number }[]): BufferGeometry {
  const at: number[] = [];
  const faces: number[] = [];
  for (const { polygon, z } of parts) {
    const base = at.length / 3;
    const shell = ShapeUtils.isClockWise(polygon.shell) ? [...polygon.shell].reverse() : polygon.shell;
    const holes = polygon.holes.map((hole) => (ShapeUtils.isClockWise(hole) ? hole : [...hole].reverse()));
    for (const point of [shell, ...holes].flat()) at.push(point.x, point.y, z);
    for (const face of ShapeUtils.triangulateShape(shell, holes)) faces.push(...face.map((i) => base + i));
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
  const normals = new Float32Array(at.length);
  for (let i = 2; i < normals.length; i += 3) normals[i] = 1;
  geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  const plan = Float32Array.from({ length: (at.length / 3) * 2 }, (_, i) => at[(i >> 1) * 3 + (i & 1)]);
  geometry.setAttribute("uv", new BufferAttribute(plan, 2));
  geometry.setIndex(faces);
  return geometry;
}

/** Faint tiles of the floor: without them nobody sees how fast the walk goes. */
function tiles(): CanvasTexture {
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

/** Ground drawn in this order, so that nothing flickers: floor, terrain, areas. */
const ORDER = { floor: -40, terrain: -30, area: -20 };

export class Ground {
  readonly root = new Group();
  readonly walls = new Group();
  readonly terrain = new Group();
  readonly areas = new Group();
  floors: Polygon[] = [];
  areaNames: { name: string; role: string | undefined; at: Point }[] = [];
  private sides: Mesh | undefined;
  private theme: Theme = "light";
  private readonly floor = new MeshLambertMaterial({ depthWrite: false, map: tiles() });
  private readonly plain = new MeshBasicMaterial({ depthWrite: false });
  private readonly side = new MeshLambertMaterial({ side: DoubleSide, vertexColors: true });
  private readonly cap = new MeshLambertMaterial({ side: DoubleSide });
  private readonly flatCap = new MeshBasicMaterial();
  private readonly line = new LineBasicMaterial();
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

  /** The map is drawn flat and in exact colours, 3D with light and shadow. */
  setView(view: View): void {
    for (const { mesh, lit, plain } of this.meshes) mesh.material = view === "map" ? plain : lit;
    if (this.sides !== undefined) this.sides.visible = view !== "map";
  }

  show(reply: Reply<GroundFacts>, bounds: Bounds, kinds: string[], view: View): void {
    this.clear();
    this.floors = polygons(reply.arrays);
    this.addFloor(Math.max(bounds[2] - bounds[0], bounds[3] - bounds[1]));
    this.addTerrain(reply, kinds);
    this.addAreas(reply);
    this.addWalls(bounds, reply.arrays.lines as Float32Array | undefined);
    this.setView(view);
  }

  private clear(): void {
    for (const group of [this.terrain, this.areas, this.walls]) group.clear();
    for (const { mesh } of this.meshes) mesh.removeFromParent();
    this.meshes.length = 0;
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
  }

  private addTerrain(reply: Reply<GroundFacts>, kinds: string[]): void {
    const found = polygons(reply.arrays, "terrain_");
    found.forEach((polygon, i) => {
      const colour = new Color(terrainColour(reply.ok.terrain?.[i]?.kind ?? "", kinds));
      if (this.theme === "dark") colour.multiplyScalar(0.55);
      const lit = new MeshLambertMaterial({ color: colour, depthWrite: false });
      const plain = new MeshBasicMaterial({ color: colour, depthWrite: false });
      const mesh = this.add(this.terrain, flat([{ polygon, z: 0 }]), lit, plain);
      mesh.renderOrder = ORDER.terrain + i / found.length;
      mesh.receiveShadow = true;
    });
  }

  private addAreas(reply: Reply<GroundFacts>): void {
    polygons(reply.arrays, "area_").forEach((polygon, i) => {
      const { name = "", role } = reply.ok.areas?.[i] ?? {};
      const look = { color: areaColour(role), depthWrite: false, transparent: true, opacity: 0.18 };
      const geometry = flat([{ polygon, z: 0 }]);
      const mesh = this.add(this.areas, geometry, new MeshLambertMaterial(look), new MeshBasicMaterial(look));
      mesh.renderOrder = ORDER.area;
      const outline = new LineSegments(strokes(rim(polygon.shell, 0.02)), new LineBasicMaterial({ color: look.color }));
      this.areas.add(outline);
      const centre = polygon.shell.reduce((sum, p) => sum.add(p), new Vector2()).divideScalar(polygon.shell.length);
      this.areaNames.push({ name, role, at: [centre.x, centre.y] });
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
    const rims = blocks.flatMap(({ edges, z }) =>
      edges.filter((ring) => ring !== frame).flatMap((ring) => rim(ring, z + 0.01)),
    );
    this.walls.add(new LineSegments(strokes([...rims, ...thin(lines)]), this.line));
  }
}

interface Solid {
  polygon: Polygon;
  z: number;
  edges: Vector2[][];
}

/** What is not walkable, as blocks with heights: obstacles, and a rim around everything. */
function solids(floors: Polygon[], [x0, y0, x1, y1]: Bounds): Solid[] {
  const size = Math.max(x1 - x0, y1 - y0);
  const town = size > 150;
  const islands = (ring: Vector2[]): Vector2[][] =>
    floors.map((floor) => floor.shell).filter((shell) => shell !== ring && inside(shell[0].x, shell[0].y, ring));
  const found: Solid[] = [];
  for (const { holes } of floors) {
    for (const hole of holes) {
      const inner = floors.length > 1 ? islands(hole) : [];
      found.push({ polygon: { shell: hole, holes: inner }, z: height(hole, town, size), edges: [hole, ...inner] });
    }
  }
  const rimWidth = Math.max(0.3, size * 0.012);
  const frame = [
    new Vector2(x0 - rimWidth, y0 - rimWidth),
    new Vector2(x1 + rimWidth, y0 - rimWidth),
    new Vector2(x1 + rimWidth, y1 + rimWidth),
    new Vector2(x0 - rimWidth, y1 + rimWidth),
  ];
  const shells = floors
    .map((floor) => floor.shell)
    .filter((shell) => !floors.some(({ holes }) => holes.some((hole) => inside(shell[0].x, shell[0].y, hole))));
  const top = town ? size * 0.006 : Math.min(2.8, size * 0.05);
  found.push({ polygon: { shell: frame, holes: shells }, z: top, edges: [frame, ...shells] });
  return found;
}

/** Maps know no heights: houses of a town differ, always in the same way; furniture is low. */
function height(ring: Vector2[], town: boolean, size: number): number {
  const area = Math.abs(ShapeUtils.area(ring));
  if (!town) {
    const round = ring.reduce((sum, a, i) => sum + a.distanceTo(ring[(i + 1) % ring.length]), 0);
    const compact = (4 * Math.PI * area) / (round * round) > 0.4;
    const furniture = area < 25 && (compact || (2 * area) / round > 0.27);
    return Math.min(furniture ? (area < 0.5 ? 0.6 : 0.95) : 2.8, size * 0.06);
  }
  const dice = Math.abs(Math.sin(ring[0].x * 12.9898 + ring[0].y * 78.233) * 43758.5453) % 1;
  return Math.min(3 + Math.sqrt(area) * (0.35 + 0.6 * dice), 28);
}

/** Upright faces along the edges of blocks and along walls without thickness, darker at the foot. */
function standing(blocks: Solid[], lines: Float32Array | undefined): BufferGeometry {
  const at: number[] = [];
  const normals: number[] = [];
  const colours: number[] = [];
  const face = (ax: number, ay: number, bx: number, by: number, z: number): void => {
    const length = Math.hypot(bx - ax, by - ay) || 1;
    const normal = [(by - ay) / length, (ax - bx) / length, 0];
    at.push(ax, ay, 0, bx, by, 0, bx, by, z, ax, ay, 0, bx, by, z, ax, ay, z);
    for (let i = 0; i < 6; i++) normals.push(...normal);
    for (const shade of [0.72, 0.72, 1, 0.72, 1, 1]) colours.push(shade, shade, shade);
  };
  for (const { edges, z } of blocks) {
    for (const ring of edges) {
      ring.forEach((a, i) => {
        const b = ring[(i + 1) % ring.length];
        face(a.x, a.y, b.x, b.y, z);
      });
    }
  }
  for (let i = 0; lines !== undefined && i < lines.length; i += 4) {
    face(lines[i], lines[i + 1], lines[i + 2], lines[i + 3], 2.6);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
  geometry.setAttribute("normal", new BufferAttribute(new Float32Array(normals), 3));
  geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 3));
  return geometry;
}

/** The edges of a ring as pairs of points at one height. */
function rim(ring: Vector2[], z: number): number[] {
  return ring.flatMap((a, i) => {
    const b = ring[(i + 1) % ring.length];
    return [a.x, a.y, z, b.x, b.y, z];
  });
}

/** The same of walls without thickness. */
function thin(lines: Float32Array | undefined): number[] {
  const at: number[] = [];
  for (let i = 0; lines !== undefined && i < lines.length; i += 4) {
    at.push(lines[i], lines[i + 1], 2.61, lines[i + 2], lines[i + 3], 2.61);
  }
  return at;
}

function strokes(at: number[]): BufferGeometry {
  return new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
}
