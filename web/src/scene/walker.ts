/** The camera of the walk-through: follows the server's motion, and turns where the user drags. */
import { Vector3, type PerspectiveCamera } from "three";
import type { Point } from "../store";

export const EYE = 1.7;

/** Half-life in seconds of a look aside, which returns to the direction of motion. */
const RETURN = 0.5;
const PATIENCE = 1.2;

export class Walker {
  at: Point = [0, 0];
  height = EYE;
  heading = 0;
  pitch = 0;
  /** Angle between the view and the direction of motion, radians. */
  aside = 0;
  raised = 0;
  time = 0;
  speed = 1;
  looking = false;
  private rows: Float32Array | undefined;
  private idle = 0;

  get moving(): boolean {
    return this.rows !== undefined;
  }

  get duration(): number {
    return this.rows === undefined ? 0 : this.rows[this.rows.length - 7];
  }

  /** The path of the eye, x, y, z of each point; empty if the camera stands still. */
  get course(): Float32Array {
    const { rows } = this;
    if (rows === undefined) return new Float32Array(0);
    const out = new Float32Array((rows.length / 7) * 3);
    for (let i = 0; i < rows.length / 7; i++) out.set(rows.subarray(7 * i + 1, 7 * i + 4), 3 * i);
    return out;
  }

  /** Stand on the ground at a height. */
  stand(at: Point, heading: number, ground = 0): void {
    this.rows = undefined;
    this.at = at;
    this.height = ground + EYE;
    this.heading = heading;
    this.pitch = this.aside = this.raised = 0;
  }

  /** Fly rows of t, x, y, z, dx, dy, dz (camera motion of the server) from the beginning. */
  fly(rows: Float32Array): void {
    this.rows = rows.length >= 14 ? rows : undefined;
    this.time = 0;
  }

  stop(): void {
    this.rows = undefined;
    this.settle();
  }

  /** Turn the camera; while it moves, the turn is relative to the direction of motion. */
  look(turn: number, raise: number): void {
    this.aside += turn;
    this.raised = Math.max(-1.2, Math.min(1.2, this.raised + raise));
    this.idle = 0;
  }

  /** Advance by some seconds; return whether the picture changes. */
  tick(seconds: number): boolean {
    if (this.rows === undefined) {
      if (!this.looking) this.settle();
      return this.looking;
    }
    this.time += seconds * this.speed;
    this.place(this.rows);
    this.idle += seconds;
    if (!this.looking && this.idle > PATIENCE) {
      const keep = 0.5 ** (seconds / RETURN);
      this.aside *= keep;
      this.raised *= keep;
    }
    if (this.time >= this.duration) {
      this.rows = undefined;
      this.settle();
    }
    return true;
  }

  aim(camera: PerspectiveCamera): void {
    const heading = this.heading + this.aside;
    const pitch = Math.max(-1.35, Math.min(1.35, this.pitch + this.raised));
    camera.position.set(this.at[0], this.at[1], this.height);
    const ahead = new Vector3(Math.cos(heading) * Math.cos(pitch), Math.sin(heading) * Math.cos(pitch), Math.sin(pitch));
    camera.lookAt(ahead.add(camera.position));
    camera.updateMatrixWorld();
  }

  /** Make the current view the direction of the standing camera. */
  private settle(): void {
    this.heading += this.aside;
    this.pitch = Math.max(-1.35, Math.min(1.35, this.pitch + this.raised));
    this.aside = this.raised = 0;
  }

  private place(rows: Float32Array): void {
    let low = 0;
    let high = rows.length / 7 - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (rows[7 * middle] <= this.time) low = middle;
      else high = middle;
    }
    const [a, b] = [7 * low, 7 * high];
    const part = Math.max(0, Math.min(1, (this.time - rows[a]) / (rows[b] - rows[a] || 1)));
    const mix = (k: number): number => rows[a + k] * (1 - part) + rows[b + k] * part;
    this.at = [mix(1), mix(2)];
    this.height = mix(3);
    const [dx, dy, dz] = [mix(4), mix(5), mix(6)];
    if (Math.hypot(dx, dy) > 1e-6) {
      this.heading = Math.atan2(dy, dx);
      this.pitch = Math.atan2(dz, Math.hypot(dx, dy));
    }
  }
}
