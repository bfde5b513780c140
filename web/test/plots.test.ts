import { expect, test } from "vitest";
import { nearest } from "../src/panels/plots";

test("the value beside a plot is that of the nearest frame, also if frames are not equally far apart", () => {
  const times = new Float32Array([0, 1, 2, 10]);
  expect([-1, 0.4, 1.6, 5, 7, 99].map((time) => nearest(times, time))).toEqual([0, 0, 2, 2, 3, 3]);
});
