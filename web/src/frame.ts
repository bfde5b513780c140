/** The frame of controls around the scene: bar, rail with panels, status line, dropped files. */
import type { App, Panel } from "./app";
import { button, choice, h, rove } from "./dom";
import { help } from "./help";
import { icon, type IconName } from "./icons";
import { floorSwitch } from "./panels/floors";
import type { Document, PanelName, Theme, View } from "./store";

const TABS: Record<PanelName, { text: string; icon: IconName }> = {
  layers: { text: "Layers", icon: "layers" },
  path: { text: "Path", icon: "path" },
  crowd: { text: "Crowd", icon: "crowd" },
  walk: { text: "Walk", icon: "walk" },
  edit: { text: "Edit", icon: "edit" },
  replay: { text: "Replay", icon: "replay" },
};

export type Panels = Partial<Record<PanelName, Panel>>;

/** All controls around the scene; without a server there is no file list and no walk. */
export function frameOfPage(app: App, panels: Panels, timeline: HTMLElement, served = true): void {
  const { root } = app;
  const panel = side(app, panels);
  root.append(...waiting(app));
  const card = help();
  app.showHelp = card.open;
  root.append(topBar(app, served), floorSwitch(app), panel, statusLine(app), timeline, card.element);
  app.stage.margins = () => covered(root, panel, timeline);
  theme(app);
  views(app, panels);
  if (served) drops(app, root);
}

/** A thin bar while a reply is pending, with a label while kernels are compiled. */
function waiting(app: App): HTMLElement[] {
  const busy = h("div", { class: "busy", role: "progressbar", "aria-label": "The server is working", "data-testid": "busy" });
  const word = h("div", { class: "card preparing", role: "status", "data-testid": "preparing" });
  busy.hidden = true;
  setInterval(() => (busy.hidden = (app.source.waits?.() ?? 0) < 400), 150);
  app.store.compiling.watch((what) => {
    word.hidden = what === undefined;
    word.textContent = `Preparing ${what ?? ""}: first time only, some seconds`;
  });
  return [busy, word];
}

/** Pixels that the bar, the panel and the timeline cover on each side of the scene. */
function covered(root: HTMLElement, panel: HTMLElement, timeline: HTMLElement): [number, number, number, number] {
  const [whole, panels] = [root.getBoundingClientRect(), panel.getBoundingClientRect()];
  const narrow = panels.width > whole.width * 0.7;
  const floors = root.querySelector<HTMLElement>(".floors");
  const left = floors === null || floors.hidden ? 24 : floors.getBoundingClientRect().right + 12;
  const below = timeline.hidden ? 60 : timeline.offsetHeight + 60;
  if (narrow) {
    const [line, top] = [timeline.getBoundingClientRect(), 104];
    const beside = Math.max(16, left - 8);
    if (line.top > top) return [beside, top, 16, below + 80];
    return [beside, Math.max(top, line.bottom + 44), 16, whole.bottom - panels.top + 12];
  }
  return [left, 84, whole.right - panels.left + 12, below];
}

const VIEWS: { value: View; text: string; icon: IconName }[] = [
  { value: "map", text: "Map", icon: "map" },
  { value: "3d", text: "3D", icon: "cube" },
  { value: "walk", text: "Walk", icon: "walk" },
];

function topBar(app: App, served: boolean): HTMLElement {
  const view = choice(
    "view",
    "View",
    VIEWS.filter(({ value }) => served || value !== "walk"),
    "map",
    (value) => app.store.view.set(value),
  );
  app.store.view.watch((value) => view.set(value));
  const light = button("theme", "Light or dark", { icon: "moon", key: "T" }, () =>
    app.store.theme.set(app.store.theme.value === "light" ? "dark" : "light"),
  );
  app.store.theme.watch((value) => light.replaceChildren(icon(value === "light" ? "moon" : "sun")));
  const zoom = (factor: number): void =>
    app.stage.zoom(factor, app.stage.canvas.clientWidth / 2, app.stage.canvas.clientHeight / 2);
  const cameras = [
    button("zoom-out", "Zoom out", { icon: "minus", key: "-" }, () => zoom(1.25)),
    button("zoom-in", "Zoom in", { icon: "plus", key: "+" }, () => zoom(0.8)),
    button("fit", "Show the whole map", { icon: "fit", key: "F" }, () => app.fit()),
  ];
  app.store.view.watch((value) => cameras.forEach((made) => (made.disabled = value === "walk")));
  return h(
    "header",
    { class: "bar" },
    h("div", { class: "card brand" }, h("h1", {}, "Footway"), served ? opener(app) : named(app)),
    h("div", { class: "card" }, view.row),
    h(
      "div",
      { class: "card tools" },
      ...cameras,
      light,
      button("help-button", "Keys and pointer", { icon: "help", key: "?" }, () => app.showHelp()),
    ),
  );
}

function named(app: App): HTMLElement {
  const name = h("span", { class: "named" });
  app.store.document.watch((document) => (name.textContent = document?.name ?? ""));
  return name;
}

/** The list of built-in maps and the button for a file. */
function opener(app: App): HTMLElement {
  const list = h("select", { class: "entry", "data-testid": "open", "aria-label": "Open a map" });
  const file = h("input", { type: "file", hidden: true, "data-testid": "open-file" });
  list.addEventListener("change", () => {
    const { value } = list; // the list is filled again while the question waits
    const name = list.selectedOptions[0]?.text ?? value;
    const open = async (): Promise<Document> => (await app.source.request("open", { name: value })).ok;
    void app.replace(name, open).then((done) => {
      if (!done) list.value = app.store.document.value?.name ?? "";
      app.stage.canvas.focus();
    });
  });
  file.addEventListener("change", () => {
    const chosen = file.files?.[0];
    if (chosen !== undefined) void upload(app, chosen);
    file.value = "";
  });
  app.store.document.watch((document) => {
    if (document === undefined) return;
    const option = (value: string, text: string): HTMLElement => h("option", { value }, text);
    const own = document.gallery.includes(document.name) ? [] : [option(document.name, document.name)];
    const recent = document.recent.map(({ key, name, about }) => option(key, about === "" ? name : `${name} (${about})`));
    list.replaceChildren(
      ...own,
      ...(recent.length > 0 ? [h("optgroup", { label: "Recent" }, ...recent)] : []),
      h("optgroup", { label: "Built in" }, ...document.gallery.map((name) => option(name, name.replace(/^gallery:/, "")))),
    );
    list.value = document.name;
    window.document.title = `${document.name} · Footway studio`;
  });
  const pick = button("open-button", "Open a file", { icon: "open" }, () => file.click());
  return h("span", { class: "opener" }, list, pick, file);
}

async function upload(app: App, file: File): Promise<void> {
  await app.replace(file.name, async () => {
    app.toast(`Opening ${file.name}`);
    const to = app.address(`upload?name=${encodeURIComponent(file.name)}`);
    const reply = await fetch(to, { method: "POST", body: file }).catch(() => undefined);
    if (reply === undefined) throw new Error(`${file.name}: could not be sent to the server`);
    const answer = (await reply.json()) as { ok?: Document; error?: string };
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.ok;
  });
}

function side(app: App, panels: Panels): HTMLElement {
  const { panel } = app.store;
  const body = h("div", { class: "card panel", "data-testid": "panel", role: "tabpanel", id: "panel" });
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": "Panels", "aria-orientation": "vertical" });
  const hide = button("panel-hide", "Hide or show the panel", { icon: "panel" }, () => {
    body.hidden = !body.hidden;
  });
  const tabs = (Object.keys(TABS) as PanelName[]).filter((name) => name in panels).map((name) => {
    const { text, icon: drawing } = TABS[name];
    const tab = h("button", {
      type: "button",
      role: "tab",
      class: "tab",
      "aria-controls": "panel",
      "data-testid": `tab-${name}`,
      title: text,
      onclick: () => {
        body.hidden = false;
        panel.set(name);
      },
    });
    tab.append(icon(drawing), h("span", {}, text));
    list.append(tab);
    return { name, tab };
  });
  const stop = rove(list, tabs.map(({ tab }) => tab));
  const rail = h("nav", { class: "card rail", "aria-label": "Panels" }, list, hide);
  const aside = h("aside", { class: "side", "aria-label": "Controls" }, body, rail);
  let shown: Panel | undefined;
  panel.watch((name) => {
    aside.dataset.panel = name;
    shown?.leave?.();
    shown = panels[name];
    if (shown === undefined) return;
    body.replaceChildren(shown.element);
    body.setAttribute("aria-label", TABS[name].text);
    stop(tabs.findIndex(({ name: other }) => other === name));
    for (const { name: other, tab } of tabs) tab.setAttribute("aria-selected", String(other === name));
    app.input.setTool(shown.tool);
    shown.enter?.();
  });
  return aside;
}

/** Scale bar, coordinates, and how fast the page draws. */
function statusLine(app: App): HTMLElement {
  const bar = h("span", { class: "scale", "data-testid": "scale" });
  const where = h("span", { class: "where", "data-testid": "coordinates" });
  const pace = h("span", { class: "pace", "data-testid": "pace" });
  const lost = h("span", { class: "lost", "data-testid": "offline" });
  const scale = (): void => {
    const metres = niceLength(app.stage.resolution() * 130);
    bar.style.width = `${metres / app.stage.resolution()}px`;
    bar.textContent = metres >= 1000 ? `${metres / 1000} km` : metres >= 1 ? `${metres} m` : `${metres * 100} cm`;
    bar.hidden = app.stage.view === "walk";
  };
  app.stage.moved.push(scale);
  scale();
  app.input.hover = (at) => {
    const floor = app.store.floorName;
    where.textContent = at === undefined ? "" : `${app.store.words(at, 2)} m${floor === undefined ? "" : ` · floor ${floor}`}`;
  };
  app.store.online.watch((online) => (lost.hidden = online));
  app.store.locked.watch((locked) => {
    lost.textContent = locked
      ? "This address needs its token: use the one printed in the terminal"
      : "No server: trying again";
  });
  setInterval(() => {
    const { count } = app.crowd;
    const fps = Math.round(app.stage.fps);
    const people = count === 1 ? "1 person" : `${count.toLocaleString("en")} people`;
    pace.textContent = count === 0 ? "" : fps < 1 ? people : `${people} · ${fps} fps`;
  }, 500);
  return h("footer", { class: "status" }, bar, where, pace, lost, app.scales);
}

/** 1, 2 or 5 times a power of ten, at most `length`. */
function niceLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const factor = length / power;
  return (factor >= 5 ? 5 : factor >= 2 ? 2 : 1) * power;
}

/** The system's theme until the user chooses one. */
function theme(app: App): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const kept = localStorage.getItem("footway-theme") as Theme | null;
  app.store.theme.set(kept ?? (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => {
    if (localStorage.getItem("footway-theme") === null) app.store.theme.set(dark.matches ? "dark" : "light");
  });
  app.store.theme.watch((value) => {
    document.documentElement.dataset.theme = value;
    const system = dark.matches ? "dark" : "light";
    if (value === system) localStorage.removeItem("footway-theme");
    else localStorage.setItem("footway-theme", value);
    app.repaint();
    app.stage.setTheme(value);
  });
}

/** Keep the walk view and the walk panel in step. */
function views(app: App, panels: Panels): void {
  const { view, panel } = app.store;
  view.watch((value) => {
    app.stage.setView(value);
    app.ground.setView(value);
    if (value === "walk") panel.set("walk");
    else if (panel.value === "walk") panel.set("layers");
    app.input.setTool(panels[panel.value]?.tool ?? {});
  });
}

function drops(app: App, root: HTMLElement): void {
  root.addEventListener("dragover", (event) => {
    event.preventDefault();
    root.classList.add("dropping");
  });
  root.addEventListener("dragleave", () => root.classList.remove("dropping"));
  root.addEventListener("drop", (event) => {
    event.preventDefault();
    root.classList.remove("dropping");
    const file = event.dataTransfer?.files[0];
    if (file !== undefined) void upload(app, file);
  });
}
