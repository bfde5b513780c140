/** Names of areas and of links between floors, on the map and in 3D; of names that would overlap only the larger area's is shown. */
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
  let isLink: boolean[] = [];
  let sizes: { width: number; height: number }[] = [];
  const show = (): void => {
    const isMap = app.store.view.value !== "walk";
    const areas = app.store.layers.areas.value;
    const places = marks.map((mark, i) => (isMap && (areas || isLink[i]) ? mark.pixel : undefined));
    const free = apart(places.map((at, i) => ({ at, ...sizes[i] })));
    marks.forEach((mark, i) => mark.element.classList.toggle("off", !free[i]));
  };
  const write = (): void => {
    for (const mark of marks) mark.remove();
    const areas = [...app.ground.areaNames].sort((a, b) => b.size - a.size).map((area) => ({ ...area, z: undefined }));
    const links = app.building.labels;
    marks = [...links, ...areas].map(({ name, at, z }, i) => {
      const testid = i < links.length ? `link-${i}` : `area-${i - links.length}`;
      const mark = new Mark(app.stage, app.marks, { testid, name, text: name, kind: i < links.length ? "label area link" : "label area" });
      mark.move(at, z);
      return mark;
    });
    isLink = marks.map((_, i) => i < links.length);
    sizes = marks.map(({ element }) => ({ width: element.offsetWidth, height: element.offsetHeight }));
    show();
  };
  app.groundShown.push(write);
  app.floorsMoved.push(() => app.building.isShown && write());
  app.stage.moved.push(show);
  app.store.layers.areas.watch(show);
  app.store.view.watch(show);
}
