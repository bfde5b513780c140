/** Which layers are drawn, with their legends. */
import type { App, Panel } from "../app";
import { choice, facts, h, section, toggle } from "../dom";
import { HEAT_CSS, areaColour, terrainColour } from "../scene/colours";
import { OVERLAYS, type Legend, type Overlay } from "../scene/overlays";
import { Refusal } from "../wire";

/** Layers that the page computes itself. */
const LABELS: Record<string, string> = {
  walls: "Walls",
  terrain: "Terrain",
  areas: "Areas",
  density: "Density",
  trails: "Trajectories",
};

/** All layers; without a server only those that the page can compute itself. */
export function layersPanel(app: App, served = true): Panel {
  const overlays = Object.entries(served ? OVERLAYS : {}).map(([name, make]) => ({ name, overlay: make() }));
  const known = facts("document-facts");
  const legends = h("div", { class: "legends", "data-testid": "legends" });
  const row = (name: string, label = LABELS[name], swatch?: string): HTMLElement => {
    const signal = app.store.layers[name];
    const { row: element, set } = toggle(`layer-${name}`, label, false, (on) => signal.set(on), swatch);
    signal.watch(set);
    return element;
  };
  const group = (title: Overlay["group"]): HTMLElement[] =>
    overlays
      .filter(({ overlay }) => overlay.group === title)
      .map(({ name, overlay: { label, swatch } }) => row(name, label, swatch));
  const tint = choice(
    "tint",
    "Colour of characters",
    [
      { value: "population", text: "Population" },
      { value: "speed", text: "Speed" },
    ],
    "population",
    (value) => app.store.tint.set(value),
  );
  const switches = new LayerSwitches(app, new Map(overlays.map(({ name, overlay }) => [name, overlay])), legends);
  app.density.changed = () => switches.drawLegends();
  app.store.tint.watch((value) => {
    app.crowd.setTint(value);
    switches.drawLegends();
    app.stage.refresh();
  });
  app.store.document.watch((document) => {
    switches.fetchAgain();
    if (document === undefined) return;
    if (document.boxed) {
      known.show([["Recording", document.name], ["Map", "not given: add --map"]]);
      return;
    }
    known.show([
      ["Map", document.name],
      ["Walkable", document.area ? `${Math.round(document.area).toLocaleString("en")} m²` : "–"],
      ["Holes", String(document.holes)],
      ["Widest disc, radius", `${document.largest_radius.toFixed(2)} m`],
    ]);
  });
  const element = h(
    "div",
    {},
    section("Map", row("walls"), row("terrain"), row("areas"), ...group("Map")),
    served && section("Roadmaps", ...group("Roadmaps")),
    section("Crowd", row("density"), row("trails"), tint.row),
    legends,
    section("Document", known.box, repairList(app)),
  );
  return { element, tool: {} };
}

/** List the repairs of the file. */
function repairList(app: App): HTMLElement {
  const title = h("summary", {});
  const list = h("ul", { class: "repairs" });
  const box = h("details", { class: "add", "data-testid": "repairs" }, title, list);
  app.store.document.watch((document) => {
    const found = document?.repairs ?? [];
    box.hidden = found.length === 0;
    title.textContent = found.length === 1 ? "1 repair" : `${found.length} repairs`;
    list.replaceChildren(...found.slice(0, 100).map((text) => h("li", {}, text)));
  });
  return box;
}

/** Shows and hides layers; those that the server computes are fetched when first shown. */
class LayerSwitches {
  private readonly app: App;
  private readonly overlays: Map<string, Overlay>;
  private readonly legends: HTMLElement;
  private readonly fetched = new Set<string>();
  private readonly ready = new Set<string>();
  /** Objects of the layers that the page computes itself. */
  private readonly objects: Record<string, { visible: boolean }>;
  /** The server computes one slow layer at a time and refuses others, so requests are queued here. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(app: App, overlays: Map<string, Overlay>, legends: HTMLElement) {
    this.app = app;
    this.overlays = overlays;
    this.legends = legends;
    const { walls, terrain, areas } = app.ground;
    this.objects = { walls, terrain, areas, density: app.density.mesh, trails: app.trails.lines };
    for (const { objects } of overlays.values()) app.stage.scene.add(...objects);
    for (const [name, signal] of Object.entries(app.store.layers)) signal.watch((on) => this.show(name, on));
  }

  show(name: string, on: boolean): void {
    const overlay = this.overlays.get(name);
    const known = this.app.store.document.value !== undefined;
    if (on && overlay !== undefined && !this.fetched.has(name) && known) this.fetch(name, overlay);
    const visible = on && (overlay === undefined || this.ready.has(name));
    for (const object of overlay?.objects ?? [this.objects[name] ?? {}]) object.visible = visible;
    this.drawLegends();
    this.app.stage.invalidate();
  }

  /** Fetch the visible layers again after another map was opened. */
  fetchAgain(): void {
    this.fetched.clear();
    this.ready.clear();
    for (const [name, signal] of Object.entries(this.app.store.layers)) if (signal.value) this.show(name, true);
  }

  private fetch(name: string, overlay: Overlay): void {
    const signal = this.app.store.layers[name];
    this.fetched.add(name);
    const mine = this.turn.then(() => this.request(overlay));
    this.turn = mine.catch(() => undefined);
    mine
      .then(() => {
        this.ready.add(name);
        this.show(name, signal.value);
      })
      .catch((trouble: unknown) => {
        this.fetched.delete(name);
        signal.set(false);
        this.app.complain(trouble);
      });
  }

  /** Request and draw a layer; retry for a minute while the server is busy with another page's layer. */
  private async request(overlay: Overlay, tries = 200): Promise<void> {
    try {
      overlay.draw(await this.app.source.request("layer", overlay.fields), this.app.store.theme.value);
    } catch (trouble) {
      if (tries === 0 || !(trouble instanceof Refusal) || trouble.kind !== "busy") throw trouble;
      await new Promise((resolve) => setTimeout(resolve, 300));
      await this.request(overlay, tries - 1);
    }
  }

  /** The legends of what is shown, with the units. */
  drawLegends(): void {
    const { app } = this;
    const { layers, document, tint } = app.store;
    const legends: Legend[] = [];
    for (const [name, overlay] of this.overlays) {
      if (layers[name].value && this.ready.has(name) && overlay.legend !== undefined) legends.push(overlay.legend());
    }
    if (layers.density.value) legends.push({ title: "Persons per m²", ramp: HEAT_CSS, low: "0", high: `${app.density.top}+` });
    if (tint.value === "speed") legends.push({ title: "Speed", ramp: SPEED_CSS, low: "0", high: "1.5 m/s" });
    const kinds = document.value?.kinds ?? [];
    for (const kind of layers.terrain.value ? kinds : []) {
      legends.push({ title: "Terrain", text: kind, colour: terrainColour(kind, kinds) });
    }
    const roles = new Set(app.ground.areaNames.map(({ role }) => role ?? "area"));
    for (const role of layers.areas.value ? roles : []) {
      legends.push({ title: "Areas", text: role, colour: areaColour(role) });
    }
    const titles = [...new Set(legends.map(({ title }) => title))];
    const boxes = titles.map((title) => {
      const rows = legends.filter((legend) => legend.title === title).flatMap(legendRows);
      return h("div", { class: "legend" }, h("span", { class: "name" }, title), ...rows);
    });
    this.legends.replaceChildren(...boxes);
  }
}

const SPEED_CSS = "linear-gradient(90deg,#c72e29,#edb84d,#29949e)";

function legendRows(legend: Legend): HTMLElement[] {
  if ("text" in legend) {
    const swatch = h("i", { class: "swatch", style: `background:${legend.colour}` });
    return [h("span", { class: "entry-row" }, swatch, legend.text)];
  }
  return [
    h("i", { class: "ramp", style: `background:${legend.ramp}` }),
    h("span", { class: "ends" }, h("span", {}, legend.low), h("span", {}, legend.high)),
  ];
}
