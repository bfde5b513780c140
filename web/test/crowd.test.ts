import { expect, test } from "vitest";
import { placesOf } from "../src/panels/add_population";
import type { Document } from "../src/protocol";
import { CrowdScene, type Frame } from "../src/scene/crowd";
import { Density } from "../src/scene/density";
import { Trails } from "../src/scene/trails";

/** Three people side by side, on the sheets 0, 1 and 2 of a building, or on a plan. */
function people(time: number, levels = true): Frame {
  const plan = {
    time,
    id: Uint32Array.of(4, 7, 9),
    at: Float32Array.of(time, 0, time, 1, time, 2),
    velocity: new Int16Array(6),
    radius: Uint16Array.of(250, 250, 250),
    population: new Uint8Array(3),
  };
  return levels ? { ...plan, height: Float32Array.of(0, 3 + time, 6), sheet: Uint16Array.of(0, 1, 2) } : plan;
}

test("the map shows the people on one floor, 3D all below the cut", () => {
  const crowd = new CrowdScene();
  crowd.setLevels({ present: new Set([1]), rise: 0, cut: Infinity });
  crowd.setPair(people(0), people(1));
  crowd.setPart(0.5);
  expect(crowd.everybody(true).map(({ sheet }) => sheet)).toEqual([1]);
  expect(crowd.nearest(0.5, 0, 0.5)).toBe(-1);
  expect(crowd.nearest(0.5, 1, 0.5)).toBe(7);
  expect(crowd.find(7)).toMatchObject({ at: [0.5, 1], height: 3.5, sheet: 1 });
  expect([...crowd.counts(3)]).toEqual([1, 1, 1]);
  crowd.setLevels({ present: undefined, rise: 2, cut: 5 });
  expect(crowd.everybody(true).map(({ sheet }) => sheet)).toEqual([0, 1]);
  const pixels: number[] = [];
  crowd.nearestOnScreen(0, 0, (x, y, z) => (pixels.push(z), [x, y]), 1);
  expect(pixels).toEqual([0, 1.75, 7, 8.75]);
});

test("a plan after a building has nobody hidden, and no heights", () => {
  const crowd = new CrowdScene();
  crowd.setLevels({ present: new Set([1]), rise: 0, cut: Infinity });
  crowd.setPair(people(0), people(1));
  crowd.setPair(people(0, false), people(1, false));
  expect(crowd.everybody(true).map(({ height, sheet }) => [height, sheet])).toEqual([[0, -1], [0, -1], [0, -1]]);
});

test("the density is that of one floor", () => {
  const density = new Density();
  density.fit([0, 0, 10, 10]);
  const peak = (sheet: number | undefined, frame: Frame): number => {
    density.show(sheet, 0);
    density.update(frame, 0);
    return density.peak;
  };
  const [one, other, all] = [peak(0, people(5)), peak(8, people(5)), peak(undefined, people(5, false))];
  expect(other).toBe(0);
  expect(one).toBeGreaterThan(0);
  expect(all).toBeGreaterThan(2 * one);
});

test("trajectories of a building are at their heights, and those of other floors are hidden", () => {
  const trails = new Trails();
  trails.setLevels({ present: new Set([1]), rise: 0, cut: Infinity });
  trails.add(people(0));
  trails.add(people(1));
  const { geometry } = trails.lines;
  const away = (): number[] => [...geometry.getAttribute("away").array.slice(0, 6)];
  expect(trails.pieces).toBe(3);
  expect([0, 1, 2, 3, 4, 5].map((k) => geometry.getAttribute("position").getZ(k))).toEqual([0, 0, 3, 4, 6, 6]);
  expect(away()).toEqual([1, 1, 0, 0, 1, 1]);
  trails.setLevels({ present: undefined, rise: 1, cut: Infinity });
  expect(away()).toEqual([0, 0, 0, 0, 0, 0]);
  trails.add(people(2, false)); // of a plan
  expect([trails.pieces, geometry.hasAttribute("away")]).toEqual([0, false]);
});

test("people start on floors, and in areas of floors that may have one name", () => {
  const areas = ["0", "1"].map((floor, index) => ({ name: "room", index, role: "area", floor }));
  const floors = ["0", "1"].map((name) => ({ name, elevation: 0, area: 1 }));
  const made = placesOf({ areas, floors } as Pick<Document, "areas" | "floors">);
  expect(made.map(({ text }) => text)).toEqual(["floor 0", "room, floor 0", "floor 1", "room, floor 1"]);
  expect(made[3]).toMatchObject({ area: "room", floor: "1" });
  expect(made[2]).toEqual({ value: "floor 1", text: "floor 1", floor: "1" });
  expect(placesOf({ areas, floors: [] })[0]).toEqual({ value: "room", text: "room", area: "room" });
});
