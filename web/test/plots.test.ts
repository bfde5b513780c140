import { expect, test } from "vitest";
import { nearest, ofSomebody, piecesOf } from "../src/panels/plots";

test("the value beside a plot is that of the nearest frame, also if frames are not equally far apart", () => {
  const times = new Float32Array([0, 1, 2, 10]);
  expect([-1, 0.4, 1.6, 5, 7, 99].map((time) => nearest(times, time))).toEqual([0, 0, 2, 2, 3, 3]);
});

test("curves have gaps where nobody is present", () => {
  const values = ofSomebody(Float32Array.of(1, 2, 0, 3, 0), Int32Array.of(5, 1, 0, 2, 0));
  expect(Array.from(values)).toEqual([1, 2, NaN, 3, NaN]);
  expect(piecesOf(values)).toEqual([[0, 1], [3, 3]]);
  expect(piecesOf(ofSomebody(Float32Array.of(1, 1), Int32Array.of(0, 0)))).toEqual([]);
});
