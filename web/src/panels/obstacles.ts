/** Dynamic obstacles that users add to the crowd and drag. */
import type { App } from "../app";
import { button, h, slider } from "../dom";
import type { Obstacles } from "../scene/obstacles";
import type { ObstacleFields } from "../protocol";
import type { Point } from "../store";

/** A click adds an obstacle; dragging moves it. */
export function obstacleControls(app: App, obstacles: Obstacles) {
  let armed = false;
  let held = -1;
  let sent = 0;
  const radius = slider("obstacle-radius", "Radius", { min: 0.2, max: 5, step: 0.1, value: 0.8, unit: "m" }, () => undefined);
  const remove = button("obstacle-remove", "Remove all obstacles", { icon: "trash", text: "Remove all" }, () => {
    for (const id of obstacles.ids) app.source.request("obstacle", { do: "remove", id }).catch(app.complain);
  });
  const arm = (on: boolean): void => {
    armed = on;
    drop.setAttribute("aria-pressed", String(on));
    app.stage.canvas.style.cursor = on ? "copy" : "";
  };
  const drop = button("obstacle-drop", "Drop an obstacle", { icon: "cone", text: "Drop" }, () => arm(!armed));
  const put = (fields: ObstacleFields): void => {
    const { building, store } = app;
    const floor = building.isShown && fields.at != null ? building.nameAt(fields.at, store.floor.value) : undefined;
    app.source.request("obstacle", floor === undefined ? fields : { ...fields, floor }).catch(app.complain);
  };
  return {
    element: h(
      "div",
      { class: "stack" },
      h("p", { class: "hint" }, "Drop a disc into the crowd and drag it: characters walk around it."),
      radius.row,
      h("div", { class: "buttons" }, drop, remove),
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
      app.stage.refresh();
      const now = performance.now();
      if (done || now - sent > 40) {
        sent = now;
        put({ do: "move", id: held, at });
      }
      if (done) held = -1;
    },
  };
}
