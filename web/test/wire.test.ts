import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Newest, Refusal, Wire, decode } from "../src/wire";

/** A socket that the tests open, answer and close. */
class FakeSocket {
  static OPEN = 1;
  static last: FakeSocket;
  readyState = 1;
  sent: { n: number; type: string }[] = [];
  onopen = (): void => undefined;
  onclose = (): void => undefined;
  onmessage = (_: { data: unknown }): void => undefined;

  constructor() {
    FakeSocket.last = this;
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as { n: number; type: string });
  }

  answer(header: object): void {
    this.onmessage({ data: JSON.stringify(header) });
  }
}

const reported: unknown[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("reportError", (trouble: unknown) => reported.push(trouble));
  reported.length = 0;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A message with two arrays, as the server packs it. */
function envelope(): ArrayBuffer {
  const header = {
    event: "frame",
    version: 3,
    arrays: [
      { name: "at", kind: "f4", shape: [1, 2], at: 0 },
      { name: "id", kind: "u4", shape: [1], at: 8 },
    ],
  };
  let text = JSON.stringify(header);
  while ((4 + text.length) % 8 !== 0) text += " ";
  const buffer = new ArrayBuffer(4 + text.length + 16);
  const view = new DataView(buffer);
  view.setUint32(0, text.length, true);
  new Uint8Array(buffer, 4, text.length).set(new TextEncoder().encode(text));
  view.setFloat32(4 + text.length, 1.5, true);
  view.setFloat32(8 + text.length, -2, true);
  view.setUint32(12 + text.length, 7, true);
  return buffer;
}

test("arrays of an envelope are decoded", () => {
  const { header, arrays } = decode(envelope());
  expect(header.version).toBe(3);
  expect(Array.from(arrays.at)).toEqual([1.5, -2]);
  expect(Array.from(arrays.id)).toEqual([7]);
});

test("a reply carries the version of the document", async () => {
  const wire = new Wire("ws:");
  const reply = wire.request("obstacle", { do: "add" });
  FakeSocket.last.answer({ n: 1, version: 5, ok: { id: 2 } });
  expect(await reply).toEqual({ ok: { id: 2 }, arrays: {}, version: 5 });
  expect(wire.waits()).toBe(0);
});

test("a request without an answer fails after two minutes, a layer does not", async () => {
  const wire = new Wire("ws:");
  const path = wire.request("hello", {}).catch((trouble: unknown) => trouble);
  const layer = wire.request("layer", { name: "axis" }).catch((trouble: unknown) => trouble);
  vi.advanceTimersByTime(121_000);
  expect(((await path) as Refusal).kind).toBe("late");
  vi.advanceTimersByTime(600_000);
  FakeSocket.last.answer({ n: 2, version: 0, ok: {} });
  expect(await layer).not.toBeInstanceOf(Refusal);
});

test("a listener that throws does not stop the others, nor later messages", () => {
  const wire = new Wire("ws:");
  const heard: unknown[] = [];
  wire.on("compiling", () => {
    throw new Error("broken");
  });
  wire.on("compiling", ({ ok }) => heard.push(ok.what));
  FakeSocket.last.answer({ event: "compiling", version: 0, facts: { what: "paths" } });
  expect(heard).toEqual(["paths"]);
  expect(reported).toHaveLength(1);
});

test("a cancelled request is not shown, neither its answer nor its refusal", async () => {
  vi.useRealTimers();
  const shown: string[] = [];
  const newest = new Newest<string>(
    (answer) => shown.push(answer),
    () => shown.push("refused"),
  );
  let answer: (text: string) => void = () => undefined;
  newest.put(() => new Promise((resolve) => (answer = resolve)));
  newest.put(() => Promise.resolve("queued"));
  newest.cancel();
  answer("late");
  await new Promise((resolve) => setTimeout(resolve));
  expect(shown).toEqual([]);
  newest.put(() => Promise.resolve("next"));
  await new Promise((resolve) => setTimeout(resolve));
  expect(shown).toEqual(["next"]);
});
