/** The crowd: start and stop, populations, one character, obstacles. */
import type { App, Panel } from "../app";
import { button, choice, facts, field, h, section, select, slider } from "../dom";
import type { Obstacles } from "../scene/obstacles";
import { POPULATIONS } from "../scene/colours";
import type { Point, Population, Status } from "../store";
import { characterPart } from "./character";
import { preferenceRows } from "./path";

export function crowdPanel(app: App): Panel {
  const { obstacles } = app;
  app.source.on("obstacles", (told, arrays) => {
    obstacles.show(arrays, told.ids as number[] | undefined);
    app.stage.invalidate();
  });
  const character = characterPart(app);
  const drop = obstaclePart(app, obstacles);
  const status = facts("crowd-facts");
  const list = h("ul", { class: "populations", "data-testid": "populations" });
  const rows = new Map<number, PopulationRow>();
  app.store.status.watch((told) => {
    if (told === undefined) return;
    status.show(statusRows(told));
    drawPopulations(app, list, rows, told.populations ?? []);
  });
  const element = h(
    "div",
    {},
    section("Crowd", transport(app), status.box),
    character.element,
    section("Populations", list, addPart(app)),
    section("Obstacles", drop.element),
  );
  const tool = {
    down: (at: Point) => drop.down(at),
    drag: (at: Point, done: boolean) => drop.drag(at, done),
    click: (at: Point) => {
      if (drop.armed()) return drop.add(at);
      if (drop.picked(at)) return undefined;
      const reach = app.stage.resolution() * 8;
      app.store.selected.set(app.crowd.nearest(at[0], at[1], reach));
      return undefined;
    },
  };
  return { element, tool, leave: drop.disarm };
}

function statusRows(told: Status): [string, string][] {
  return [
    ["Time", `${told.time.toFixed(1)} s`],
    ["Characters", told.characters.toLocaleString("en")],
    ["Step", `${told.milliseconds_per_step.toFixed(1)} ms`],
    ["Arrivals", told.arrivals.toLocaleString("en")],
    ...(told.exited > 0 ? ([["Exited", told.exited.toLocaleString("en")]] as [string, string][]) : []),
    ...(told.stuck > 0 ? ([["Stuck", told.stuck.toLocaleString("en")]] as [string, string][]) : []),
  ];
}

/** Start, pause, step, back to the beginning, and how fast. */
function transport(app: App): HTMLElement {
  const ask = (fields: Record<string, unknown>): void => {
    app.source
      .ask<Status>("crowd", fields)
      .then(({ ok }) => app.store.status.set(ok))
      .catch(app.complain);
  };
  const running = (): boolean => app.store.status.value?.running ?? false;
  const play = button("crowd-play", "Start", { icon: "play", look: "main", text: "Start", key: "Space" }, () =>
    ask({ do: running() ? "pause" : "start" }),
  );
  const other = button("crowd-pause", "Pause", { icon: "pause", look: "main", text: "Pause", key: "Space" }, () =>
    ask({ do: "pause" }),
  );
  app.store.status.watch((status) => {
    play.hidden = status?.running ?? false;
    other.hidden = !play.hidden;
  });
  const speed = choice(
    "crowd-speed",
    "Speed",
    [0.5, 1, 2, 4, 8, 16].map((value) => ({ value: String(value), text: `${value}×` })),
    "1",
    (value) => ask({ do: "faster", speed: Number(value) }),
  );
  app.store.status.watch((status) => {
    if (status !== undefined) speed.set(String(status.speed));
  });
  return h(
    "div",
    { class: "stack" },
    h(
      "div",
      { class: "buttons" },
      play,
      other,
      button("crowd-step", "One step", { icon: "step", key: "." }, () => ask({ do: "step" })),
      button("crowd-reset", "Back to the beginning", { icon: "reset" }, () => ask({ do: "reset" })),
    ),
    speed.row,
  );
}

/** Rows stay while their population does: a slider that is held must not be taken away. */
function drawPopulations(app: App, list: HTMLElement, rows: Map<number, PopulationRow>, populations: Population[]): void {
  const kept = (index: number): boolean => rows.get(index)?.removed() === false;
  const there = populations.filter(({ count, index }) => (count ?? 1) > 0 || kept(index));
  for (const population of there) {
    const { index } = population;
    const row = rows.get(index) ?? populationRow(app, population);
    rows.set(index, row);
    row.show(population);
  }
  for (const [index, { name }] of rows) {
    if (!there.some((population) => population.index === index && population.name === name)) rows.delete(index);
  }
  const wanted = [...rows.values()].map(({ element }) => element);
  if (wanted.length !== list.children.length || wanted.some((row, i) => row !== list.children[i])) list.replaceChildren(...wanted);
}

interface PopulationRow {
  element: HTMLElement;
  name: string | undefined;
  show: (population: Population) => void;
  removed: () => boolean;
}

function populationRow(app: App, population: Population): PopulationRow {
  const { index, name } = population;
  let held = 0;
  let removed = false;
  const ask = (fields: Record<string, unknown>): void => {
    app.source
      .ask<Status>("population", { index, ...fields })
      .then(({ ok }) => app.store.status.set(ok))
      .catch(app.complain);
  };
  const speed = slider(
    `population-speed-${index}`,
    "Speed",
    { min: 0.2, max: 4, step: 0.1, value: population.speed ?? 1.2, unit: "m/s" },
    (value) => {
      held = performance.now();
      ask({ do: "change", speed: value });
    },
  );
  const count = h("span", { class: "count" });
  const element = h(
    "li",
    { "data-testid": `population-${index}` },
    h("i", { class: "swatch", style: `background:${POPULATIONS[index % POPULATIONS.length]}` }),
    h("span", { class: "name" }, name ?? `Population ${index + 1}`),
    count,
    button(`population-remove-${index}`, "Remove", { icon: "trash", look: "quiet" }, () => {
      removed = true;
      ask({ do: "remove" });
    }),
    speed.row,
  );
  const show = ({ count: people, speed: wanted }: Population): void => {
    count.textContent = people?.toLocaleString("en") ?? "";
    element.classList.toggle("gone", people === 0);
    // What the hand has just set is not pulled back by a status that was on its way.
    if (wanted != null && performance.now() - held > 1000) speed.set(wanted);
  };
  return { element, name, show, removed: () => removed };
}

const THEN = [
  { value: "repeat", text: "Go on" },
  { value: "stay", text: "Stay" },
  { value: "exit", text: "Leave" },
] as const;

/** The form that adds a population. */
function addPart(app: App): HTMLElement {
  const count = field("add-count", "Count", { type: "number", min: 1, max: 100000, value: 500, step: 1 });
  const radius = slider("add-radius", "Radius", { min: 0.1, max: 1, step: 0.01, value: 0.25, unit: "m" }, () => undefined);
  const speed = slider("add-speed", "Speed", { min: 0.2, max: 4, step: 0.1, value: 1.2, unit: "m/s" }, () => undefined);
  const behaviour = choice(
    "add-behaviour",
    "Behaviour",
    [
      { value: "goals", text: "Goals" },
      { value: "wander", text: "Wander" },
    ],
    "goals",
    () => undefined,
  );
  const from = select("add-area", "From", []);
  const then = choice("add-then", "Afterwards", THEN, "repeat", () => undefined);
  const thenRow = h("div", { class: "field" }, h("span", { class: "name" }, "When they are there"), then.row);
  const to = select("add-goal", "To", [], (goal) => {
    thenRow.hidden = goal === "";
    const area = app.store.document.value?.areas.find(({ name }) => name === goal);
    then.set(area?.role === "exit" ? "exit" : "repeat");
  });
  thenRow.hidden = true;
  const weights = new Map<string, number>();
  const preferences = h("div", { class: "stack" });
  app.store.document.watch((document) => {
    const areas = (document?.areas ?? []).map(({ name }) => ({ value: name, text: name }));
    from.fill([{ value: "", text: "anywhere" }, ...areas]);
    to.fill([{ value: "", text: "random goals" }, ...areas]);
    from.row.hidden = to.row.hidden = areas.length === 0;
    thenRow.hidden = to.input.value === "";
    if (document !== undefined) preferences.replaceChildren(...preferenceRows("add-weight", document, weights, () => undefined));
  });
  const add = (): void => {
    const fields: Record<string, unknown> = {
      do: "add",
      count: Math.max(1, Math.round(Number(count.input.value))),
      radius: radius.get(),
      speed: speed.get(),
      behaviour: behaviour.get(),
    };
    if (from.input.value !== "") fields.area = from.input.value;
    if (to.input.value !== "") Object.assign(fields, { goal: to.input.value, then: then.get() });
    if (weights.size > 0) Object.assign(fields, { preferences: Object.fromEntries(weights), follow: "miran" });
    app.source
      .ask<Status>("population", fields)
      .then(({ ok }) => app.store.status.set(ok))
      .catch(app.complain);
  };
  return h(
    "details",
    { class: "add", open: true },
    h("summary", {}, "Add people"),
    count.row,
    radius.row,
    speed.row,
    behaviour.row,
    from.row,
    to.row,
    thenRow,
    preferences,
    button("add-population", "Add people", { icon: "plus", text: "Add", look: "main" }, add),
  );
}

/** Obstacles are dropped by a click and dragged about; a click on one removes it when asked. */
function obstaclePart(app: App, obstacles: Obstacles) {
  let armed = false;
  let held = -1;
  let sent = 0;
  const radius = slider("obstacle-radius", "Radius", { min: 0.2, max: 5, step: 0.1, value: 0.8, unit: "m" }, () => undefined);
  const remove = button("obstacle-remove", "Remove all obstacles", { icon: "trash", text: "Remove all" }, () => {
    for (const id of obstacles.ids) app.source.ask("obstacle", { do: "remove", id }).catch(app.complain);
  });
  const arm = (on: boolean): void => {
    armed = on;
    button_.setAttribute("aria-pressed", String(on));
    app.stage.canvas.style.cursor = on ? "copy" : "";
  };
  const button_ = button("obstacle-drop", "Drop an obstacle", { icon: "cone", text: "Drop" }, () => arm(!armed));
  const put = (fields: Record<string, unknown>): void => {
    app.source.ask("obstacle", fields).catch(app.complain);
  };
  return {
    element: h(
      "div",
      { class: "stack" },
      h("p", { class: "hint" }, "Drop a disc into the crowd and drag it: everybody walks around it."),
      radius.row,
      h("div", { class: "buttons" }, button_, remove),
    ),
    armed: () => armed,
    disarm: () => arm(false),
    picked: (at: Point) => obstacles.at(at, app.stage.resolution() * 4) >= 0,
    add: (at: Point) => {
      put({ do: "add", at, radius: radius.get() });
      arm(false);
    },
    down: (at: Point): boolean => {
      held = armed ? -1 : obstacles.at(at, app.stage.resolution() * 4);
      return held >= 0;
    },
    drag: (at: Point, done: boolean): void => {
      if (held < 0) return;
      obstacles.move(held, at);
      app.stage.invalidate();
      const now = performance.now();
      if (done || now - sent > 40) {
        sent = now;
        put({ do: "move", id: held, at });
      }
      if (done) held = -1;
    },
  };
}
