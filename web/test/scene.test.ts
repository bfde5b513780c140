import { expect, test } from "vitest";
import { Vector2 } from "three";
import { firstView } from "../src/scene/first_view";
import { apart } from "../src/scene/labels";
import { distinct } from "../src/scene/overlays";

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

test("of labels that overlap the earlier ones are shown", () => {
  const size = { width: 60, height: 20 };
  const labels = [{ at: [0, 0], ...size }, { at: [50, 5], ...size }, { at: [0, 30], ...size }, { at: undefined, ...size }];
  expect(apart(labels as Parameters<typeof apart>[0])).toEqual([true, false, true, false]);
});

test("no disc is drawn whose centre is deep inside a larger one", () => {
  const shown = distinct(new Float32Array([0.1, 0, 1, 0, 0, 5, 4.5, 0, 2]));
  expect(Array.from(shown)).toEqual([0, 0, 5, 4.5, 0, 2]);
});
