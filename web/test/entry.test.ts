import { expect, test } from "vitest";
import { NumberEntry } from "../src/entry";

/** Type a text character by character, as a user does. */
function typed(entry: NumberEntry, text: string): boolean {
  for (let end = 1; end <= text.length; end += 1) entry.type(text.slice(0, end));
  return entry.end(text);
}

test.each(["-1", "0", "99", "25", "0.01", "", " ", "e", "NaN", "Infinity"])("%j restores the number from before", (text) => {
  const entry = new NumberEntry(0.05, 3, 0.25);
  expect(typed(entry, "0.5")).toBe(false);
  expect(typed(entry, text)).toBe(true);
  expect(entry.value).toBe(0.5);
  expect(typed(entry, text)).toBe(true);
  expect(entry.value).toBe(0.5);
});

test.each([["3", 3], ["0.05", 0.05], ["1.234", 1.234]])("%s counts", (text, value) => {
  const entry = new NumberEntry(0.05, 3, 0.25);
  expect(typed(entry, text)).toBe(false);
  expect(entry.value).toBe(value);
});

test("a number that the page sets, and one on a smaller map, is brought into the limits", () => {
  const entry = new NumberEntry(0.05, 3, 0.25);
  entry.set(99);
  expect(entry.value).toBe(3);
  entry.limit(0.05, 1);
  expect(entry.value).toBe(1);
  expect(typed(entry, "2")).toBe(true);
  expect(entry.value).toBe(1);
});
