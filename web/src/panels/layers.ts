/** Which layers are drawn, with their legends. */
import type { App, Panel } from "../app";
import { choice, facts, h, section, toggle } from "../dom";
import { HEAT_CSS, METHODS, RAMP_CSS, areaColour, terrainColour } from "../scene/colours";
import { Overlays, type Made, type Method } from "../scene/overlays";
import type { LayerName } from "../store";
import { LayerShower } from "./showing";

const NAMES: Partial<Record<LayerName, string>> = {
  walls: "Walls",
  terrain: "Terrain",
  areas: "Areas",
  axis: "Medial axis",
  discs: "Corridor map discs",
  density: "Density",
  trails: "Trajectories",
  grm: "Grid (GRM)",
  rrm: "Reachability (RRM)",
  rrm_star: "With cycles (RRM*)",
  rrrm: "Retracted (RRRM)",
  prm: "Voronoi-PRM",
};

const ROADMAPS = Object.keys(METHODS) as Method[];

/** All layers; without a server only those that the page can compute itself. */
export function layersPanel(app: App, served = true): Panel {
  const overlays = new Overlays();
  const known = facts("document-facts");
  const legends = h("div", { class: "legends", "data-testid": "legends" });
  app.stage.scene.add(overlays.root);
  const row = (name: LayerName, swatch?: string): HTMLElement => {
    const { row: element, set } = toggle(`layer-${name}`, NAMES[name] ?? name, false, (on) => turn(name, on), swatch);
    app.store.layers[name].watch(set);
    return element;
  };
  const turn = (name: LayerName, on: boolean): void => app.store.layers[name].set(on);
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
  app.density.changed = () => drawLegends(app, overlays, legends);
  connect(app, overlays, app.density.changed);
  app.store.document.watch((document) => {
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
  const repairs = repairList(app);
  const element = h(
    "div",
    {},
    section("Map", row("walls"), row("terrain"), row("areas"), served && row("axis"), served && row("discs")),
    served && section("Roadmaps", ...ROADMAPS.map((method) => row(method, METHODS[method]))),
    section("Crowd", row("density"), row("trails"), tint.row),
    legends,
    section("Document", known.box, repairs),
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

/** Observe the switches. */
function connect(app: App, overlays: Overlays, legends: () => void): void {
  const { layers, document, tint } = app.store;
  const shower = new LayerShower(app, overlays, legends);
  for (const [name, signal] of Object.entries(layers)) signal.watch((on) => shower.show(name as LayerName, on));
  tint.watch((value) => {
    app.crowd.setTint(value);
    legends();
    app.stage.refresh();
  });
  document.watch(() => shower.forget());
}

/** Facts about a roadmap, with a note if it is disconnected (doors narrower than two cells cause that). */
function made(told: Made | undefined): string {
  if (told === undefined) return "";
  const { nodes, edges, components, resolution } = told;
  const size = `${nodes.toLocaleString("en")} nodes, ${edges.toLocaleString("en")} edges`;
  if (components < 2) return size;
  const cells = resolution === null ? "" : `: cells of ${resolution} m may be too large for doors`;
  return `${size}, ${components.toLocaleString("en")} parts${cells}`;
}

/** The legends of what is shown, with the units. */
function drawLegends(app: App, overlays: Overlays, box: HTMLElement): void {
  const { layers, document, tint } = app.store;
  const scale = (title: string, css: string, low: string, high: string): HTMLElement =>
    h(
      "div",
      { class: "legend" },
      h("span", { class: "name" }, title),
      h("i", { class: "ramp", style: `background:${css}` }),
      h("span", { class: "ends" }, h("span", {}, low), h("span", {}, high)),
    );
  const entries = (title: string, list: [string, string][]): HTMLElement =>
    h(
      "div",
      { class: "legend" },
      h("span", { class: "name" }, title),
      ...list.map(([text, colour]) =>
        h("span", { class: "entry-row" }, h("i", { class: "swatch", style: `background:${colour}` }), text),
      ),
    );
  const shown: HTMLElement[] = [];
  const kinds = document.value?.kinds ?? [];
  if (layers.axis.value) shown.push(scale("Clearance", RAMP_CSS, "0 m", `${overlays.widest.toFixed(1)} m`));
  if (layers.density.value) shown.push(scale("Persons per m²", HEAT_CSS, "0", `${app.density.top}+`));
  if (tint.value === "speed") {
    shown.push(scale("Speed", "linear-gradient(90deg,#c72e29,#edb84d,#29949e)", "0", "1.5 m/s"));
  }
  if (layers.terrain.value && kinds.length > 0) {
    shown.push(entries("Terrain", kinds.map((kind) => [kind, terrainColour(kind, kinds)])));
  }
  const roadmaps = ROADMAPS.filter((method) => layers[method].value && overlays.made[method] !== undefined);
  if (roadmaps.length > 0) {
    shown.push(entries("Roadmaps", roadmaps.map((method) => [made(overlays.made[method]), METHODS[method]])));
  }
  const roles = [...new Set(app.ground.areaNames.map(({ role }) => role ?? "area"))];
  if (layers.areas.value && roles.length > 0) {
    shown.push(entries("Areas", roles.map((role) => [role, areaColour(role)])));
  }
  box.replaceChildren(...shown);
}
