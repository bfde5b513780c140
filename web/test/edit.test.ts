import { describe, expect, it } from "vitest";
import { along } from "../src/panels/edit";

describe("the box of a link", () => {
  it("begins with its short side where the drag begins", () => {
    expect(along([1, 2], [2, 6])).toEqual([[1, 2], [2, 2], [2, 6], [1, 6]]); // up
    expect(along([1, 6], [2, 2])).toEqual([[1, 6], [2, 6], [2, 2], [1, 2]]); // down
    expect(along([1, 2], [6, 3])).toEqual([[1, 2], [1, 3], [6, 3], [6, 2]]); // to the right
    expect(along([6, 2], [1, 3])).toEqual([[6, 2], [6, 3], [1, 3], [1, 2]]); // to the left
  });
});
