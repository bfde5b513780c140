/** Lines of a width in pixels, and strips between two lines. */
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Mesh,
  MeshBasicMaterial,
  NotEqualStencilFunc,
  ReplaceStencilOp,
  type ColorRepresentation,
} from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import type { Numbers } from "../wire";

export interface StrokeLook {
  colour: ColorRepresentation;
  width: number;
  opacity?: number;
  dash?: number;
  order?: number;
  z?: number;
  /** Drawn over everything, also over walls. */
  above?: boolean;
}

/** Pairs of points (x, y, z, x, y, z, ...) of a chain of points (x, y, ...). */
export function chain(points: Numbers, z: number, from = 0, to = points.length / 2): number[] {
  const at: number[] = [];
  for (let i = from; i + 1 < to; i++) {
    at.push(points[2 * i], points[2 * i + 1], z, points[2 * i + 2], points[2 * i + 3], z);
  }
  return at;
}

/** The same with a height for each point, of the pieces i to i + 1 for which `keep` is true. */
export function climb(points: Numbers, heights: Numbers, z: number, keep: (i: number) => boolean): number[] {
  const at: number[] = [];
  for (let i = 0; i + 1 < heights.length; i++) {
    if (!keep(i)) continue;
    at.push(points[2 * i], points[2 * i + 1], heights[i] + z, points[2 * i + 2], points[2 * i + 3], heights[i + 1] + z);
  }
  return at;
}

/** One object of many straight pieces; `colours` gives each end of each piece its own. */
export class Strokes extends LineSegments2 {
  private readonly look: StrokeLook;

  constructor(look: StrokeLook) {
    const material = new LineMaterial({
      color: look.colour,
      linewidth: look.width,
      transparent: true,
      opacity: look.opacity ?? 1,
      depthWrite: false,
      depthTest: look.above !== true,
      dashed: look.dash !== undefined,
      dashSize: look.dash ?? 1,
      gapSize: look.dash ?? 1,
    });
    super(new LineSegmentsGeometry(), material);
    this.look = look;
    this.renderOrder = look.order ?? 0;
    this.frustumCulled = false;
    this.visible = false;
  }

  draw(at: number[] | Float32Array, colours?: number[]): void {
    this.geometry.dispose();
    this.visible = at.length > 0;
    if (!this.visible) return;
    const geometry = new LineSegmentsGeometry();
    geometry.setPositions(at instanceof Float32Array ? at : new Float32Array(at));
    if (colours !== undefined) geometry.setColors(new Float32Array(colours));
    if (this.material.vertexColors !== (colours !== undefined)) this.material.needsUpdate = true;
    this.material.vertexColors = colours !== undefined;
    this.geometry = geometry;
    if (this.look.dash !== undefined) this.computeLineDistances();
  }

  /** A chain of points in the plane of the look's z. */
  drawChain(points: Numbers | undefined): void {
    this.draw(points === undefined ? [] : chain(points, this.look.z ?? 0.05));
  }
}

/** A translucent strip between two chains of equally many points; where it overlaps itself it is no darker. */
export class Strip extends Mesh<BufferGeometry, MeshBasicMaterial> {
  private static strips = 0;

  constructor(colour: ColorRepresentation, opacity: number, order: number) {
    const look = { color: colour, transparent: true, opacity, depthWrite: false, side: DoubleSide };
    Strip.strips += 1;
    const once = {
      stencilWrite: true,
      stencilRef: Strip.strips,
      stencilFunc: NotEqualStencilFunc,
      stencilZPass: ReplaceStencilOp,
    };
    super(new BufferGeometry(), new MeshBasicMaterial({ ...look, ...once }));
    this.renderOrder = order;
    this.frustumCulled = false;
    this.visible = false;
  }

  draw(left: Numbers | undefined, right: Numbers | undefined, z = 0.03, heights?: Numbers, keep?: (i: number) => boolean): void {
    this.geometry.dispose();
    this.visible = left !== undefined && right !== undefined && left.length === right.length && left.length > 2;
    if (!this.visible || left === undefined || right === undefined) return;
    const n = left.length / 2;
    const at = new Float32Array(n * 6);
    const faces: number[] = [];
    for (let i = 0; i < n; i++) {
      const height = z + (heights?.[i] ?? 0);
      at.set([left[2 * i], left[2 * i + 1], height, right[2 * i], right[2 * i + 1], height], 6 * i);
      if (i > 0 && keep?.(i - 1) !== false) faces.push(2 * i - 2, 2 * i - 1, 2 * i, 2 * i - 1, 2 * i + 1, 2 * i);
    }
    this.geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(at, 3));
    this.geometry.setIndex(faces);
  }
}
