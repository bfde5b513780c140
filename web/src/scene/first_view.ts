/** Choose the first position of the walk in a map. */
import type { Point } from "../store";
import { inside, type Polygon } from "./polygons";
import type { Bounds } from "./cameras";

/** Points per side, and the work for all of them (points times edges): large maps get fewer points. */
const GRID = 28;
const WORK = 5e6;
const DIRECTIONS = 24;

/** The grid point with the largest clearance, and the direction with the longest view. */
export function firstView(floors: Polygon[], [x0, y0, x1, y1]: Bounds, lines: Float32Array = new Float32Array(0)): { at: Point; heading: number } {
  const edges = floors.flatMap(({ shell, holes }) => [shell, ...holes]).flatMap(edgesOf);
  for (let i = 0; i < lines.length; i += 4) edges.push([lines[i], lines[i + 1], lines[i + 2], lines[i + 3]]);
  let at: Point = [(x0 + x1) / 2, (y0 + y1) / 2];
  let most = -1;
  const side = Math.max(5, Math.min(GRID, Math.floor(Math.sqrt(WORK / edges.length))));
  for (let i = 0; i < side * side; i++) {
    const x = x0 + ((x1 - x0) * ((i % side) + 0.5)) / side;
    const y = y0 + ((y1 - y0) * (Math.floor(i / side) + 0.5)) / side;
    if (!floors.some((floor) => walkable(x, y, floor))) continue;
    const clearance = least(edges, (edge) => gap(x, y, edge), most);
    if (clearance > most) [most, at] = [clearance, [x, y]];
  }
  let heading = 0;
  let longest = -1;
  for (let k = 0; k < DIRECTIONS; k++) {
    const angle = (2 * Math.PI * k) / DIRECTIONS;
    const view = least(edges, (edge) => sight(at, angle, edge), longest);
    if (view > longest) [longest, heading] = [view, angle];
  }
  return { at, heading };
}

/** The least value; the search ends at one that is not above `enough`. */
function least(edges: Edge[], value: (edge: Edge) => number, enough: number): number {
  let found = Infinity;
  for (const edge of edges) {
    found = Math.min(found, value(edge));
    if (found <= enough) break;
  }
  return found;
}

type Edge = [number, number, number, number];

function edgesOf(ring: { x: number; y: number }[]): Edge[] {
  return ring.map((a, i) => {
    const b = ring[(i + 1) % ring.length];
    return [a.x, a.y, b.x, b.y];
  });
}

function walkable(x: number, y: number, { shell, holes }: Polygon): boolean {
  return inside(x, y, shell) && !holes.some((hole) => inside(x, y, hole));
}

/** Distance of a point from an edge. */
function gap(x: number, y: number, [ax, ay, bx, by]: Edge): number {
  const [dx, dy] = [bx - ax, by - ay];
  const t = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}

/** Distance at which a ray meets an edge. */
function sight([x, y]: Point, angle: number, [ax, ay, bx, by]: Edge): number {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const [dx, dy] = [bx - ax, by - ay];
  const across = c * dy - s * dx;
  if (Math.abs(across) < 1e-12) return Infinity;
  const t = ((ax - x) * dy - (ay - y) * dx) / across;
  const u = ((ax - x) * s - (ay - y) * c) / across;
  return t > 0 && u >= 0 && u <= 1 ? t : Infinity;
}
