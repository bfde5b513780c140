/** The clock of the live crowd: it follows the simulation's time smoothly. */
import type { CrowdScene, Frame } from "./crowd";

/** What the clock moves. */
export type Moved = Pick<CrowdScene, "clear" | "setPair" | "setPart">;

/** Frames that may wait to be shown: a hidden tab draws none, and would queue all of them. */
const MOST = 60;

/** Part of a time error that is corrected per second. */
const PULL = 2;

export class LiveClock {
  time = 0;
  /** Newest frame; undefined before the first. */
  newest: Frame | undefined;
  private before: Frame | undefined;
  private after: Frame | undefined;
  queue: Frame[] = [];
  private rate = 1;
  private gap = 0.1;
  private receivedAt = 0;
  private readonly crowd: Moved;

  constructor(crowd: Moved) {
    this.crowd = crowd;
  }

  clear(): void {
    this.newest = this.before = this.after = undefined;
    this.queue = [];
    this.crowd.clear();
  }

  /** Take a new frame at `now` seconds of the page's own time. */
  put(frame: Frame, now: number): void {
    const last = this.newest;
    this.newest = frame;
    if (last === undefined || frame.time < last.time || frame.time - last.time > 3) {
      this.restart(frame);
    } else if (frame.time === last.time) {
      this.restart(frame);
    } else {
      const passed = Math.max(0.005, now - this.receivedAt);
      if (passed < 1) {
        this.rate += ((frame.time - last.time) / passed - this.rate) * 0.15;
        this.gap += (frame.time - last.time - this.gap) * 0.15;
      }
      this.queue.push(frame);
      if (this.queue.length > MOST) this.restart(frame);
    }
    this.receivedAt = now;
  }

  /** Advance by some seconds; return whether the picture changes. */
  tick(seconds: number): boolean {
    const { newest } = this;
    if (newest === undefined || this.after === undefined) return false;
    const was = this.time;
    const target = newest.time - this.gap;
    const step = seconds * Math.max(0, this.rate + (target - this.time) * PULL);
    this.time = Math.min(newest.time, this.time + step);
    let changed = this.time !== was;
    while (this.queue.length > 0 && this.time >= this.after.time) {
      this.before = this.after;
      this.after = this.queue.shift() as Frame;
      changed = true;
      if (this.queue.length === 0 || this.time < this.after.time) this.crowd.setPair(this.before, this.after);
    }
    const { before, after } = this;
    const span = before === undefined ? 0 : after.time - before.time;
    this.crowd.setPart(span > 0 && before !== undefined ? Math.min(1, Math.max(0, (this.time - before.time) / span)) : 1);
    return changed;
  }

  private restart(frame: Frame): void {
    this.before = this.after = frame;
    this.queue = [];
    this.time = frame.time;
    this.crowd.setPair(frame, frame);
    this.crowd.setPart(1);
  }
}
