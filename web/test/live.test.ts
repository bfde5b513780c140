import { expect, test } from "vitest";
import type { App } from "../src/app";
import { live } from "../src/live";
import { Store, type Document } from "../src/store";
import type { Event } from "../src/wire";

const none = new Float32Array(0);
const arrays = { id: new Uint32Array(0), at: none, velocity: new Int16Array(0), radius: new Uint16Array(0), population: new Uint8Array(0) };

function frameOf(version: number, time: number): Event<"frame"> {
  return { version, ok: { time, step: 1, n: 0, frame: null }, arrays };
}

/** The parts of the page that frames come to, with the times of those that are drawn. */
function page(): { store: Store; drawn: number[]; send: (event: Event<"frame">) => void } {
  const drawn: number[] = [];
  const listeners: Record<string, (event: Event<"frame">) => void> = {};
  const store = new Store();
  const nothing = (): undefined => undefined;
  const app = {
    store,
    source: { on: (name: string, listener: (event: Event<"frame">) => void) => (listeners[name] = listener) },
    clock: { put: ({ time }: { time: number }) => drawn.push(time), tick: nothing, newest: undefined },
    crowd: { setTheme: nothing, look: nothing },
    stage: { tick: nothing, refresh: nothing, invalidate: nothing, moved: [] },
  };
  live(app as unknown as App);
  return { store, drawn, send: (event) => listeners.frame(event) };
}

test("a frame of another version of the document is not drawn, and one that is early is drawn later", () => {
  const { store, drawn, send } = page();
  const open = (version: number): void => store.document.set({ version, what: "map" } as Document);
  open(3);
  send(frameOf(2, 0.2));
  send(frameOf(3, 0.3));
  send(frameOf(4, 0.4));
  expect(drawn).toEqual([0.3]);
  open(4);
  expect(drawn).toEqual([0.3, 0.4]);
  store.document.set({ version: 5, what: "recording" } as Document);
  send(frameOf(5, 0.5));
  expect(drawn).toEqual([0.3, 0.4]);
});
