/** The state of the page, as observable values. */
import type { Document, ModelFacts, PropertyFacts, Status } from "./protocol";
import { OVERLAYS } from "./scene/overlays";
import { Signal } from "./signal";

export type { Document, ModelFacts, PopulationFacts, PropertyFacts, Status } from "./protocol";

export type Point = [number, number];
export type View = "map" | "3d" | "walk";
export type Theme = "light" | "dark";
export type PanelName = "layers" | "path" | "crowd" | "walk" | "edit" | "replay";

const SHOWN = ["walls", "terrain", "areas"];

/** Names of all layers: those of the page, and those that the server computes. */
export const LAYERS = [...SHOWN, "density", "trails", ...Object.keys(OVERLAYS)];

/** The page's state; panels and scene observe and set it. */
export class Store {
  readonly document = new Signal<Document | undefined>(undefined);
  readonly status = new Signal<Status | undefined>(undefined);
  /** Properties of characters, for the forms; empty until the server has sent them. */
  readonly properties = new Signal<PropertyFacts[]>([]);
  /** Local models of crowds; empty until the server has sent them. */
  readonly models = new Signal<ModelFacts[]>([]);
  readonly view = new Signal<View>("map");
  readonly theme = new Signal<Theme>("light");
  readonly panel = new Signal<PanelName>("layers");
  readonly online = new Signal<boolean>(false);
  /** The server runs, but requires a token that the address lacks. */
  readonly locked = new Signal<boolean>(false);
  /** Label of the kernels that are being compiled, which takes some seconds. */
  readonly compiling = new Signal<string | undefined>(undefined);
  readonly tint = new Signal<"population" | "speed">("population");
  /** The floor of a building that is shown; -1 on a plan. */
  readonly floor = new Signal<number>(-1);
  readonly selected = new Signal<number>(-1);
  readonly following = new Signal<boolean>(false);
  /** Whether each layer is shown, by its name. */
  readonly layers: Record<string, Signal<boolean>> = Object.fromEntries(
    LAYERS.map((name) => [name, new Signal(SHOWN.includes(name))]),
  );

  /** Whether a building is open, which has no roadmaps and no edits. */
  get isBuilding(): boolean {
    return (this.document.value?.floors.length ?? 0) > 0;
  }

  /** The name of the floor that is shown; undefined on a plan. */
  get floorName(): string | undefined {
    return this.document.value?.floors[this.floor.value]?.name;
  }

  /** A position as text, in the map's own coordinates, m. */
  words([x, y]: Point, digits = 1): string {
    const [x0, y0] = this.document.value?.origin ?? [0, 0];
    return `${(x0 + x).toFixed(digits)}, ${(y0 + y).toFixed(digits)}`;
  }
}
