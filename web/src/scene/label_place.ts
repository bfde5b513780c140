/** Where the name of an area stands: in its middle, or beside the furniture that is there. */
import type { Vector2 } from "three";
import type { Point } from "../store";
import { gap, inside, type Polygon } from "./polygons";

/** Places that are tried along each side of the box around an area. */
const TRIES = 15;
/** A name is so many times as wide as it is high. */
const WIDE = 4;
/** Share of the greatest clearance with which the name stays in the middle. */
const ENOUGH = 0.6;
/** Edges beyond which an area keeps its name in the middle: maps of whole cities. */
const MOST = 20_000;

/** The middle of an area, or a place in it with more space for a name between walls and furniture. */
export function labelPlace(area: Vector2[], floors: Polygon[], lines: Float32Array): Point {
  const middle: Point = [mean(area.map(({ x }) => x)), mean(area.map(({ y }) => y))];
  const [xs, ys] = [area.map(({ x }) => x), area.map(({ y }) => y)];
  const box = { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
  const near = edges(floors, lines).filter(([a, b]) => Math.max(a[0], b[0]) > box.x0 && Math.min(a[0], b[0]) < box.x1 && Math.max(a[1], b[1]) > box.y0 && Math.min(a[1], b[1]) < box.y1);
  if (near.length === 0 || near.length > MOST) return middle;
  const border = area.map((a, i): [Point, Point] => [flat(a), flat(area[(i + 1) % area.length])]);
  const all = [...near, ...border].map(([a, b]): [Point, Point] => [narrow(a), narrow(b)]);
  const clearance = ([x, y]: Point): number => {
    const isFree = inside(x, y, area) && floors.some(({ shell, holes }) => inside(x, y, shell) && !holes.some((hole) => inside(x, y, hole)));
    return isFree ? Math.min(...all.map(([a, b]) => gap(narrow([x, y]), a, b))) : -1;
  };
  const steps = Array.from({ length: TRIES }, (_, i) => (i + 0.5) / TRIES);
  const tried = steps.flatMap((s) => steps.map((t): Point => [box.x0 + s * (box.x1 - box.x0), box.y0 + t * (box.y1 - box.y0)]));
  const best = tried.map((at) => ({ at, clearance: clearance(at) })).reduce((a, b) => (b.clearance > a.clearance ? b : a));
  const own = clearance(middle);
  return best.clearance <= 0 || own >= ENOUGH * best.clearance ? middle : best.at;
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** All edges of floors, and walls without thickness. */
function edges(floors: Polygon[], lines: Float32Array): [Point, Point][] {
  const rings = floors.flatMap(({ shell, holes }) => [shell, ...holes]);
  const found = rings.flatMap((ring) => ring.map((a, i): [Point, Point] => [flat(a), flat(ring[(i + 1) % ring.length])]));
  for (let i = 0; i < lines.length; i += 4) found.push([[lines[i], lines[i + 1]], [lines[i + 2], lines[i + 3]]]);
  return found;
}

function flat({ x, y }: Vector2): Point {
  return [x, y];
}

/** A place on a map on which names are as wide as they are high. */
function narrow([x, y]: Point): Point {
  return [x / WIDE, y];
}
