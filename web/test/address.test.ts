import { expect, test } from "vitest";
import { read, write, type Shown } from "../src/address";

const SHOWN: Shown = {
  map: "gallery:office",
  view: "map",
  panel: "path",
  layers: ["walls", "axis"],
  from: [1.25, -2],
  floor: "concourse",
  floors: { start: "platform 1, west", goal: "0" },
  by: "time",
  to: [30, 4.5],
  radius: 0.4,
  method: "cmm",
  pose: [10.5, 20.25, 0.0625],
};

test("an address says what is shown", () => {
  expect(read(write(SHOWN))).toEqual(SHOWN);
  expect(write(SHOWN)).toContain("map=gallery:office&view=map&panel=path");
});

test("the address of a plan has no floors", () => {
  const plan: Shown = { ...SHOWN, floor: undefined, floors: {}, by: "length" };
  const { floor: _, floors: __, by: ___, ...shown } = plan;
  expect(read(write(plan))).toEqual(shown);
});

test("wrong fields are left out", () => {
  expect(read("#map=a&view=moon&panel=&from=1&to=x,2&radius=-1&at=1,2&layers=axis,evil")).toEqual({ map: "a", layers: ["axis"] });
  expect(read("")).toEqual({});
});
