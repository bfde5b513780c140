/** A recording inside the page: answers the requests of the replay without a server. */
import type { Document, Events, Ground, Replay, Replies, Requests } from "./protocol";
import { decode, type Arrays, type Numbers, type Reply, type Source } from "./wire";

interface Content {
  document: Document;
  ground: Ground;
  replay: Replay;
  scale: number;
  origin: [number, number];
  /** Height above which those of a building are given, m. */
  lowest: number;
}

/** Metres of a unit of height. */
const CENTIMETRE = 0.01;

/** The recording that `footway export` put into the page: base64 of gzip of one envelope. */
export async function embedded(text: string): Promise<EmbeddedRecording> {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { header, arrays } = decode(await new Response(plain).arrayBuffer());
  return new EmbeddedRecording(header as unknown as Content, arrays);
}

export class EmbeddedRecording implements Source {
  private readonly content: Content;
  private readonly arrays: Arrays;
  private readonly offsets: Uint32Array;
  private readonly rows: Uint32Array;
  private readonly places: Uint16Array;
  /** In a building: height and sheet of each place. */
  private readonly heights: Uint16Array | undefined;
  private readonly sheets: Uint16Array | undefined;

  constructor(content: Content, arrays: Arrays) {
    this.content = content;
    this.arrays = arrays;
    this.offsets = counted(arrays.runs, arrays.times.length);
    this.rows = new Uint32Array(this.offsets[this.offsets.length - 1]);
    this.places = new Uint16Array(2 * this.rows.length);
    if (arrays.run_sheets !== undefined) {
      this.heights = new Uint16Array(this.rows.length);
      this.sheets = new Uint16Array(this.rows.length);
    }
    this.unpack();
  }

  request<K extends keyof Requests>(name: K, fields: Requests[K]): Promise<Reply<K>> {
    const answer = this.answer(name, fields);
    return answer === undefined
      ? Promise.reject(new Error("this page replays a recording; the studio can do more"))
      : Promise.resolve({ ...answer, version: 0 } as Reply<K>);
  }

  on(_event: keyof Events): void {
    // A recording sends no events.
  }

  private answer(name: keyof Requests, fields: object): { ok: unknown; arrays: unknown } | undefined {
    const { content } = this;
    if (name === "hello") {
      return { ok: { document: content.document, crowd: null, properties: [], models: [] }, arrays: {} };
    }
    if (name === "ground") return { ok: content.ground, arrays: this.part("ground_") };
    if (name !== "replay") return undefined;
    const { frame } = fields as Requests["replay"];
    return frame == null ? { ok: content.replay, arrays: this.part("plot_") } : this.frame(frame);
  }

  /** The arrays whose names start with a prefix, with the prefix removed. */
  private part(prefix: string): Arrays {
    const mine = Object.entries(this.arrays).filter(([name]) => name.startsWith(prefix));
    return Object.fromEntries(mine.map(([name, array]) => [name.slice(prefix.length), array]));
  }

  /** Sum the steps of the trajectories modulo 65,536, and arrange the positions by frame. */
  private unpack(): void {
    const { runs, steps, run_sheets, climbs } = this.arrays;
    const { heights, sheets } = this;
    const next = this.offsets.slice();
    let s = 0;
    for (let r = 0; r < runs.length; r += 3) {
      let x = 0;
      let y = 0;
      let z = 0;
      for (let k = 0; k < runs[r + 2]; k++, s++) {
        x = (x + steps[2 * s]) & 65535;
        y = (y + steps[2 * s + 1]) & 65535;
        const at = next[runs[r + 1] + k]++;
        this.rows[at] = runs[r];
        this.places[2 * at] = x;
        this.places[2 * at + 1] = y;
        if (heights === undefined || sheets === undefined) continue;
        z = (z + climbs[s]) & 65535;
        heights[at] = z;
        sheets[at] = run_sheets[r / 3];
      }
    }
  }

  private frame(k: number): Replies["replay"] {
    const { people_id, people_radius, people_population, times } = this.arrays;
    const { origin, scale, lowest } = this.content;
    const [from, to] = [this.offsets[k], this.offsets[k + 1]];
    const n = to - from;
    const rows = this.rows.subarray(from, to);
    const at = new Float32Array(2 * n);
    for (let i = 0; i < 2 * n; i++) at[i] = origin[i & 1] + this.places[2 * from + i] * scale;
    const arrays = {
      id: Uint32Array.from(rows, (row) => people_id[row]),
      at,
      velocity: this.velocity(k, rows, at),
      radius: Uint16Array.from(rows, (row) => people_radius[row]),
      population: Uint8Array.from(rows, (row) => people_population[row]),
      ...(this.heights === undefined
        ? {}
        : { height: Float32Array.from(this.heights.subarray(from, to), (z) => lowest + z * CENTIMETRE), sheet: this.sheets?.slice(from, to) }),
    };
    return { ok: { time: times[k], step: 0, n, frame: k }, arrays };
  }

  /** Velocities in mm/s from the positions in the previous frame. */
  private velocity(k: number, rows: Uint32Array, at: Float32Array): Int16Array {
    const found = new Int16Array(at.length);
    if (k === 0) return found;
    const { origin, scale } = this.content;
    const seconds = this.arrays.times[k] - this.arrays.times[k - 1] || 1;
    const before = new Map<number, number>();
    for (let j = this.offsets[k - 1]; j < this.offsets[k]; j++) before.set(this.rows[j], j);
    rows.forEach((row, i) => {
      const j = before.get(row);
      if (j === undefined) return;
      for (const axis of [0, 1]) {
        const was = origin[axis] + this.places[2 * j + axis] * scale;
        found[2 * i + axis] = ((at[2 * i + axis] - was) / seconds) * 1000;
      }
    });
    return found;
  }
}

/** First row of each frame, from runs of (character, first frame, number of frames). */
function counted(runs: Numbers, frames: number): Uint32Array {
  const change = new Int32Array(frames + 1);
  for (let r = 0; r < runs.length; r += 3) {
    change[runs[r + 1]] += 1;
    change[runs[r + 1] + runs[r + 2]] -= 1;
  }
  const offsets = new Uint32Array(frames + 1);
  let present = 0;
  for (let k = 0; k < frames; k++) {
    present += change[k];
    offsets[k + 1] = offsets[k] + present;
  }
  return offsets;
}
