/** The state of the page, as observable values. */
import { OVERLAYS } from "./scene/overlays";

/** A value with listeners for its changes. */
export class Signal<T> {
  private current: T;
  private readonly listeners: ((value: T) => void)[] = [];

  constructor(value: T) {
    this.current = value;
  }

  get value(): T {
    return this.current;
  }

  set(value: T): void {
    if (Object.is(value, this.current)) return;
    this.current = value;
    for (const listener of this.listeners) listener(value);
  }

  /** Call a listener with the current value now, and with every new one. */
  watch(listener: (value: T) => void): void {
    this.listeners.push(listener);
    listener(this.current);
  }
}

export type Point = [number, number];
export type View = "map" | "3d" | "walk";
export type Theme = "light" | "dark";
export type PanelName = "layers" | "path" | "crowd" | "walk" | "edit" | "replay";

export interface Document {
  name: string;
  version: number;
  what: "map" | "scenario" | "recording";
  /** Map coordinates of the page's origin, m. */
  origin: Point;
  bounds: [number, number, number, number];
  area: number;
  holes: number;
  kinds: string[];
  areas: { name: string; index: number; role?: string }[];
  repairs: string[];
  largest_radius: number;
  gallery: string[];
  editable: boolean;
  /** The map of a recording is unknown: a box around all characters is shown. */
  boxed: boolean;
  /** How many changes can be undone and redone. */
  undo: number;
  redo: number;
}

/** Declaration of a property of characters, as in the server's `Profile`. */
export interface Property {
  name: string;
  label: string;
  help: string;
  kind: "number" | "choice" | "weights";
  unit: string;
  /** Minimum, maximum and step; null for no slider. */
  slider: [number, number, number] | null;
  choices: string[];
  default: unknown;
}

/** The profile of a population: values of the properties, for numbers their means. */
export interface Profile {
  [property: string]: unknown;
  follow: "cmm" | "miran" | "irm";
  /** Cost of kinds of terrain. */
  preferences: Record<string, number>;
}

export interface Population extends Partial<Profile> {
  index: number;
  name?: string;
  count?: number;
  /** Number of characters that have not appeared yet. */
  to_come?: number;
  behaviour?: string;
  /** They walk in groups. */
  grouped?: boolean;
}

/** The recording of the live crowd. */
export interface Recording {
  running: boolean;
  seconds: number;
  frames: number;
  megabytes: number;
  /** Why it ended by itself, on one line. */
  ended: string | null;
}

export interface Status {
  running: boolean;
  time: number;
  characters: number;
  steps_per_second: number;
  milliseconds_per_step: number;
  speed: number;
  arrivals: number;
  exited: number;
  stuck: number;
  /** Why the crowd had to stop, on one line. */
  fault?: string | null;
  populations?: Population[];
  /** Name of the local model; null if its parameters are not the usual ones. */
  model?: string | null;
  recording?: Recording | null;
}

/** A local model of the server. */
export interface Model {
  name: string;
  label: string;
}

const SHOWN = ["walls", "terrain", "areas"];

/** Names of all layers: those of the page, and those that the server computes. */
export const LAYERS = [...SHOWN, "density", "trails", ...Object.keys(OVERLAYS)];

/** The page's state; panels and scene observe and set it. */
export class Store {
  readonly document = new Signal<Document | undefined>(undefined);
  readonly status = new Signal<Status | undefined>(undefined);
  /** Properties of characters, for the forms; empty until the server has sent them. */
  readonly properties = new Signal<Property[]>([]);
  /** Local models of crowds; empty until the server has sent them. */
  readonly models = new Signal<Model[]>([]);
  readonly view = new Signal<View>("map");
  readonly theme = new Signal<Theme>("light");
  readonly panel = new Signal<PanelName>("layers");
  readonly online = new Signal<boolean>(false);
  /** The server runs, but requires a token that the address lacks. */
  readonly locked = new Signal<boolean>(false);
  /** Label of the kernels that are being compiled, which takes some seconds. */
  readonly compiling = new Signal<string | undefined>(undefined);
  readonly tint = new Signal<"population" | "speed">("population");
  readonly selected = new Signal<number>(-1);
  readonly following = new Signal<boolean>(false);
  /** Whether each layer is shown, by its name. */
  readonly layers: Record<string, Signal<boolean>> = Object.fromEntries(
    LAYERS.map((name) => [name, new Signal(SHOWN.includes(name))]),
  );

  /** A position as text, in the map's own coordinates, m. */
  words([x, y]: Point, digits = 1): string {
    const [x0, y0] = this.document.value?.origin ?? [0, 0];
    return `${(x0 + x).toFixed(digits)}, ${(y0 + y).toFixed(digits)}`;
  }
}
