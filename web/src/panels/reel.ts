/** Frames of a recording: fetched ahead of the time at which they are shown, and kept for a while. */
import type { Frame as FrameFacts, FrameArrays } from "../protocol";
import { frame, type Frame } from "../scene/crowd";
import type { Source } from "../wire";

const KEPT = 400;
/** Requests in flight. */
const MOST = 24;
/** Pictures that are fetched ahead, and the time between two of them, s. */
const AHEAD = 8;
const PICTURE = 1 / 30;

export class Reel {
  times: Float32Array = new Float32Array(0);
  private readonly kept = new Map<number, Frame>();
  private readonly asked = new Set<number>();
  private readonly source: Source;
  private readonly came: () => void;
  private readonly complain: (trouble: unknown) => void;
  /** Number of recordings that were opened: late frames of the one before are dropped. */
  private opened = 0;

  constructor(source: Source, came: () => void, complain: (trouble: unknown) => void) {
    this.source = source;
    this.came = came;
    this.complain = complain;
  }

  open(times: Float32Array): void {
    this.opened += 1;
    this.kept.clear();
    this.asked.clear();
    this.times = times;
  }

  get length(): number {
    return this.times.length;
  }

  /** The last frame at or before a time. */
  indexAt(time: number): number {
    let low = 0;
    let high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  get(k: number): Frame | undefined {
    const found = this.kept.get(k);
    if (found === undefined) this.fetch(k);
    return found;
  }

  /** Fetch what the next pictures need: at 64 times real time they skip many frames. */
  prefetch(time: number, pace: number): void {
    for (let i = 1; i <= AHEAD; i++) {
      const k = pace > 0 ? this.indexAt(time + i * pace * PICTURE) : this.indexAt(time) + i;
      this.fetch(k);
      this.fetch(k + 1);
    }
  }

  private fetch(k: number): void {
    const { opened } = this;
    if (k < 0 || k >= this.length || this.kept.has(k) || this.asked.has(k) || this.asked.size >= MOST) return;
    this.asked.add(k);
    this.source
      .request("replay", { frame: k })
      .then(({ ok, arrays }) => {
        if (opened !== this.opened) return;
        this.kept.set(k, { ...frame({ ok: ok as FrameFacts, arrays: arrays as FrameArrays }), time: this.times[k] });
        if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value as number);
        this.came();
      })
      .catch(this.complain)
      .finally(() => opened === this.opened && this.asked.delete(k));
  }
}
