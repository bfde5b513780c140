import { expect, test } from "vitest";
import type { Frame } from "../src/scene/crowd";
import { Density } from "../src/scene/density";

function crowd(at: number[]): Frame {
  const n = at.length / 2;
  return { time: 0, id: new Uint32Array(n), at: new Float32Array(at), velocity: new Int16Array(2 * n), radius: new Uint16Array(n), population: new Uint8Array(n) };
}

function density(side: number, metres: number): Density {
  const made = new Density();
  made.fit([0, 0, side, side]);
  made.look(metres);
  return made;
}

test.each([0.01, 0.1, 0.4])("one person on each square metre is a density of one, at %d metres per pixel", (metres) => {
  const made = density(60, metres);
  made.update(crowd(Array.from({ length: 3600 }, (_, i) => [(i % 60) + 0.5, Math.floor(i / 60) + 0.5]).flat()), 1);
  expect(made.peak).toBeCloseTo(1, 1);
  expect(made.top).toBeGreaterThanOrEqual(made.peak);
});

test("a single person is spread over the surroundings that the legend names", () => {
  const widths = [0.01, 0.7].map((metres) => {
    const made = density(500, metres);
    made.update(crowd([250, 250]), 1);
    const deviation = made.width / 4;
    expect(made.peak * 2 * Math.PI * deviation ** 2).toBeGreaterThan(0.7);
    expect(made.peak * 2 * Math.PI * deviation ** 2).toBeLessThan(1.1);
    return made.width;
  });
  expect(widths[0]).toBeLessThan(5);
  expect(widths[1]).toBeCloseTo(24 * 0.7, -1); // 24 pixels
});

test("another scale shows the same people without a new frame", () => {
  const made = density(100, 0.01);
  made.mesh.visible = true;
  made.update(crowd([50, 50]), 1);
  const near = made.peak;
  made.look(1);
  expect(made.peak).toBeLessThan(near / 10);
  made.clear();
  made.fit([0, 0, 100, 100]);
  made.look(0.01);
  expect(made.peak).toBeLessThan(near / 10); // nobody is counted again
});
