/** Walls: blocks with heights, their upright faces and their edges. */
import { BufferAttribute, BufferGeometry, ShapeUtils, Vector2 } from "three";
import { inside, type Polygon } from "./polygons";
import type { Bounds } from "./cameras";

/** A block that stands on the ground: its outline, its height and the edges it is seen by. */
export interface Solid {
  polygon: Polygon;
  z: number;
  edges: Vector2[][];
}

/** What is not walkable, as blocks with heights: obstacles, and a rim around everything. */
export function solids(floors: Polygon[], [x0, y0, x1, y1]: Bounds): Solid[] {
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

/** Maps have no heights: houses get different, reproducible heights; furniture is low. */
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

/** A wall: its foot, x, y, z at both ends, and its height. */
export interface Upright {
  a: [number, number, number];
  b: [number, number, number];
  top: number;
}

/** Upright faces along the edges of blocks and along walls without thickness. */
export function standing(blocks: Solid[], lines: Float32Array | undefined): BufferGeometry {
  const walls: Upright[] = blocks.flatMap(({ edges, z }) =>
    edges.flatMap((ring) =>
      ring.map((a, i): Upright => {
        const b = ring[(i + 1) % ring.length];
        return { a: [a.x, a.y, 0], b: [b.x, b.y, 0], top: z };
      }),
    ),
  );
  for (let i = 0; lines !== undefined && i < lines.length; i += 4) {
    walls.push({ a: [lines[i], lines[i + 1], 0], b: [lines[i + 2], lines[i + 3], 0], top: 2.6 });
  }
  return uprights(walls);
}

/** Upright faces of walls, darker at the foot. */
export function uprights(walls: Upright[]): BufferGeometry {
  const at: number[] = [];
  const normals: number[] = [];
  const colours: number[] = [];
  for (const { a: [ax, ay, az], b: [bx, by, bz], top } of walls) {
    const length = Math.hypot(bx - ax, by - ay) || 1;
    const normal = [(by - ay) / length, (ax - bx) / length, 0];
    at.push(ax, ay, az, bx, by, bz, bx, by, bz + top, ax, ay, az, bx, by, bz + top, ax, ay, az + top);
    for (let i = 0; i < 6; i++) normals.push(...normal);
    for (const shade of [0.72, 0.72, 1, 0.72, 1, 1]) colours.push(shade, shade, shade);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
  geometry.setAttribute("normal", new BufferAttribute(new Float32Array(normals), 3));
  geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 3));
  return geometry;
}

/** The edges of a ring as pairs of points at one height. */
export function rim(ring: Vector2[], z: number): number[] {
  return ring.flatMap((a, i) => {
    const b = ring[(i + 1) % ring.length];
    return [a.x, a.y, z, b.x, b.y, z];
  });
}

/** The same of walls without thickness. */
export function thin(lines: Float32Array | undefined): number[] {
  const at: number[] = [];
  for (let i = 0; lines !== undefined && i < lines.length; i += 4) {
    at.push(lines[i], lines[i + 1], 2.61, lines[i + 2], lines[i + 3], 2.61);
  }
  return at;
}

export function strokes(at: number[]): BufferGeometry {
  return new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
}
