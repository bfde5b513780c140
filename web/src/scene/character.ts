/** Overlay for one character: goal, corridor ahead, attraction point, forces. */
import { Group } from "three";
import type { CharacterArrays } from "../protocol";
import type { Levels } from "./crowd";
import type { Point } from "../store";
import { Discs } from "./discs";
import { moves } from "./painter";
import { Strip, Strokes, climb } from "./strokes";

/** Colours of the forces that the server reports. */
export const FORCES: Record<string, string> = {
  steering: "#2f7de1",
  lane: "#13a4b4",
  noise: "#6c7a89",
  avoidance: "#e8743b",
  obstacles: "#d6336c",
  user: "#19a979",
  guard: "#945ecf",
};

/** Seconds times velocity, or m/s² to metres: how long an arrow is. */
const REACH = 1.2;

export class CharacterScene {
  readonly root = new Group();
  /** What moves with the character. */
  private readonly around = new Group();
  private readonly strip = new Strip("#f5b301", 0.2, 12);
  private readonly backbone = new Strokes({ colour: "#d69500", width: 2, dash: 0.4, order: 13, z: 0.08 });
  private readonly attraction = new Strokes({ colour: "#f5b301", width: 2.5, order: 14, z: 0.1 });
  private readonly arrows = new Strokes({ colour: "#ffffff", width: 3, order: 15 });
  private readonly point = new Discs(15);
  private readonly ring = new Discs(14);
  /** What is not drawn if the character is on another floor. */
  private readonly near = new Group();
  private arrays: CharacterArrays | undefined;
  private present: Set<number> | undefined;

  constructor() {
    this.around.add(this.arrows, this.ring);
    this.near.add(this.attraction, this.point, this.around);
    this.root.add(this.strip, this.backbone, this.near);
    moves(this.root);
  }

  /** Show the state of a character; `setLevels` draws its corridor. */
  show(at: Point, radius: number, arrays: CharacterArrays, forces: string[], height = 0): void {
    this.arrays = arrays;
    const { points, attraction, heights } = arrays;
    this.move(at, height);
    this.ring.draw(new Float32Array([0, 0, radius * 1.9]), { colour: "#f5b301", fill: 0.15, rim: 1 });
    const aim = attraction.length < 2 ? undefined : attraction;
    const there = points.length === 0 ? height : (heights?.[0] ?? 0);
    this.attraction.draw(aim === undefined ? [] : [...at, height + 0.1, aim[0], aim[1], there + 0.1]);
    this.point.visible = false;
    this.point.position.z = there;
    if (aim !== undefined) {
      this.point.draw(new Float32Array([aim[0], aim[1], 0]), { colour: "#d69500", fill: 1, rim: 1, pixels: 6 });
    }
    this.drawForces([0, 0], arrays.forces, forces);
  }

  /** Show the part of the corridor on some floors of a building; nothing around a character elsewhere. */
  setLevels(levels: Levels, isHere: boolean): void {
    this.present = levels.present;
    const isFlat = this.arrays?.heights !== undefined && levels.rise === 0;
    this.root.scale.z = isFlat ? 1e-6 : Math.max(1, levels.rise);
    this.root.position.z = isFlat ? 0.05 : 0;
    this.near.visible = isHere;
    this.drawCorridor();
  }

  private drawCorridor(): void {
    const { arrays, present } = this;
    if (arrays === undefined) return;
    const { points, radii, heights, sheets } = arrays;
    const { left, right } = walls(points, radii);
    if (heights === undefined || sheets === undefined) {
      this.backbone.drawChain(points);
      this.strip.draw(left, right);
      return;
    }
    const isHere = (i: number): boolean => present?.has(sheets[i]) !== false;
    this.backbone.draw(climb(points, heights, 0.08, isHere));
    this.strip.draw(left, right, 0.03, heights, isHere);
  }

  /** Move halo and arrows to where the character is now; in a building at the height of its floor. */
  move([x, y]: Point, height = 0): void {
    this.around.position.set(x, y, height);
  }

  /** Where the halo is, m. */
  get at(): Point {
    return [this.around.position.x, this.around.position.y];
  }

  hide(): void {
    this.arrays = undefined;
    this.strip.visible = this.point.visible = this.ring.visible = false;
    for (const line of [this.backbone, this.attraction, this.arrows]) line.draw([]);
  }

  private drawForces([x, y]: Point, forces: Float32Array | undefined, names: string[]): void {
    const at: number[] = [];
    const colours: number[] = [];
    names.forEach((name, i) => {
      const [fx, fy] = [(forces?.[2 * i] ?? 0) * REACH, (forces?.[2 * i + 1] ?? 0) * REACH];
      const size = Math.hypot(fx, fy);
      if (size < 1e-3) return;
      const shade = rgb(FORCES[name] ?? "#6c7a89");
      const tip = [x + fx, y + fy];
      const head = Math.min(0.3, size * 0.3) / size;
      for (const turn of [0, 0.5, -0.5]) {
        const [c, s] = [Math.cos(turn), Math.sin(turn)];
        const back = turn === 0 ? [x, y] : [tip[0] - (fx * c - fy * s) * head, tip[1] - (fx * s + fy * c) * head];
        at.push(back[0], back[1], 0.25, tip[0], tip[1], 0.25);
        colours.push(...shade, ...shade);
      }
    });
    this.arrows.draw(at, colours);
  }
}

function rgb(hex: string): number[] {
  const value = parseInt(hex.slice(1), 16);
  return [16, 8, 0].map((shift) => (((value >> shift) & 255) / 255) ** 2.2);
}

/** Left and right borders of a backbone at its radii. */
function walls(spine: Float32Array, radii: Float32Array): { left: Float32Array; right: Float32Array } {
  const left = new Float32Array(spine.length);
  const right = new Float32Array(spine.length);
  const n = spine.length / 2;
  for (let i = 0; i < n; i++) {
    const [a, b] = [Math.max(0, i - 1), Math.min(n - 1, i + 1)];
    const [dx, dy] = [spine[2 * b] - spine[2 * a], spine[2 * b + 1] - spine[2 * a + 1]];
    const length = Math.hypot(dx, dy) || 1;
    const [nx, ny] = [(-dy / length) * radii[i], (dx / length) * radii[i]];
    left.set([spine[2 * i] + nx, spine[2 * i + 1] + ny], 2 * i);
    right.set([spine[2 * i] - nx, spine[2 * i + 1] - ny], 2 * i);
  }
  return { left, right };
}
