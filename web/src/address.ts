/** What the page shows, in the address: a reload keeps it, Back works, and a view can be shared. */
import type { App } from "./app";
import type { Pose } from "./scene/cameras";
import { LAYERS, type PanelName, type Point, type View } from "./store";

/** The part of the page's state that the address holds. */
export interface Shown {
  map: string;
  view: View;
  panel: PanelName;
  layers: string[];
  from: Point | undefined;
  to: Point | undefined;
  /** In a building: the floor that is shown, those of both ends, and what is least. */
  floor: string | undefined;
  floors: { start?: string; goal?: string };
  by: "length" | "time";
  radius: number;
  method: string;
  pose: Pose | undefined;
}

const VIEWS = ["map", "3d", "walk"];
const PANELS = ["layers", "path", "crowd", "walk", "edit", "replay"];

/** The fragment of the address; coordinates are rounded to a centimetre. */
export function write(shown: Shown): string {
  const fields = new URLSearchParams({ map: shown.map, view: shown.view, panel: shown.panel });
  const numbers = (name: string, values: readonly number[] | undefined): void => {
    if (values !== undefined) fields.set(name, values.map((value) => String(Number(value.toPrecision(7)))).join(","));
  };
  const places = (name: string, values: Point | undefined): void =>
    numbers(name, values?.map((value) => Math.round(value * 100) / 100));
  if (shown.layers.length > 0) fields.set("layers", shown.layers.join(","));
  places("from", shown.from);
  places("to", shown.to);
  if (shown.floor !== undefined) {
    fields.set("floor", shown.floor);
    const { start, goal } = shown.floors;
    if (start !== undefined) fields.set("floors", [start, goal ?? start].map(encodeURIComponent).join(","));
    if (shown.by !== "length") fields.set("by", shown.by);
  }
  if (shown.from !== undefined) {
    fields.set("radius", String(shown.radius));
    fields.set("method", shown.method);
  }
  numbers("at", shown.pose);
  return `#${fields.toString().replaceAll("%3A", ":").replaceAll("%2C", ",")}`;
}

/** What a fragment says; fields that are missing or wrong are left out. */
export function read(fragment: string): Partial<Shown> {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const numbers = (name: string, count: number): number[] | undefined => {
    const values = (fields.get(name) ?? "").split(",").map(Number);
    return values.length === count && fields.has(name) && values.every(Number.isFinite) ? values : undefined;
  };
  const one = <T extends string>(name: string, known: readonly string[]): T | undefined =>
    known.find((value) => value === fields.get(name)) as T | undefined;
  const [start, goal] = (fields.get("floors") ?? "").split(",").map(decoded);
  const radius = Number(fields.get("radius"));
  const found: Partial<Shown> = {
    map: fields.get("map") ?? undefined,
    view: one("view", VIEWS),
    panel: one("panel", PANELS),
    layers: fields.has("layers") ? (fields.get("layers") ?? "").split(",").filter((name) => LAYERS.includes(name)) : undefined,
    from: numbers("from", 2) as Point | undefined,
    to: numbers("to", 2) as Point | undefined,
    floor: fields.get("floor") ?? undefined,
    floors: goal === undefined ? undefined : { start, goal },
    by: one("by", ["length", "time"]),
    radius: radius > 0 && Number.isFinite(radius) ? radius : undefined,
    method: fields.get("method") ?? undefined,
    pose: numbers("at", 3) ?? numbers("at", 6),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The query of the path panel. */
export interface PathQuery {
  changed: () => void;
  get: () => Pick<Shown, "from" | "to" | "floors" | "by" | "radius" | "method">;
  set: (query: Partial<Shown>) => void;
}

/** Milliseconds without a change, after which the address is written. */
const REST = 250;

/** Keep the address and the page in step; returns a function that shows what the address says. */
export function address(app: App, path: PathQuery): () => Promise<void> {
  const { store, stage } = app;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ready = false;
  /** What a step back returns to: not every position of the camera. */
  let step = "";
  const stepOf = ({ map, view, panel }: Partial<Shown>): string => `${map} ${view} ${panel}`;
  const now = (): Shown => ({
    map: store.document.value?.name ?? "",
    view: store.view.value,
    panel: store.panel.value,
    layers: LAYERS.filter((name) => store.layers[name].value),
    floor: store.floorName,
    ...path.get(),
    pose: stage.pose(),
  });
  const put = (): void => {
    if (!ready) return;
    const shown = now();
    const fragment = write(shown);
    if (fragment === location.hash) return;
    if (step === "" || stepOf(shown) === step) history.replaceState(null, "", fragment);
    else history.pushState(null, "", fragment);
    step = stepOf(shown);
  };
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(put, REST);
  };
  const show = async (): Promise<void> => {
    const wanted = read(location.hash);
    const { value } = store.document;
    if (value === undefined) return;
    if (wanted.map !== undefined && wanted.map !== value.name && !(await openMap(app, wanted.map))) {
      ready = true;
      return later();
    }
    for (const name of wanted.layers === undefined ? [] : LAYERS) store.layers[name].set(wanted.layers?.includes(name) === true);
    if (wanted.view !== undefined) store.view.set(wanted.view);
    if (wanted.panel !== undefined && (wanted.panel === "walk") === (store.view.value === "walk")) store.panel.set(wanted.panel);
    const floor = store.document.value?.floors.findIndex(({ name }) => name === wanted.floor) ?? -1;
    if (floor >= 0) store.floor.set(floor);
    path.set(wanted);
    if (wanted.pose !== undefined) stage.setPose(wanted.pose);
    step = stepOf(now());
    ready = true;
    return undefined;
  };
  for (const signal of [store.document, store.view, store.panel, store.floor, ...Object.values(store.layers)]) signal.watch(later);
  stage.moved.push(later);
  path.changed = later;
  window.addEventListener("popstate", () => void show());
  return show;
}

/** Open the map of the address, if it is built in or was open before. */
async function openMap(app: App, name: string): Promise<boolean> {
  const { gallery = [], recent = [] } = app.store.document.value ?? {};
  const key = recent.find((one) => one.name === name)?.key ?? name;
  if (key === name && !gallery.includes(name)) {
    app.toast(`This address shows ${name}, which is not open: drop its file on the page`, "notice");
    return false;
  }
  return app.replace(name, async () => (await app.source.request("open", { name: key })).ok);
}
