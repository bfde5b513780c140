/** The socket to the server: requests and replies, events, binary envelopes, reconnection. */

export type Numbers = Float32Array | Float64Array | Int32Array | Uint32Array | Int16Array | Uint16Array | Uint8Array;
export type Arrays = Record<string, Numbers>;
export interface Reply<T = Record<string, unknown>> {
  ok: T;
  arrays: Arrays;
}
export type Facts = Record<string, unknown>;
export type Listener = (facts: Facts, arrays: Arrays) => void;

/** Where the page sends its requests: a live server, or a recording inside the page. */
export interface Source {
  request<T = Facts>(name: string, fields?: Facts): Promise<Reply<T>>;
  on(event: string, listener: Listener): void;
  /** Milliseconds since the oldest unanswered request was sent; 0 if there is none. */
  waits?(): number;
}

/** A refusal of the server: its message, kind and facts (a pinch, a nearest point). */
export class Refusal extends Error {
  readonly kind: string;
  readonly facts: Facts;

  constructor(message: string, kind: string, facts: Facts) {
    super(message);
    this.kind = kind;
    this.facts = facts;
  }
}

interface Header {
  n?: number;
  ok?: Facts;
  error?: string;
  kind?: string;
  event?: string;
  facts?: Facts;
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

interface Waiting {
  since: number;
  resolve: (reply: Reply<never>) => void;
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
  private readonly listeners = new Map<string, Listener[]>();
  private readonly address: string;

  constructor(address: string) {
    this.address = address;
    this.connect();
  }

  request<T = Facts>(name: string, fields: Facts = {}): Promise<Reply<T>> {
    const socket = this.socket;
    if (socket?.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Refusal("the server is not there", "offline", {}));
    }
    const n = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(n, { since: performance.now(), resolve: resolve as Waiting["resolve"], reject });
      socket.send(JSON.stringify({ n, type: name, ...fields }));
    });
  }

  on(event: string, listener: Listener): void {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener]);
  }

  waits(): number {
    const [oldest] = this.waiting.values();
    return oldest === undefined ? 0 : performance.now() - oldest.since;
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
    for (const { reject } of this.waiting.values()) {
      reject(new Refusal("the connection was lost", "offline", {}));
    }
    this.waiting.clear();
    this.onstate(false);
    setTimeout(() => this.connect(), this.pause);
    this.pause = Math.min(5000, this.pause * 1.7);
  }

  private receive(data: string | ArrayBuffer): void {
    const { header, arrays } =
      typeof data === "string" ? { header: JSON.parse(data) as Header, arrays: {} } : decode(data);
    if (header.event !== undefined) {
      for (const listener of this.listeners.get(header.event) ?? []) listener(header.facts ?? {}, arrays);
      return;
    }
    const waiting = this.waiting.get(header.n ?? -1);
    if (waiting === undefined) return;
    this.waiting.delete(header.n ?? -1);
    if (header.error !== undefined) {
      waiting.reject(new Refusal(header.error, header.kind ?? "broken", header as Facts));
    } else {
      (waiting.resolve as (reply: Reply) => void)({ ok: header.ok ?? {}, arrays });
    }
  }
}

/** At most one request in flight; of those made meanwhile only the newest is sent. */
export class Newest<T> {
  private busy = false;
  private queued: (() => Promise<T>) | undefined;
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

  private async run(): Promise<void> {
    this.busy = true;
    this.waiting(true);
    while (this.queued !== undefined) {
      const work = this.queued;
      this.queued = undefined;
      try {
        const answer = await work();
        this.done(answer);
      } catch (trouble) {
        if (this.queued === undefined) this.failed(trouble as Error);
      }
    }
    this.busy = false;
    this.waiting(false);
  }
}
