import { expect, test } from "vitest";
import { Vector2 } from "three";
import { floorGround, heightAt, linkName, sheetAt, sheetsOf, shownOn, type Sheet } from "../src/scene/sheets";
import { BuildingScene } from "../src/scene/building";
import { polygons } from "../src/scene/polygons";
import type { Document } from "../src/store";
import type { Reply } from "../src/wire";

const square = (x: number): number[] => [x, 0, x + 4, 0, x + 4, 4, x, 4];
const NO_SIDES: [number, number][] = [[0, 0], [0, 0], [0, 0], [0, 0]];

/** Two floors of 4 x 4 m above each other, and a flight beside them from x = 4 to 8. */
const GROUND = {
  version: 1,
  ok: {
    terrain: [],
    areas: [{ name: "a", role: "goal", floor: 0 }, { name: "b", role: "goal", floor: 1 }],
    sheets: [
      { name: "floor '0'", floor: 0, link: -1, low: 0, high: 0, sides: NO_SIDES, joined: [2] },
      { name: "floor '1'", floor: 1, link: -1, low: 3, high: 3, sides: NO_SIDES, joined: [2] },
      { name: "stairs 'A'", floor: -1, link: 0, low: 0, high: 3, sides: [[4, 0], [4, 4], [8, 0], [8, 4]], joined: [0, 1] },
    ],
  },
  arrays: {
    points: new Float32Array([...square(0), ...square(0), ...square(4)]),
    rings: new Int32Array([0, 4, 8, 12]),
    polygons: new Int32Array([0, 1, 2, 3]),
    polygon_sheets: new Int32Array([0, 1, 2]),
    lines: new Float32Array([0, 0, 4, 0, 0, 4, 4, 4, 4, 0, 8, 0]),
    line_sheets: new Int32Array([0, 1, 2]),
    terrain_points: new Float32Array(0),
    terrain_rings: new Int32Array([0]),
    terrain_polygons: new Int32Array([0]),
    area_points: new Float32Array([...square(0), ...square(0)]),
    area_rings: new Int32Array([0, 4, 8]),
    area_polygons: new Int32Array([0, 1, 2]),
  },
} as unknown as Reply<"ground">;

test("a slope rises from its lower side to its upper side", () => {
  const flight = GROUND.ok.sheets[2];
  expect(heightAt(flight, [4, 1])).toBeCloseTo(0);
  expect(heightAt(flight, [6, 3])).toBeCloseTo(1.5);
  expect(heightAt(flight, [8, 2])).toBeCloseTo(3);
});

test("each sheet has its polygons and walls", () => {
  const sheets = sheetsOf(GROUND);
  expect(sheets.map(({ polygons: parts }) => parts.length)).toEqual([1, 1, 1]);
  expect([...sheets[1].walls]).toEqual([0, 4, 4, 4]);
  expect(sheets[2].polygons[0].shell[1]).toEqual(new Vector2(8, 0));
});

test("the sheet of a place is the one of nearest height", () => {
  const sheets = sheetsOf(GROUND);
  expect(sheetAt(sheets, [1, 1], 0.4)).toBe(0);
  expect(sheetAt(sheets, [1, 1], 2.9)).toBe(1);
  expect(sheetAt(sheets, [6, 1], 1.2)).toBe(2);
  expect(sheetAt(sheets, [20, 1], 0)).toBeUndefined();
});

test("the plan of a floor has its links and their landings only", () => {
  const part = (floor: number, low: number, high: number, joined: number[]): Sheet =>
    ({ name: "", floor, link: floor < 0 ? 0 : -1, low, high, joined, sides: NO_SIDES, polygons: [], walls: new Float32Array(0) });
  const sheets = [part(0, 0, 0, [2]), part(1, 3, 3, [4]), part(-1, 0, 1, [0, 3]), part(-1, 1, 1, [2, 4]), part(-1, 1, 3, [3, 1])];
  expect([...shownOn(sheets, 0)]).toEqual([0, 2, 3]);
  expect([...shownOn(sheets, 1)]).toEqual([1, 4, 3]);
});

test("the ground of one floor has nothing of the others", () => {
  const { ok, arrays } = floorGround(GROUND, 1);
  expect(polygons(arrays).length).toBe(1);
  expect(polygons(arrays, "area_").length).toBe(1);
  expect(ok.areas.map(({ name }) => name)).toEqual(["b"]);
  expect([...arrays.lines]).toEqual([0, 4, 4, 4]);
});

test("a floor may have 200,000 corners, and a building many walls", () => {
  const many = 200_000;
  const angle = (i: number): number => (2 * Math.PI * i) / many;
  const arrays = {
    ...GROUND.arrays,
    points: Float32Array.from({ length: 2 * many }, (_, i) => (i % 2 === 0 ? Math.cos(angle(i >> 1)) : Math.sin(angle(i >> 1)))),
    rings: new Int32Array([0, many]),
    polygons: new Int32Array([0, 1]),
    polygon_sheets: new Int32Array([0]),
    lines: new Float32Array(4 * many),
    line_sheets: new Int32Array(many),
  };
  const ground = { ...GROUND, arrays } as typeof GROUND;
  expect(sheetsOf(ground)[0].walls.length).toBe(4 * many);
  expect(polygons(floorGround(ground, 0).arrays)[0].shell.length).toBe(many);
});

test("a link says where it leads, and an escalator also where it comes from", () => {
  const stairs = { name: "A0", kind: "stairs", floors: ["0", "1"], direction: null };
  expect([linkName(stairs), linkName(stairs, "0"), linkName(stairs, "1")]).toEqual(["Stairs A0", "Stairs A0 ↑ 1", "Stairs A0 ↓ 0"]);
  const up = { name: "west", kind: "escalator", floors: ["platform", "hall"], direction: "up" };
  expect([linkName(up, "platform"), linkName(up, "hall")]).toEqual(["Escalator west ↑ hall", "Escalator west ← platform"]);
  expect(linkName({ name: "lift", kind: "lift", floors: ["0", "1"], direction: null }, "0")).toBe("Lift");
});

const DOCUMENT = {
  bounds: [0, 0, 8, 4],
  floors: [{ name: "0", elevation: 0, area: 16 }, { name: "1", elevation: 3, area: 16 }],
  links: [{ name: "A", kind: "stairs", floors: ["0", "1"], direction: null }],
} as unknown as Document;

test("the map shows the links of one floor, 3D all floors at their heights", () => {
  const scene = new BuildingScene();
  scene.show(GROUND, DOCUMENT, "light");
  const seen = (): boolean[] => scene.root.children.slice(0, 3).map(({ visible }) => visible);
  scene.arrange("map", 0);
  expect(seen()).toEqual([false, false, true]);
  expect(scene.labels.map(({ name }) => name)).toEqual(["Stairs A ↑ 1"]);
  scene.stack = { ...scene.stack, apart: 2 };
  scene.arrange("3d", 1);
  expect(seen()).toEqual([true, true, true]);
  expect(scene.root.children.slice(0, 2).map(({ position }) => position.z)).toEqual([0, 6]);
  expect(scene.heightOn(2, [6, 1])).toBeCloseTo(3);
  expect(scene.heights[1]).toBeCloseTo(7.1);
  scene.stack = { ...scene.stack, cut: 1 };
  expect(scene.heights).toEqual([0, 1.1]);
  scene.arrange("walk", 1);
  expect(scene.heightOn(1, [1, 1])).toBe(3);
});
