/** Polygons of the ground, and triangles that fill them. */
import { BufferAttribute, BufferGeometry, ShapeUtils, Vector2 } from "three";
import type { GroundArrays } from "../protocol";
import type { Point } from "../store";

/** A polygon: its shell and its holes. */
export interface Polygon {
  shell: Vector2[];
  holes: Vector2[][];
}

/** Polygons from points and the two offset arrays of the wire. */
export function polygons(arrays: GroundArrays, prefix: "" | "terrain_" | "area_" = ""): Polygon[] {
  const points = arrays[`${prefix}points`];
  const rings = arrays[`${prefix}rings`];
  const starts = arrays[`${prefix}polygons`];
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

/** Distance of a point from the line between two others. */
export function gap([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const [dx, dy] = [bx - ax, by - ay];
  const t = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}

/** Triangles of polygons, each with its own height. */
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
