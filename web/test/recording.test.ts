import { describe, expect, it } from "vitest";
import { EmbeddedRecording } from "../src/recording";
import type { Arrays } from "../src/wire";

const content = { scale: 0.5, origin: [1, 2], lowest: -4 } as unknown as ConstructorParameters<typeof EmbeddedRecording>[0];

/** Two people in two frames; the first climbs from sheet 0 to sheet 2. */
const arrays: Arrays = {
  times: Float32Array.from([0, 1]),
  runs: Int32Array.from([0, 0, 1, 0, 1, 1, 1, 0, 2]),
  steps: Uint16Array.from([10, 20, 12, 20, 30, 40, 65535, 0]),
  people_id: Uint32Array.from([7, 9]),
  people_radius: Uint16Array.from([250, 200]),
  people_population: Uint8Array.from([0, 1]),
};
const floors = { run_sheets: Uint16Array.from([0, 2, 1]), climbs: Uint16Array.from([100, 350, 700, 65535]) };

describe("a recording in a page", () => {
  it("has the places of each frame", async () => {
    const { arrays: found } = await new EmbeddedRecording(content, arrays).request("replay", { frame: 1 });
    const frame = found as unknown as Record<string, ArrayLike<number>>;
    expect(Array.from(frame.id)).toEqual([7, 9]);
    expect(Array.from(frame.at)).toEqual([7, 12, 15.5, 22]);
    expect(Array.from(frame.velocity)).toEqual([1000, 0, -500, 0]);
    expect("height" in frame || "sheet" in frame).toBe(false);
  });

  it("has heights and sheets in a building", async () => {
    const { arrays: found } = await new EmbeddedRecording(content, { ...arrays, ...floors }).request("replay", { frame: 1 });
    const frame = found as unknown as Record<string, ArrayLike<number>>;
    expect(Array.from(frame.sheet)).toEqual([2, 1]);
    const [first, second] = Array.from(frame.height);
    expect(first).toBeCloseTo(-0.5);
    expect(second).toBeCloseTo(2.99);
  });
});
