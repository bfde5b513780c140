/** Which layers are drawn, with their legends. */
import type { App, Panel } from "../app";
import { button, choice, facts, field, h, section, toggle } from "../dom";
import { LIMITS } from "../protocol";
import { HEAT_CSS, SPEED_CSS, areaColour, terrainColour } from "../scene/colours";
import { OVERLAYS, RoadmapOverlay, type Legend, type Overlay } from "../scene/overlays";
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
export function layersPanel(app: App, served = true): Panel & { roadmaps: Map<string, RoadmapOverlay> } {
  const overlays = Object.entries(served ? OVERLAYS : {}).map(([name, make]) => ({ name, overlay: make() }));
  const known = facts("document-facts");
  const legends = h("div", { class: "legends", "data-testid": "legends" });
  const row = (name: string, label = LABELS[name], swatch?: string): HTMLElement => {
    const signal = app.store.layers[name];
    const { row: element, set } = toggle(`layer-${name}`, label, false, (on) => signal.set(on), swatch);
    signal.watch(set);
    return element;
  };
  /** What is of no use in a building. */
  const forPlans: HTMLElement[] = [];
  const reason = h("p", { class: "hint", "data-testid": "layers-none" });
  const group = (title: Overlay["group"]): HTMLElement[] =>
    overlays
      .filter(({ overlay }) => overlay.group === title)
      .map(({ name, overlay: { label, swatch, arrange } }) => {
        const made = row(name, label, swatch);
        if (arrange === undefined) forPlans.push(made);
        return made;
      });
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
  const cells = field("cell-size", "Cell size, m", {
    type: "number",
    ...LIMITS.layer.resolution,
    step: 0.05,
    placeholder: "automatic",
    onchange: () => {
      const { input } = cells;
      if (input.value !== "" && !input.checkValidity()) return app.toast(input.validationMessage, "error");
      return switches.setResolution(input.value === "" ? undefined : Number(input.value));
    },
  });
  app.store.theme.watch(() => switches.drawLegends());
  app.store.layers.walls.watch((on) => {
    app.building.hasWalls = on;
    app.arrangeFloors();
  });
  app.store.layers.density.watch((on) => app.crowd.setFaint(on));
  app.stage.moved.push(() => app.density.look(app.stage.resolution()));
  app.density.changed = () => switches.drawLegends();
  app.store.tint.watch((value) => {
    app.crowd.setTint(value);
    switches.drawLegends();
    app.stage.refresh();
  });
  app.store.document.watch((document) => {
    switches.fetchAgain();
    const { isBuilding } = app.store;
    for (const made of forPlans) made.inert = isBuilding;
    reason.textContent = isBuilding && served ? "Roadmaps and discs are for maps of one floor." : "";
    if (document === undefined) return;
    if (document.boxed) {
      known.show([["Recording", document.name], ["Map", "not given: add --map"]]);
      return;
    }
    known.show([
      ["Map", document.name],
      ["Walkable", document.area ? `${Math.round(document.area).toLocaleString("en")} m²` : "–"],
      ...(document.floors.length === 0 ? [] : ([["Floors", String(document.floors.length)], ["Links", String(document.links.length)]] as [string, string][])),
      ["Holes", String(document.holes)],
      ["Widest disc, radius", `${document.largest_radius.toFixed(2)} m`],
    ]);
  });
  const roadmapRows = section("Roadmaps", ...group("Roadmaps"), cells.row);
  const crowdRows = section("Crowd", row("density"), row("trails"), h("div", { class: "field" }, h("span", { class: "name" }, "Colour by"), tint.row));
  forPlans.push(cells.row);
  const element = h(
    "div",
    {},
    section("Map", row("walls"), row("terrain"), row("areas"), ...group("Map"), reason),
    served && roadmapRows,
    crowdRows,
    switches.waiting,
    legends,
    section("Document", known.box, repairList(app)),
  );
  app.layersChanged = () => switches.drawLegends();
  app.roadmapEdits = () => [...roadmaps.values()].reduce((sum, { facts: shown }) => sum + (shown?.state ?? 0), 0);
  const roadmaps = new Map(overlays.flatMap(({ name, overlay }) => (overlay instanceof RoadmapOverlay ? [[name, overlay] as const] : [])));
  return { element, tool: {}, roadmaps };
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
  private readonly running = new Map<string, AbortController>();
  /** A line for each layer that is being computed. */
  readonly waiting = h("div", { class: "stack", "data-testid": "waiting" });
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
    app.floorsMoved.push(() => this.arrange());
    app.source.on("progress", ({ ok }) => this.showProgress(ok.done, ok.total));
  }

  show(name: string, on: boolean): void {
    const overlay = this.overlays.get(name);
    if (on && this.app.store.isBuilding && overlay !== undefined && overlay.arrange === undefined) {
      queueMicrotask(() => this.app.store.layers[name].set(false)); // after all listeners of this change
      return;
    }
    const known = this.app.store.document.value !== undefined;
    if (on && overlay !== undefined && !this.fetched.has(name) && known) this.fetch(name, overlay);
    if (!on) this.running.get(name)?.abort();
    const visible = on && (overlay === undefined || this.ready.has(name));
    for (const object of overlay?.objects ?? [this.objects[name] ?? {}]) object.visible = visible;
    this.drawLegends();
    this.app.stage.invalidate();
  }

  /** Fetch the visible layers again after another map was opened. */
  fetchAgain(): void {
    for (const [name, overlay] of this.overlays) {
      if (!(overlay instanceof RoadmapOverlay)) continue;
      const lost = overlay.facts?.undo === true && this.app.store.layers[name].value;
      if (lost) this.app.toast(`The map has changed: ${overlay.label} is built again, without its edits`, "notice");
      overlay.facts = undefined;
    }
    this.fetched.clear();
    this.ready.clear();
    for (const [name, signal] of Object.entries(this.app.store.layers)) if (signal.value) this.show(name, true);
  }

  private fetch(name: string, overlay: Overlay): void {
    const signal = this.app.store.layers[name];
    this.fetched.add(name);
    this.ready.delete(name);
    this.running.get(name)?.abort();
    const cancel = new AbortController();
    this.running.set(name, cancel);
    const wait = h("span", {}, `${overlay.label}: computing`);
    const stop = button(`cancel-${name}`, `Cancel ${overlay.label}`, { text: "Cancel", look: "quiet" }, () => cancel.abort());
    const row = h("div", { class: "waiting", role: "status", "data-testid": `waiting-${name}` }, wait, stop);
    const timer = setTimeout(() => this.waiting.append(row), 300);
    const mine = this.turn.then(() => this.request(overlay, cancel.signal));
    this.turn = mine.catch(() => undefined);
    mine
      .then(() => {
        this.ready.add(name);
        this.show(name, signal.value);
      })
      .catch((trouble: unknown) => {
        if (this.running.get(name) !== cancel) return; // it was requested again
        this.fetched.delete(name);
        signal.set(false);
        if (!cancel.signal.aborted) this.app.complain(trouble);
      })
      .finally(() => {
        clearTimeout(timer);
        row.remove();
        if (this.running.get(name) === cancel) this.running.delete(name);
      });
  }

  /** Request the roadmaps that are shown again, with other cells. */
  setResolution(resolution: number | undefined): void {
    for (const [name, overlay] of this.overlays) {
      if (overlay.group !== "Roadmaps") continue;
      overlay.fields.resolution = resolution;
      this.fetched.delete(name);
      if (this.app.store.layers[name].value) this.show(name, true);
    }
  }

  /** Show layers of a building where its floors are. */
  private arrange(): void {
    const { building, store } = this.app;
    if (building.isShown && store.layers.density.value) this.drawLegends(); // it names the floor
    if (building.isShown) for (const overlay of this.overlays.values()) overlay.arrange?.(building.present, building.scale);
  }

  private showProgress(done: number, total: number): void {
    const [word] = this.waiting.querySelectorAll("span");
    if (word !== undefined) word.textContent = `${(word.textContent ?? "").replace(/, \d+ %$/, "")}, ${Math.round((100 * done) / total)} %`;
  }

  /** Request and draw a layer; retry for a minute while the server is busy with another page's layer. */
  private async request(overlay: Overlay, signal: AbortSignal, tries = 200): Promise<void> {
    if (signal.aborted) throw new Refusal("cancelled", "cancelled");
    try {
      overlay.draw(await this.app.source.request("layer", overlay.fields, signal), this.app.store.theme.value);
      this.arrange();
    } catch (trouble) {
      if (tries === 0 || !(trouble instanceof Refusal) || trouble.kind !== "busy") throw trouble;
      await new Promise((resolve) => setTimeout(resolve, 300));
      await this.request(overlay, signal, tries - 1);
    }
  }

  /** The legends of what is shown, with the units. */
  drawLegends(): void {
    const { app } = this;
    const { layers, document, theme, tint } = app.store;
    const legends: Legend[] = [];
    for (const [name, overlay] of this.overlays) {
      if (layers[name].value && this.ready.has(name) && overlay.legend !== undefined) legends.push(overlay.legend());
    }
    if (layers.density.value) {
      const { top, width } = app.density;
      const floor = app.store.floorName;
      legends.push({ title: `Persons per m²${floor === undefined ? "" : ` on floor ${floor}`}, mean over about ${width.toPrecision(2)} m`, ramp: HEAT_CSS, low: "0", high: top < 4 ? String(top) : "4 or more" });
    }
    if (tint.value === "speed") legends.push({ title: "Speed", ramp: SPEED_CSS, low: "0", high: "1.5 m/s" });
    const kinds = document.value?.kinds ?? [];
    for (const kind of layers.terrain.value ? kinds : []) {
      legends.push({ title: "Terrain", text: kind, colour: terrainColour(kind, kinds, theme.value) });
    }
    const roles = new Set(app.ground.areaNames.map(({ role }) => role ?? "area"));
    const isNamed = roles.size > 1 || !roles.has("area"); // areas without a role say what they are by their names
    for (const role of layers.areas.value && isNamed ? roles : []) {
      legends.push({ title: "Areas", text: role, colour: areaColour(role) });
    }
    this.legends.replaceChildren(...boxes(legends));
    app.scales.replaceChildren(...boxes(legends.filter((legend) => "ramp" in legend)));
  }
}

/** A box for each title. */
function boxes(legends: Legend[]): HTMLElement[] {
  const titles = [...new Set(legends.map(({ title }) => title))];
  return titles.map((title) => {
    const rows = legends.filter((legend) => legend.title === title).flatMap(legendRows);
    return h("div", { class: "legend" }, h("span", { class: "name" }, title), ...rows);
  });
}

function legendRows(legend: Legend): HTMLElement[] {
  if ("text" in legend) {
    const swatch = h("i", { class: "swatch", style: `background:${legend.colour}` });
    return [h("span", { class: "entry-row" }, swatch, legend.text)];
  }
  return [
    h("i", { class: "ramp", style: `background:${legend.ramp}` }),
    h("span", { class: "ends" }, ...[legend.low, legend.middle, legend.high].map((text) => text !== undefined && h("span", {}, text))),
  ];
}
