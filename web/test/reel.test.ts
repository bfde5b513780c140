import { expect, test } from "vitest";
import { Reel } from "../src/panels/reel";
import type { Source } from "../src/wire";

/** A source that answers requests for frames after some pictures. */
class SlowSource {
  readonly due: { at: number; answer: () => void }[] = [];
  asked = 0;
  now = 0;

  request(): Promise<unknown> {
    this.asked += 1;
    return new Promise((resolve) => {
      this.due.push({ at: this.now + 4, answer: () => resolve({ ok: { time: 0 }, arrays: {}, version: 0 }) });
    });
  }

  async tick(): Promise<void> {
    this.now += 1;
    for (const one of this.due.filter(({ at }) => at === this.now)) one.answer();
    await new Promise((resolve) => setTimeout(resolve));
  }
}

async function play(pace: number, pictures: number): Promise<number> {
  const source = new SlowSource();
  const reel = new Reel(source as unknown as Source, () => undefined, () => undefined);
  reel.open(Float32Array.from({ length: 12_000 }, (_, k) => 0.1 * k));
  let time = 0;
  for (let i = 0; i < pictures; i++) {
    const k = reel.indexAt(time);
    const ready = reel.get(k) !== undefined && reel.get(k + 1) !== undefined;
    if (ready) time += pace / 30;
    reel.prefetch(time, pace);
    await source.tick();
  }
  return time / ((pace * pictures) / 30);
}

test.each([1, 16, 64])("at %d times real time the replay keeps its pace", async (pace) => {
  expect(await play(pace, 90)).toBeGreaterThan(0.85);
});

test("the frame at a time", () => {
  const reel = new Reel({} as Source, () => undefined, () => undefined);
  reel.open(new Float32Array([96, 96.5, 97]));
  expect([95, 96, 96.4, 96.5, 200].map((time) => reel.indexAt(time))).toEqual([0, 0, 0, 1, 2]);
});
