/** The walk-through: click the small map, and the camera moves there. */
import type { App, Panel } from "../app";
import { button, facts, h, section, slider } from "../dom";
import { Minimap, type Stop } from "../scene/minimap";
import type { Bounds } from "../scene/cameras";
import { linkName, sheetAt, type Sheet } from "../scene/sheets";
import { firstView } from "../scene/first_view";
import { EYE, Walker } from "../scene/walker";
import { LIMITS, type WalkFields } from "../protocol";
import type { Point } from "../store";

export interface WalkState {
  at: Point;
  heading: number;
  moving: boolean;
  time: number;
  duration: number;
  stops: Point[];
  /** Height of the eye, m, and the floor or link that it is on in a building. */
  height: number;
  floor: string | undefined;
}

export function walkPanel(app: App): Panel & { state: () => WalkState; minimap: Minimap; walker: Walker } {
  const walker = new Walker();
  const minimap = new Minimap((to, chained) => (chained || chain.checked ? addStop(to) : go([stop(to)])));
  const stop = (at: Point): Stop => ({ at, floor: app.store.floorName });
  const corner = h("div", { class: "corner", "data-testid": "corner" }, minimap.canvas);
  app.root.append(corner);
  const known = facts("walk-facts");
  const chain = h("input", { type: "checkbox", role: "switch", "data-testid": "walk-chain" });
  const speed = slider("walk-speed", "Walking speed", { min: 0.5, max: LIMITS.walk.speed.max, step: 0.1, value: 1.6, unit: "m/s" }, () => undefined);
  const list = h("ol", { class: "stops", "data-testid": "walk-stops" });
  const drawStops = (): void => {
    list.replaceChildren(...minimap.stops.map(({ at, floor }) => h("li", {}, floor === undefined ? app.store.words(at) : `${app.store.words(at)}, floor ${floor}`)));
    redraw();
  };
  const addStop = (to: Point): void => {
    minimap.stops = [...minimap.stops, stop(to)];
    drawStops();
  };
  const go = (stops: Stop[]): void => {
    if (stops.length === 0) return app.toast("Click the small map to add stops first");
    const heading = walker.heading + walker.aside;
    const fields: WalkFields = { start: walker.at, heading, stops: stops.map(({ at }) => at), eye_height: EYE, speed: speed.get() };
    if (app.building.isShown) fields.floors = [placeName(app, walker), ...stops.map(({ floor }) => floor ?? "")];
    app.source
      .request("walk", fields)
      .then(({ arrays }) => {
        walker.fly(arrays.camera);
        app.store.view.set("walk");
        app.stage.invalidate();
      })
      .catch(app.complain);
    return undefined;
  };
  const redraw = (): void => {
    walker.aim(app.stage.walk);
    if (app.stage.view === "walk") minimap.draw(walker);
    app.stage.invalidate();
  };
  const element = panelElement(app, { walker, chain, speed: speed.row, list, known: known.box, go: () => go(minimap.stops) });
  element.querySelector("[data-testid=walk-clear]")?.addEventListener("click", () => {
    minimap.stops = [];
    drawStops();
  });
  connect(app, walker, minimap, corner, known.show);
  const state = (): WalkState => ({
    at: walker.at,
    heading: walker.heading + walker.aside,
    moving: walker.moving,
    time: walker.time,
    duration: walker.duration,
    stops: minimap.stops.map(({ at }) => at),
    height: walker.height,
    floor: app.building.isShown ? placeName(app, walker) : undefined,
  });
  const enter = (): void => app.store.view.set("walk");
  const leave = (): void => {
    if (app.store.view.value === "walk") app.store.view.set("map");
  };
  return { element, tool: {}, state, minimap, walker, enter, leave };
}

function panelElement(
  app: App,
  parts: { walker: Walker; chain: HTMLElement; speed: HTMLElement; list: HTMLElement; known: HTMLElement; go: () => void },
): HTMLElement {
  const hint = "Click the map in the corner to walk there. Drag the picture to look around at any time.";
  return h(
    "div",
    {},
    section("Walk-through", h("p", { class: "hint" }, hint), parts.speed, parts.known),
    section(
      "Tour",
      h("label", { class: "toggle" }, h("span", { class: "name" }, "Clicks add stops"), parts.chain),
      parts.list,
      h(
        "div",
        { class: "buttons" },
        button("walk-tour", "Walk the tour", { icon: "play", text: "Walk the tour", look: "main" }, parts.go),
        button("walk-clear", "Clear stops", { icon: "trash", text: "Clear stops" }, () => undefined),
        button("walk-stop", "Stop walking", { icon: "pause" }, () => {
          parts.walker.stop();
          app.stage.invalidate();
        }),
      ),
    ),
  );
}

/** Elevation of the floor that is shown, m. */
function levelOf({ building, store }: App): number {
  const sheet = building.sheetOf(store.floor.value);
  return sheet < 0 ? 0 : building.sheets[sheet].low;
}

/** The sheet below the walker; undefined outside of all. */
function sheetBelow({ building }: App, walker: Walker): Sheet | undefined {
  const found = sheetAt(building.sheets, walker.at, walker.height - EYE);
  return found === undefined ? undefined : building.sheets[found];
}

/** The floor below the walker; -1 on a link. */
function floorOf(app: App, walker: Walker): number {
  return sheetBelow(app, walker)?.floor ?? app.store.floor.value;
}

/** The floor or link from which a walk starts; of a lift the floor at which it is, because it has many cabins. */
function placeName(app: App, walker: Walker): string {
  const { floors = [], links = [] } = app.store.document.value ?? {};
  if (floors.length === 0) return ""; // a plan was opened, and is not drawn yet
  const sheet = sheetBelow(app, walker);
  const link = sheet === undefined || sheet.link < 0 ? undefined : links[sheet.link];
  const floor = sheet?.joined.map((k) => app.building.sheets[k].floor).find((k) => k >= 0);
  if (link?.kind === "lift" && floor !== undefined) return floors[floor].name;
  return link?.name ?? floors[sheet?.floor ?? app.store.floor.value].name;
}

/** Where the walker is, in words. */
function onWhat(app: App, walker: Walker): string {
  const { floors = [], links = [] } = app.store.document.value ?? {};
  const sheet = sheetBelow(app, walker);
  if (sheet === undefined || floors.length === 0) return "";
  return sheet.link < 0 ? `floor ${floors[sheet.floor].name}` : linkName(links[sheet.link]);
}

/** Keep camera, minimap and facts in step with the walker. */
function connect(
  app: App,
  walker: Walker,
  minimap: Minimap,
  corner: HTMLElement,
  show: (rows: [string, string][]) => void,
): void {
  const { building, ground, store } = app;
  /** Stand where there is most space, on the floor that is shown. */
  const begin = (bounds: Bounds): void => {
    const { at, heading } = firstView(ground.floors, bounds, ground.lines);
    walker.stand(at, heading, levelOf(app));
  };
  app.groundShown.push(({ bounds, fresh }) => {
    const links = [...building.present].map((k) => building.sheets[k]).filter(({ link }) => link >= 0);
    minimap.fit(bounds, ground.floors, ground.lines, links.flatMap(({ polygons }) => polygons));
    minimap.floor = store.floorName;
    minimap.level = building.isShown ? levelOf(app) : undefined;
    if (fresh) {
      minimap.stops = [];
      begin(bounds);
    }
    walker.aim(app.stage.walk);
    minimap.draw(walker);
  });
  app.store.theme.watch((theme) => {
    minimap.setTheme(theme);
    minimap.draw(walker);
  });
  app.store.view.watch((view) => {
    corner.hidden = view !== "walk";
    const { value: document } = store.document;
    const isElsewhere = building.isShown && !walker.moving && floorOf(app, walker) !== store.floor.value;
    if (view === "walk" && isElsewhere && document !== undefined) begin(document.bounds);
    walker.aim(app.stage.walk);
    minimap.draw(walker);
  });
  app.input.look = (dx, dy, done) => {
    walker.looking = !done;
    walker.look(dx * 0.0045, dy * 0.0035);
    walker.aim(app.stage.walk);
    minimap.draw(walker);
    app.stage.invalidate();
  };
  /** The floor on which the walker was last. */
  let here = -1;
  app.stage.tick((seconds) => {
    if (app.stage.view !== "walk") return false;
    const changed = walker.tick(seconds);
    if (!changed) return false;
    walker.aim(app.stage.walk);
    if (building.isShown) {
      const floor = floorOf(app, walker);
      if (floor >= 0 && floor !== here) store.floor.set(floor); // it has climbed
      here = floor >= 0 ? floor : here;
    }
    minimap.draw(walker);
    show([
      ["Position", app.store.words(walker.at)],
      ...(building.isShown ? [["On", onWhat(app, walker)] as [string, string]] : []),
      ["Walk", walker.moving ? `${walker.time.toFixed(1)} of ${walker.duration.toFixed(1)} s` : "arrived"],
    ]);
    app.stage.cameraMoved();
    return true;
  });
}
