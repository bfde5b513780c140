/** The sheets of a building: its floors and the parts of its links, with heights. */
import type { GroundArrays, LinkFacts, SheetFacts } from "../protocol";
import type { Point } from "../store";
import type { Reply } from "../wire";
import { inside, polygons, type Polygon } from "./polygons";

export interface Sheet extends SheetFacts {
  polygons: Polygon[];
  /** Walls, x0, y0, x1, y1 for each. */
  walls: Float32Array;
}

/** The sheets of a ground; none of a plan. */
export function sheetsOf({ ok, arrays }: Pick<Reply<"ground">, "ok" | "arrays">): Sheet[] {
  const { polygon_sheets: owners = new Int32Array(0), line_sheets: lineOwners = new Int32Array(0), lines } = arrays;
  const made = ok.sheets.map((facts) => ({ ...facts, polygons: [] as Polygon[], ends: [] as number[] }));
  if (made.length > 0) polygons(arrays).forEach((polygon, i) => made[owners[i]].polygons.push(polygon));
  lineOwners.forEach((owner, i) => made[owner].ends.push(...lines.subarray(4 * i, 4 * i + 4)));
  return made.map(({ ends, ...sheet }) => ({ ...sheet, walls: Float32Array.from(ends) }));
}

/** The height of a sheet at a point, m: on a slope in proportion to the distance from its sides. */
export function heightAt({ low, high, sides }: SheetFacts, [x, y]: Point): number {
  if (low === high) return low;
  const away = ([a, b]: (readonly [number, number])[]): number => {
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    return Math.abs(dx * (y - a[1]) - dy * (x - a[0])) / Math.hypot(dx, dy);
  };
  const [below, above] = [away(sides.slice(0, 2)), away(sides.slice(2))];
  return low + (below / Math.max(below + above, 1e-12)) * (high - low);
}

/** Whether a point is on a sheet, in plan. */
export function isOn({ polygons: parts }: Sheet, [x, y]: Point): boolean {
  return parts.some(({ shell, holes }) => inside(x, y, shell) && !holes.some((hole) => inside(x, y, hole)));
}

/** The sheet below a point: of those under it in plan the one of nearest height; undefined outside. */
export function sheetAt(sheets: Sheet[], at: Point, z: number): number | undefined {
  const under = sheets.map((sheet, k) => ({ k, gap: isOn(sheet, at) ? Math.abs(heightAt(sheet, at) - z) : Infinity }));
  const best = under.reduce((a, b) => (b.gap < a.gap ? b : a), { k: -1, gap: Infinity });
  return best.gap < Infinity ? best.k : undefined;
}

/** The sheets that the plan of a floor shows: the floor, the links that leave it, and their landings. */
export function shownOn(sheets: Sheet[], floor: number): Set<number> {
  const first = floor < 0 ? -1 : sheets.findIndex((sheet) => sheet.floor === floor);
  if (first < 0) return new Set();
  const near = sheets[first].joined.filter((k) => sheets[k].link >= 0);
  const landings = near.flatMap((k) => sheets[k].joined).filter((k) => sheets[k].link >= 0 && sheets[k].low === sheets[k].high);
  return new Set([first, ...near, ...landings]);
}

const KINDS: Record<string, string> = { stairs: "Stairs", ramp: "Ramp", escalator: "Escalator", lift: "Lift" };

/** A link in words: "Stairs A0", and on a floor where it leads: "Stairs A0 ↓ 0", or comes from. */
export function linkName({ kind, name, floors, direction }: Omit<LinkFacts, "closed">, here?: string): string {
  const word = KINDS[kind];
  const text = name.toLowerCase().includes(kind) ? `${name.charAt(0).toUpperCase()}${name.slice(1)}` : `${word} ${name}`;
  if (here === undefined || kind === "lift") return text;
  if (direction === "up" && here === floors[1]) return `${text} ← ${floors[0]}`;
  if (direction === "down" && here === floors[0]) return `${text} ← ${floors[1]}`;
  return here === floors[0] ? `${text} ↑ ${floors[1]}` : `${text} ↓ ${floors[0]}`;
}

/** The ground of one floor: its polygons, terrain and areas. */
export function floorGround({ ok, arrays, version }: Reply<"ground">, floor: number): Reply<"ground"> {
  const sheet = ok.sheets.findIndex((one) => one.floor === floor);
  const owners = arrays.polygon_sheets ?? new Int32Array(0);
  const lines: number[] = [];
  arrays.line_sheets?.forEach((owner, i) => owner === sheet && lines.push(...arrays.lines.subarray(4 * i, 4 * i + 4)));
  return {
    version,
    ok: { ...ok, terrain: ok.terrain.filter((one) => one.floor === floor), areas: ok.areas.filter((one) => one.floor === floor) },
    arrays: {
      ...arrays,
      ...some(arrays, "", (i) => owners[i] === sheet),
      ...some(arrays, "terrain_", (i) => ok.terrain[i].floor === floor),
      ...some(arrays, "area_", (i) => ok.areas[i].floor === floor),
      lines: Float32Array.from(lines),
    },
  };
}

/** Some of the polygons of the wire: those for which `keep` is true. */
function some(arrays: GroundArrays, prefix: "" | "terrain_" | "area_", keep: (i: number) => boolean): Partial<GroundArrays> {
  const [points, rings, starts] = [arrays[`${prefix}points`], arrays[`${prefix}rings`], arrays[`${prefix}polygons`]];
  const found = { points: [] as number[], rings: [0], polygons: [0] };
  for (let p = 0; p + 1 < starts.length; p++) {
    if (!keep(p)) continue;
    for (let r = starts[p]; r < starts[p + 1]; r++) {
      for (let i = 2 * rings[r]; i < 2 * rings[r + 1]; i++) found.points.push(points[i]); // rings may be long
      found.rings.push(found.points.length / 2);
    }
    found.polygons.push(found.rings.length - 1);
  }
  return {
    [`${prefix}points`]: Float32Array.from(found.points),
    [`${prefix}rings`]: Int32Array.from(found.rings),
    [`${prefix}polygons`]: Int32Array.from(found.polygons),
  };
}
