/** Names of areas on the map and in 3D; of names that would overlap only the larger area's is shown. */
import type { App } from "../app";
import type { Point } from "../store";
import { Mark } from "./marks";

/** Width and height of a name on the screen, pixels. */
export interface Label {
  at: Point | undefined;
  width: number;
  height: number;
}

/** Which labels can be shown without overlap; earlier ones take precedence. */
export function apart(labels: readonly Label[]): boolean[] {
  const shown: { at: Point; width: number; height: number }[] = [];
  return labels.map(({ at, width, height }) => {
    if (at === undefined) return false;
    const free = shown.every(
      (other) =>
        Math.abs(at[0] - other.at[0]) > (width + other.width) / 2 || Math.abs(at[1] - other.at[1]) > (height + other.height) / 2,
    );
    if (free) shown.push({ at, width, height });
    return free;
  });
}

export function areaLabels(app: App): void {
  let marks: Mark[] = [];
  let sizes: { width: number; height: number }[] = [];
  const show = (): void => {
    const on = app.store.layers.areas.value && app.store.view.value !== "walk";
    const places = marks.map(({ at }) => (at === undefined ? undefined : app.stage.pixelAt(at[0], at[1])));
    const free = apart(places.map((at, i) => ({ at, ...sizes[i] })));
    marks.forEach((mark, i) => mark.element.classList.toggle("off", !on || !free[i]));
  };
  app.groundShown.push(() => {
    for (const mark of marks) mark.remove();
    const areas = [...app.ground.areaNames].sort((a, b) => b.size - a.size);
    marks = areas.map(({ name, at }, i) => {
      const mark = new Mark(app.stage, app.marks, { testid: `area-${i}`, name, text: name, kind: "label area" });
      mark.move(at);
      return mark;
    });
    sizes = marks.map(({ element }) => ({ width: element.offsetWidth, height: element.offsetHeight }));
    show();
  });
  app.stage.moved.push(show);
  app.store.layers.areas.watch(show);
  app.store.view.watch(show);
}
