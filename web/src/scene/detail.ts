/** Level of detail: as much as this machine can draw quickly, and everything if nothing moves. */
import type { Quality } from "./painter";

/** Redraw everything, with smooth edges. */
export const FINE: Quality = { fine: true, scale: 1, smooth: true };

/** Levels from best to fastest. While the camera moves, static content is redrawn each time. */
const LEVELS: { moving: Quality; resting: Quality }[] = [
  { moving: FINE, resting: FINE },
  { moving: { fine: false, scale: 1, smooth: false }, resting: { fine: false, scale: 1, smooth: true } },
  { moving: { fine: false, scale: 0.5, smooth: false }, resting: { fine: false, scale: 1, smooth: true } },
];

const SLOW = 25; // ms between two pictures: below 40 per second
const VERY_SLOW = 60; // ms
const ENOUGH = 12; // intervals that are measured
const FEW = 3; // of very slow ones
const PATIENCE = 30_000; // ms until a better level is tried again; doubled each time it fails

export class DetailLevel {
  /** Start with the second level: whether the first is fast enough is tried at once. */
  level = 1;
  private readonly intervals: number[] = [];
  /** The median interval of the level above, which was too slow. */
  private before = Infinity;
  /** Drawing less did not help: something else is slow. */
  private stuck = false;
  private trying = false;
  private patience = 0;
  private since = 0;

  /** Level of the next picture. */
  quality(cameraMoves: boolean): Quality {
    const { moving, resting } = LEVELS[this.level];
    return cameraMoves ? moving : resting;
  }

  /** Discard the measurements: the content or the canvas size has changed. */
  forget(): void {
    this.intervals.length = 0;
    this.before = Infinity;
    this.stuck = false;
  }

  /** Add the time between two consecutive pictures, ms. */
  note(interval: number, cameraMoves: boolean, now: number): void {
    if (this.trying && interval > VERY_SLOW) return this.fail(now);
    this.intervals.push(interval);
    const count = this.intervals.length;
    const median = middle(this.intervals);
    const slow = (count >= FEW && median > VERY_SLOW) || (count >= ENOUGH && median > SLOW);
    if (slow) this.lower(median, cameraMoves, now);
    else if (count >= ENOUGH) this.raise(now);
  }

  private lower(median: number, cameraMoves: boolean, now: number): void {
    this.intervals.length = 0;
    if (this.trying) return this.fail(now);
    if (median > 0.8 * this.before) {
      this.stuck = true;
      this.before = Infinity;
      return this.go(this.level - 1, now);
    }
    // The last level differs from the one above it only while the camera moves.
    const last = this.level + 1 === LEVELS.length || (this.level > 0 && !cameraMoves);
    if (last || this.stuck) return;
    this.before = median;
    this.go(this.level + 1, now);
  }

  private raise(now: number): void {
    this.intervals.length = 0;
    this.before = Infinity;
    this.trying = this.level > 0 && now - this.since > this.patience;
    if (this.trying) this.go(this.level - 1, now);
  }

  private fail(now: number): void {
    this.trying = false;
    this.patience = Math.max(PATIENCE, 2 * this.patience);
    this.go(this.level + 1, now);
  }

  private go(level: number, now: number): void {
    this.level = level;
    this.since = now;
    this.intervals.length = 0;
  }
}

function middle(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
