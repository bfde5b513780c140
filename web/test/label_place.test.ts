import { describe, expect, it } from "vitest";
import { Vector2 } from "three";
import { labelPlace } from "../src/scene/label_place";

const box = (x0: number, y0: number, x1: number, y1: number): Vector2[] => [new Vector2(x0, y0), new Vector2(x1, y0), new Vector2(x1, y1), new Vector2(x0, y1)];
const none = new Float32Array(0);

describe("the place of a name", () => {
  it("is the middle of an empty room", () => {
    expect(labelPlace(box(0, 0, 6, 4), [{ shell: box(-1, -1, 20, 9), holes: [] }], none)).toEqual([3, 2]);
    expect(labelPlace(box(0, 0, 6, 4), [{ shell: box(0, 0, 6, 4), holes: [] }], none)).toEqual([3, 2]);
  });

  it("is beside the furniture", () => {
    const table = box(2, 1.5, 5, 3);
    const [x, y] = labelPlace(box(0, 0, 6, 10), [{ shell: box(0, 0, 6, 10), holes: [table, box(1, 4.5, 5, 5.5)] }], none);
    expect(y).toBeGreaterThan(6);
    expect(x).toBeGreaterThan(1.5);
    expect(x).toBeLessThan(4.5);
  });

  it("is beside a wall without thickness", () => {
    const [, y] = labelPlace(box(0, 0, 6, 4), [{ shell: box(0, 0, 6, 4), holes: [] }], Float32Array.from([0, 2, 6, 2]));
    expect(Math.abs(y - 2)).toBeGreaterThan(0.5);
  });

  it("is the middle where no place is free", () => {
    expect(labelPlace(box(0, 0, 2, 2), [{ shell: box(-9, -9, 9, 9), holes: [box(-1, -1, 3, 3)] }], Float32Array.from([0, 1, 2, 1]))).toEqual([1, 1]);
  });
});
