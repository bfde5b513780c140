/** The polygon that is being drawn. */
import { Group } from "three";
import type { Point } from "../store";
import { Discs } from "./discs";
import { moves } from "./painter";
import { Strokes } from "./strokes";

export class Draft {
  readonly root = new Group();
  private readonly line = new Strokes({ colour: "#7c3aed", width: 2.5, order: 30, z: 0.2, above: true });
  private readonly closing = new Strokes({ colour: "#7c3aed", width: 1.5, opacity: 0.6, order: 30, z: 0.2, dash: 0.3, above: true });
  private readonly corners = new Discs(31);

  constructor() {
    this.corners.material.depthTest = false;
    this.root.add(this.line, this.closing, this.corners);
    moves(this.root);
  }

  /** Show corners: as a polygon, or with a dashed line that would close it. */
  show(corners: Point[], pointer?: Point, isClosed = false): void {
    const open = pointer === undefined ? corners : [...corners, pointer];
    const isPolygon = open.length > 2;
    const ring = isPolygon && isClosed ? [...open, open[0]] : open;
    this.line.drawChain(new Float32Array(ring.flat()));
    this.closing.drawChain(new Float32Array(isPolygon && !isClosed ? [...open[open.length - 1], ...open[0]] : []));
    const dots = new Float32Array(corners.flatMap(([x, y]) => [x, y, 0]));
    this.corners.draw(dots, { colour: "#7c3aed", fill: 1, rim: 1, pixels: 5 });
  }
}
