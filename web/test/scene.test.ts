import { expect, test } from "vitest";
import { Color, Vector2 } from "three";
import { firstView } from "../src/scene/first_view";
import { terrainColour } from "../src/scene/colours";
import { apart } from "../src/scene/labels";
import { Obstacles } from "../src/scene/obstacles";
import { clearanceColour, clearanceLegend, distinct } from "../src/scene/overlays";

test("the first view of a map with 200,000 edges", () => {
  const ring = Array.from({ length: 200_000 }, (_, i) => {
    const angle = (2 * Math.PI * i) / 200_000;
    return new Vector2(10 * Math.cos(angle), 10 * Math.sin(angle));
  });
  const { at } = firstView([{ shell: ring, holes: [] }], [-10, -10, 10, 10]);
  expect(Math.hypot(...at)).toBeLessThan(1);
});

test("the first view looks along the longest line", () => {
  const hall = [new Vector2(0, 0), new Vector2(20, 0), new Vector2(20, 4), new Vector2(0, 4)];
  const { at, heading } = firstView([{ shell: hall, holes: [] }], [0, 0, 20, 4]);
  expect(at[1]).toBeCloseTo(2, 0);
  expect(Math.abs(Math.sin(heading))).toBeLessThan(0.3);
});

test("the first view is not beside a wall without thickness", () => {
  const hall = [new Vector2(0, 0), new Vector2(20, 0), new Vector2(20, 20), new Vector2(0, 20)];
  const { at } = firstView([{ shell: hall, holes: [] }], [0, 0, 20, 20], new Float32Array([10, 0, 10, 20]));
  expect(Math.abs(at[0] - 10)).toBeGreaterThan(3);
});

test("of labels that overlap the earlier ones are shown", () => {
  const size = { width: 60, height: 20 };
  const labels = [{ at: [0, 0], ...size }, { at: [50, 5], ...size }, { at: [0, 30], ...size }, { at: undefined, ...size }];
  expect(apart(labels as Parameters<typeof apart>[0])).toEqual([true, false, true, false]);
});

test("no disc is drawn whose centre is deep inside a larger one", () => {
  const shown = distinct(new Float32Array([0.1, 0, 1, 0, 0, 5, 4.5, 0, 2]));
  expect(Array.from(shown)).toEqual([0, 0, 5, 4.5, 0, 2]);
});

test("all obstacles are drawn, however many there are", () => {
  const obstacles = new Obstacles();
  const discs = Float32Array.from({ length: 3 * 500 }, (_, i) => (i % 3 === 2 ? 0.5 : i));
  obstacles.show(discs, Array.from({ length: 500 }, (_, i) => i));
  expect(obstacles.count).toBe(500);
  expect(obstacles.at([discs[3 * 499], discs[3 * 499 + 1]], 0)).toBe(499);
  obstacles.show(discs.slice(0, 3), [7]);
  expect(obstacles.count).toBe(1);
});

test("kinds of terrain have a colour of their own, and none is grey", () => {
  const kinds = ["building", "grass", "road", "ice", "lava", "moss", "salt", "ash", "peat"];
  const colours = kinds.map((kind) => terrainColour(kind, kinds, "light"));
  expect(new Set(colours).size).toBe(kinds.length);
  for (const [i, colour] of colours.entries()) {
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    if (kinds[i] !== "road") expect(Math.max(red, green, blue) - Math.min(red, green, blue)).toBeGreaterThan(30);
  }
});

test("the legend of clearances has the colours of the map", () => {
  const legend = clearanceLegend("Clearance", 8) as { ramp: string; middle: string };
  const stops = [...legend.ramp.matchAll(/#[0-9a-f]{6}/g)].map(([hex]) => hex);
  expect(legend.middle).toBe("2.0 m");
  for (const [metres, part] of [[0, 0], [0.5, 0.25], [2, 0.5], [8, 1]]) {
    const there = `#${clearanceColour(metres, 8, new Color()).getHexString()}`;
    expect(near(there, stops[Math.round(part * (stops.length - 1))])).toBe(true);
  }
});

function near(a: string, b: string): boolean {
  return [1, 3, 5].every((at) => Math.abs(parseInt(a.slice(at, at + 2), 16) - parseInt(b.slice(at, at + 2), 16)) <= 2);
}
