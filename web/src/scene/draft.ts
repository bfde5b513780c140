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

  show(corners: Point[], pointer?: Point): void {
    const open = pointer === undefined ? corners : [...corners, pointer];
    this.line.drawChain(new Float32Array(open.flat()));
    const closed = open.length > 2 ? [...open[open.length - 1], ...open[0]] : [];
    this.closing.drawChain(new Float32Array(closed));
    const dots = new Float32Array(corners.flatMap(([x, y]) => [x, y, 0]));
    this.corners.draw(dots, { colour: "#7c3aed", fill: 1, rim: 1, pixels: 5 });
  }
}
