/** Show and hide layers; those that the server computes are fetched when first shown. */
import type { App } from "../app";
import { METHODS, PALETTES } from "../scene/colours";
import type { Made, Method, Overlays } from "../scene/overlays";
import type { LayerName } from "../store";
import { Refusal } from "../wire";

export class LayerShower {
  private readonly app: App;
  private readonly overlays: Overlays;
  private readonly changed: () => void;
  private readonly fetched = new Set<LayerName>();
  private readonly ready = new Set<LayerName>();
  private readonly fetchers: Partial<Record<LayerName, () => Promise<void>>>;
  private readonly objects: Partial<Record<LayerName, { visible: boolean }>>;
  /** The server computes one layer at a time and refuses others, so requests are queued here. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(app: App, overlays: Overlays, changed: () => void) {
    this.app = app;
    this.overlays = overlays;
    this.changed = changed;
    const { walls, terrain, areas } = app.ground;
    this.objects = { walls, terrain, areas, density: app.density.mesh, trails: app.trails.lines };
    this.fetchers = fetchers(app, overlays);
  }

  show(name: LayerName, on: boolean): void {
    const fetch = this.fetchers[name];
    const known = this.app.store.document.value !== undefined;
    if (on && fetch !== undefined && !this.fetched.has(name) && known) this.fetch(name, fetch);
    for (const object of this.drawn(name)) object.visible = on && (fetch === undefined || this.ready.has(name));
    this.changed();
    this.app.stage.invalidate();
  }

  /** Fetch the visible layers again after another map was opened. */
  forget(): void {
    this.fetched.clear();
    this.ready.clear();
    this.overlays.clear();
    const { layers } = this.app.store;
    for (const [name, signal] of Object.entries(layers)) if (signal.value) this.show(name as LayerName, true);
  }

  private fetch(name: LayerName, fetch: () => Promise<void>): void {
    const { layers } = this.app.store;
    this.fetched.add(name);
    const mine = this.turn.then(() => patiently(fetch));
    this.turn = mine.catch(() => undefined);
    mine
      .then(() => {
        this.ready.add(name);
        this.show(name, layers[name].value);
      })
      .catch((trouble: unknown) => {
        this.fetched.delete(name);
        layers[name].set(false);
        this.app.complain(trouble);
      });
  }

  private drawn(name: LayerName): { visible: boolean }[] {
    const { axis, discs, roadmaps } = this.overlays;
    if (name === "axis") return [axis];
    if (name === "discs") return [discs];
    if (name in roadmaps) return Object.values(roadmaps[name as Method]);
    const object = this.objects[name];
    return object === undefined ? [] : [object];
  }
}

function fetchers(app: App, overlays: Overlays): Partial<Record<LayerName, () => Promise<void>>> {
  const { theme } = app.store;
  const roadmap = (method: Method) => async (): Promise<void> => {
    const { ok, arrays } = await app.source.request<Made>("layer", { name: "roadmap", method });
    overlays.made[method] = ok;
    overlays.showRoadmap(method, arrays);
  };
  return {
    axis: async () => overlays.showAxis((await app.source.request("layer", { name: "axis" })).arrays),
    discs: async () => {
      const { arrays } = await app.source.request("layer", { name: "discs" });
      overlays.showDiscs(arrays.discs, PALETTES[theme.value].disc);
    },
    ...Object.fromEntries((Object.keys(METHODS) as Method[]).map((method) => [method, roadmap(method)])),
  };
}

/** Retry for a minute while the server is busy with the layer of another page. */
async function patiently(fetch: () => Promise<void>, tries = 200): Promise<void> {
  try {
    await fetch();
  } catch (trouble) {
    if (tries === 0 || !(trouble instanceof Refusal) || trouble.kind !== "busy") throw trouble;
    await new Promise((resolve) => setTimeout(resolve, 300));
    await patiently(fetch, tries - 1);
  }
}
