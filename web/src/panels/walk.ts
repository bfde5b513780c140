/** The walk-through: click the small map, and the camera moves there. */
import type { App, Panel } from "../app";
import { button, facts, h, section, slider } from "../dom";
import { Minimap } from "../scene/minimap";
import { firstView } from "../scene/first_view";
import { EYE, Walker } from "../scene/walker";
import { LIMITS } from "../protocol";
import type { Point } from "../store";

export interface WalkState {
  at: Point;
  heading: number;
  moving: boolean;
  time: number;
  duration: number;
  stops: Point[];
}

export function walkPanel(app: App): Panel & { state: () => WalkState; minimap: Minimap } {
  const walker = new Walker();
  const minimap = new Minimap((to, chained) => (chained || chain.checked ? addStop(to) : go([to])));
  const corner = h("div", { class: "corner", "data-testid": "corner" }, minimap.canvas);
  app.root.append(corner);
  const known = facts("walk-facts");
  const chain = h("input", { type: "checkbox", role: "switch", "data-testid": "walk-chain" });
  const speed = slider("walk-speed", "Walking speed", { min: 0.5, max: LIMITS.walk.speed.max, step: 0.1, value: 1.6, unit: "m/s" }, () => undefined);
  const list = h("ol", { class: "stops", "data-testid": "walk-stops" });
  const drawStops = (): void => {
    list.replaceChildren(...minimap.stops.map((stop) => h("li", {}, app.store.words(stop))));
    redraw();
  };
  const addStop = (to: Point): void => {
    minimap.stops = [...minimap.stops, to];
    drawStops();
  };
  const go = (stops: Point[]): void => {
    if (stops.length === 0) return app.toast("Click the small map to add stops first");
    const heading = walker.heading + walker.aside;
    app.source
      .request("walk", { start: walker.at, heading, stops, eye_height: EYE, speed: speed.get() })
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
    stops: minimap.stops,
  });
  const enter = (): void => app.store.view.set("walk");
  const leave = (): void => {
    if (app.store.view.value === "walk") app.store.view.set("map");
  };
  return { element, tool: {}, state, minimap, enter, leave };
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

/** Keep camera, minimap and facts in step with the walker. */
function connect(
  app: App,
  walker: Walker,
  minimap: Minimap,
  corner: HTMLElement,
  show: (rows: [string, string][]) => void,
): void {
  app.groundShown.push(({ bounds, fresh }) => {
    minimap.fit(bounds, app.ground.floors);
    if (fresh) {
      minimap.stops = [];
      const { at, heading } = firstView(app.ground.floors, bounds);
      walker.stand(at, heading);
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
  app.stage.tick((seconds) => {
    if (app.stage.view !== "walk") return false;
    const changed = walker.tick(seconds);
    if (!changed) return false;
    walker.aim(app.stage.walk);
    minimap.draw(walker);
    show([
      ["Position", app.store.words(walker.at)],
      ["Walk", walker.moving ? `${walker.time.toFixed(1)} of ${walker.duration.toFixed(1)} s` : "arrived"],
    ]);
    app.stage.cameraMoved();
    return true;
  });
}
