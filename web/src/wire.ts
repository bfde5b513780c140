/** The socket to the server: requests and replies, events, binary envelopes, reconnection. */
import type { Events, RefusalFacts, Replies, Requests } from "./protocol";

export type Numbers = Float32Array | Float64Array | Int32Array | Uint32Array | Int16Array | Uint16Array | Uint8Array;
export type Arrays = Record<string, Numbers>;

/** A reply of the server, and the version of the document that it is about. */
export type Reply<K extends keyof Replies = keyof Replies> = Replies[K] & { version: number };
export type Event<K extends keyof Events = keyof Events> = Events[K] & { version: number };
export type Listener<K extends keyof Events> = (event: Event<K>) => void;

/** Where the page sends its requests: a live server, or a recording inside the page. */
export interface Source {
  request<K extends keyof Requests>(name: K, fields: Requests[K], signal?: AbortSignal): Promise<Reply<K>>;
  on<K extends keyof Events>(event: K, listener: Listener<K>): void;
  /** Milliseconds since the oldest unanswered request was sent; 0 if there is none. */
  waits?(): number;
}

/** A refusal of the server: its message, kind and facts (a pinch, a nearest point). */
export class Refusal extends Error {
  readonly kind: string;
  readonly facts: Partial<RefusalFacts>;

  constructor(message: string, kind: string, facts: Partial<RefusalFacts> = {}) {
    super(message);
    this.kind = kind;
    this.facts = facts;
  }
}

/** Call all listeners; an error in one of them is reported and does not stop the others. */
export function notify<T>(listeners: readonly ((value: T) => void)[], value: T): void {
  for (const listener of listeners) {
    try {
      listener(value);
    } catch (trouble) {
      reportError(trouble);
    }
  }
}

interface Header {
  n?: number;
  version?: number;
  ok?: unknown;
  error?: string;
  kind?: string;
  event?: string;
  facts?: unknown;
  arrays?: { name: string; kind: string; shape: number[]; at: number }[];
}

const KINDS = {
  f4: Float32Array,
  f8: Float64Array,
  i4: Int32Array,
  u4: Uint32Array,
  i2: Int16Array,
  u2: Uint16Array,
  u1: Uint8Array,
} as const;

/** Header and arrays of one binary message; the arrays are views, not copies. */
export function decode(buffer: ArrayBuffer): { header: Header; arrays: Arrays } {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as Header;
  const arrays: Arrays = {};
  for (const { name, kind, shape, at } of header.arrays ?? []) {
    const Kind = KINDS[kind as keyof typeof KINDS];
    const size = shape.reduce((product, side) => product * side, 1);
    arrays[name] = new Kind(buffer, 4 + length + at, size);
  }
  return { header, arrays };
}

/** Milliseconds without an answer, after which a request fails; layers may take longer and can be cancelled. */
const PATIENCE = 120_000;

interface Waiting {
  since: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  resolve: (reply: Reply) => void;
  reject: (trouble: Error) => void;
}

/** The live source. `onstate` is called when the connection opens or closes. */
export class Wire implements Source {
  onstate: (online: boolean) => void = () => undefined;
  /** Called if a socket did not open: no server, or the server refuses it. */
  onshut: () => void = () => undefined;
  private socket: WebSocket | undefined;
  private next = 1;
  private pause = 300;
  private readonly waiting = new Map<number, Waiting>();
  private readonly listeners = new Map<string, ((event: Event) => void)[]>();
  private readonly address: string;

  constructor(address: string) {
    this.address = address;
    this.connect();
  }

  request<K extends keyof Requests>(name: K, fields: Requests[K], signal?: AbortSignal): Promise<Reply<K>> {
    const socket = this.socket;
    if (socket?.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Refusal("the server is not there", "offline"));
    }
    const n = this.next++;
    return new Promise((resolve, reject) => {
      const fail = (message: string, kind: string): void => this.settle(n)?.reject(new Refusal(message, kind));
      const late = (): void => fail(`the server has not answered for ${PATIENCE / 1000} s; try again`, "late");
      const timer = name === "layer" ? undefined : setTimeout(late, PATIENCE);
      this.waiting.set(n, { since: performance.now(), timer, resolve: resolve as Waiting["resolve"], reject });
      signal?.addEventListener("abort", () => {
        if (this.waiting.has(n)) socket.send(JSON.stringify({ n: this.next++, type: "cancel", of: n }));
        fail("cancelled", "cancelled");
      });
      socket.send(JSON.stringify({ n, type: name, ...fields }));
    });
  }

  on<K extends keyof Events>(event: K, listener: Listener<K>): void {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener as (event: Event) => void]);
  }

  waits(): number {
    const [oldest] = this.waiting.values();
    return oldest === undefined ? 0 : performance.now() - oldest.since;
  }

  /** Take a request out of those that wait; undefined if it does not wait. */
  private settle(n: number): Waiting | undefined {
    const waiting = this.waiting.get(n);
    clearTimeout(waiting?.timer);
    this.waiting.delete(n);
    return waiting;
  }

  private connect(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.pause = 300;
      this.onstate(true);
    };
    socket.onmessage = (message: MessageEvent<string | ArrayBuffer>) => this.receive(message.data);
    socket.onclose = () => {
      this.lost();
      if (!opened) this.onshut();
    };
    this.socket = socket;
  }

  private lost(): void {
    for (const n of [...this.waiting.keys()]) this.settle(n)?.reject(new Refusal("the connection was lost", "offline"));
    this.onstate(false);
    setTimeout(() => this.connect(), this.pause);
    this.pause = Math.min(5000, this.pause * 1.7);
  }

  private receive(data: string | ArrayBuffer): void {
    const { header, arrays } =
      typeof data === "string" ? { header: JSON.parse(data) as Header, arrays: {} } : decode(data);
    const version = header.version ?? 0;
    if (header.event !== undefined) {
      const event = { ok: header.facts, arrays, version } as Event;
      notify(this.listeners.get(header.event) ?? [], event);
      return;
    }
    const waiting = this.settle(header.n ?? -1);
    if (header.error !== undefined) {
      waiting?.reject(new Refusal(header.error, header.kind ?? "broken", header as Partial<RefusalFacts>));
    } else {
      waiting?.resolve({ ok: header.ok, arrays, version } as Reply);
    }
  }
}

/** At most one request in flight; of those made meanwhile only the newest is sent. */
export class Newest<T> {
  private busy = false;
  private queued: (() => Promise<T>) | undefined;
  /** Number of times that everything was cancelled. */
  private cancelled = 0;
  /** Called when a request starts to wait for its reply, and when none waits. */
  waiting: (on: boolean) => void = () => undefined;
  private readonly done: (answer: T) => void;
  private readonly failed: (trouble: Error) => void;

  constructor(done: (answer: T) => void, failed: (trouble: Error) => void) {
    this.done = done;
    this.failed = failed;
  }

  put(work: () => Promise<T>): void {
    this.queued = work;
    if (!this.busy) void this.run();
  }

  /** Ignore the answer of the request in flight, and send none that waits. */
  cancel(): void {
    this.queued = undefined;
    this.cancelled += 1;
  }

  private async run(): Promise<void> {
    this.busy = true;
    this.waiting(true);
    while (this.queued !== undefined) {
      const work = this.queued;
      const { cancelled } = this;
      this.queued = undefined;
      try {
        const answer = await work();
        if (cancelled === this.cancelled) this.done(answer);
      } catch (trouble) {
        if (this.queued === undefined && cancelled === this.cancelled) this.failed(trouble as Error);
      }
    }
    this.busy = false;
    this.waiting(false);
  }
}
