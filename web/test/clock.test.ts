import { expect, test } from "vitest";
import { LiveClock } from "../src/scene/clock";
import { Headings, type Frame } from "../src/scene/crowd";

function frameAt(time: number): Frame {
  const none = new Float32Array(0);
  return { time, id: new Uint32Array(0), at: none, velocity: new Int16Array(0), radius: new Uint16Array(0), population: new Uint8Array(0) };
}

function clock(): LiveClock {
  return new LiveClock({ clear: () => undefined, setPair: () => undefined, setPart: () => undefined });
}

test("the clock follows the time of the frames, and never runs ahead of them", () => {
  const made = clock();
  for (let k = 0; k <= 100; k++) {
    made.put(frameAt(0.1 * k), 0.1 * k);
    for (let i = 0; i < 6; i++) made.tick(1 / 60);
    expect(made.time).toBeLessThanOrEqual(0.1 * k);
  }
  expect(made.time).toBeGreaterThan(9.7);
});

test("a hidden tab, which never ticks, keeps few frames", () => {
  const made = clock();
  for (let k = 0; k < 18_000; k++) {
    made.put(frameAt(0.1 * k), k / 30);
    expect(made.queue.length).toBeLessThanOrEqual(60);
  }
  made.tick(1 / 60);
  expect(made.time).toBeGreaterThan(1799 - 60 * 0.1);
});

test("people who stand keep their direction", () => {
  const headings = new Headings();
  const out = new Float32Array(2);
  headings.turn(300, -1.2, 0, out, 0);
  expect(Array.from(out)).toEqual([Math.fround(-1.2), 0]);
  headings.turn(300, 0, 0.01, out, 0);
  expect(Math.atan2(out[1], out[0])).toBeCloseTo(Math.PI);
  expect(Math.hypot(...out)).toBeLessThan(0.01);
});
