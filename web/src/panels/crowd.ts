/** The crowd: start and stop, populations, one character, obstacles. */
import type { App, Panel } from "../app";
import { button, choice, facts, h, section, select } from "../dom";
import { LIMITS, type CrowdFields } from "../protocol";
import type { Point, Status } from "../store";
import { CharacterPart } from "./character";
import { populationForm } from "./add_population";
import { obstacleControls } from "./obstacles";
import { populationList } from "./populations";
import { recorder } from "./recorder";

export function crowdPanel(app: App): Panel & { character: CharacterPart } {
  const { obstacles } = app;
  app.source.on("obstacles", ({ arrays }) => {
    obstacles.show(arrays.discs, arrays.ids, arrays.sheets);
    app.stage.refresh();
  });
  const character = new CharacterPart(app);
  const drop = obstacleControls(app, obstacles);
  const box = facts("crowd-facts");
  app.store.status.watch((status) => status !== undefined && box.show(statusRows(status)));
  const live = h(
    "div",
    {},
    section("Crowd", transport(app), recorder(app), box.box),
    character.element,
    section("Populations", populationList(app), populationForm(app)),
    section("Obstacles", drop.element),
  );
  const reason = h("p", { class: "hint", "data-testid": "crowd-none" }, "A recording is open: use its timeline. Open a map or a scenario to run a crowd.");
  const none = section("Crowd", reason);
  app.store.document.watch((document) => {
    live.hidden = document?.what === "recording";
    none.hidden = !live.hidden;
    if (live.hidden) drop.disarm();
  });
  const element = h("div", {}, live, none);
  const tool = {
    down: (at: Point) => drop.down(at),
    drag: (at: Point, done: boolean) => drop.drag(at, done),
    click: (at: Point, event: PointerEvent) => {
      if (drop.armed()) return drop.add(at);
      if (drop.picked(at)) return undefined;
      const { stage, crowd } = app;
      const pixel = (x: number, y: number, z: number): Point | undefined => stage.pixelAt(x, y, z);
      app.store.selected.set(
        stage.view === "map"
          ? crowd.nearest(at[0], at[1], stage.resolution() * 8)
          : crowd.nearestOnScreen(event.offsetX, event.offsetY, pixel, 8),
      );
      return undefined;
    },
  };
  return { element, tool, leave: drop.disarm, character };
}

function statusRows(status: Status): [string, string][] {
  return [
    ["Time", `${status.time.toFixed(1)} s`],
    ["Characters", status.characters.toLocaleString("en")],
    ["Step", `${status.milliseconds_per_step.toFixed(1)} ms`],
    ["Arrivals", status.arrivals.toLocaleString("en")],
    ...(status.exited > 0 ? ([["Exited", status.exited.toLocaleString("en")]] as [string, string][]) : []),
    ...(status.stuck > 0 ? ([["Stuck", status.stuck.toLocaleString("en")]] as [string, string][]) : []),
  ];
}

/** Start, pause, step, reset, speed, and the local model. */
function transport(app: App): HTMLElement {
  const request = (fields: CrowdFields): Promise<void> => app.source.request("crowd", fields).then(app.showStatus).catch(app.complain);
  const look = { look: "main", key: "Space" } as const;
  const play = button("crowd-play", "Start", { ...look, icon: "play", text: "Start" }, () => request({ do: "start" }));
  const pause = button("crowd-pause", "Pause", { ...look, icon: "pause", text: "Pause" }, () => request({ do: "pause" }));
  const step = button("crowd-step", "One step", { icon: "step", key: "." }, () => request({ do: "step" }));
  const reset = button("crowd-reset", "Back to the beginning", { icon: "reset" }, () => request({ do: "reset" }));
  const { min, max } = LIMITS.crowd.speed;
  const speeds = [0.5, 1, 2, 4, 8, 16].filter((value) => value >= min && value <= max).map((value) => ({ value: String(value), text: `${value}×` }));
  const speed = choice("crowd-speed", "Speed", speeds, "1", (value) => {
    void request({ do: "faster", speed: Number(value) });
  });
  let shown: string | null | undefined;
  const model = select("crowd-model", "Model", [], (value) => {
    void request({ do: "model", model: value as CrowdFields["model"] }).then(showModel); // also if it was refused
  });
  model.row.title = "How characters avoid each other";
  const showModel = (): void => {
    const models = app.store.models.value;
    const used = app.store.status.value?.model;
    const entries = models.map(({ name, label }) => ({ value: name, text: label }));
    if (used === null) entries.push({ value: "", text: "Own parameters" });
    model.fill(entries);
    model.input.value = used ?? "";
    model.row.hidden = models.length === 0;
  };
  app.store.models.watch(showModel);
  app.store.status.watch((status) => {
    play.hidden = status?.running ?? false;
    pause.hidden = !play.hidden;
    if (status !== undefined) speed.set(String(status.speed));
    if (status?.model !== shown) showModel();
    shown = status?.model;
  });
  return h("div", { class: "stack" }, h("div", { class: "buttons" }, play, pause, step, reset), speed.row, model.row);
}
