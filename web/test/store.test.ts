import { expect, test, vi } from "vitest";
import { Signal } from "../src/signal";

test("a signal calls its listeners with the present and every new value", () => {
  const signal = new Signal(1);
  const heard: number[] = [];
  signal.watch((value) => heard.push(value));
  signal.set(1);
  signal.set(2);
  expect(heard).toEqual([1, 2]);
});

test("a listener that throws does not stop the others", () => {
  const reported = vi.fn();
  vi.stubGlobal("reportError", reported);
  const signal = new Signal(0);
  const heard: number[] = [];
  signal.watch((value) => {
    if (value > 0) throw new Error("broken");
  });
  signal.watch((value) => heard.push(value));
  signal.set(7);
  expect(heard).toEqual([0, 7]);
  expect(reported).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});
