/** Names of areas on the map and in 3D. */
import type { App } from "../app";
import { Mark } from "./marks";

export function areaLabels(app: App): void {
  let marks: Mark[] = [];
  const show = (): void => {
    const on = app.store.layers.areas.value && app.store.view.value !== "walk";
    for (const mark of marks) mark.element.classList.toggle("off", !on);
  };
  app.groundShown.push(() => {
    for (const mark of marks) mark.remove();
    marks = app.ground.areaNames.map(({ name, at }, i) => {
      const mark = new Mark(app.stage, app.marks, { testid: `area-${i}`, name, text: name, kind: "label area" });
      mark.move(at);
      return mark;
    });
    show();
  });
  app.store.layers.areas.watch(show);
  app.store.view.watch(show);
}
