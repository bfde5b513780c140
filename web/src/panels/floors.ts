/** The floors of a building: which one is shown, and how they are stacked in 3D. */
import type { App } from "../app";
import { choice, h, slider, toggle } from "../dom";
import type { Document } from "../store";

/** Height above the highest floor up to which the cut is set, m. */
const ABOVE = 3;

/** A card beside the map; it is hidden on a plan of one floor. */
export function floorSwitch(app: App): HTMLElement {
  const { store } = app;
  const list = h("div", { class: "floor-list" });
  const sliders = h("div", { class: "stack" });
  const more = h("details", { class: "stacking", "data-testid": "stacking" }, h("summary", {}, "Floors in 3D"), sliders);
  more.open = !matchMedia("(max-width: 760px)").matches;
  const card = h("div", { class: "card floors", "data-testid": "floors" }, list, more);
  card.hidden = true;
  let set: (name: string) => void = () => undefined;
  let count: () => void = () => undefined;
  let shown = "";
  store.document.watch((document) => {
    const key = JSON.stringify(document?.floors);
    if (document === undefined || key === shown) return;
    shown = key;
    card.hidden = document.floors.length === 0;
    if (card.hidden) return;
    const buttons = floorButtons(app, document);
    ({ set, count } = buttons);
    list.replaceChildren(buttons.row);
    sliders.replaceChildren(...stacking(app, document));
  });
  store.floor.watch((floor) => {
    const name = store.document.value?.floors[floor]?.name;
    if (name === undefined) return;
    set(name);
    list.querySelector("[aria-checked=true]")?.scrollIntoView({ block: "nearest" });
  });
  setInterval(() => card.hidden || count(), 500);
  store.view.watch((view) => (more.hidden = view !== "3d"));
  return card;
}

/** One button for each floor, the highest first, with its elevation and the number of people on it. */
function floorButtons(app: App, { floors }: Document): { row: HTMLElement; set: (name: string) => void; count: () => void } {
  const numbers = floors.map((_, i) => i).sort((a, b) => floors[b].elevation - floors[a].elevation || b - a);
  const options = numbers.map((i) => ({ value: floors[i].name, text: floors[i].name }));
  const present = floors[Math.max(0, app.store.floor.value)]?.name ?? floors[0].name;
  const counts = numbers.map(() => h("b", { class: "people", title: "People on this floor" }));
  const made = choice("floor", "Floor", options, present, (name) => app.store.floor.set(floors.findIndex((floor) => floor.name === name)));
  made.row.classList.add("upright");
  const digits = Math.max(...floors.map(({ elevation }) => `${Number(elevation.toFixed(2))}`.split(".")[1]?.length ?? 0));
  numbers.forEach((i, k) => {
    const height = h("small", {}, `${floors[i].elevation.toFixed(digits)} m`);
    made.row.children[k].append(height, counts[k]);
  });
  const count = (): void => {
    const people = app.peopleOnFloors();
    numbers.forEach((i, k) => (counts[k].textContent = people[floors[i].name]?.toLocaleString("en") ?? ""));
  };
  return { ...made, count };
}

/** How the floors are shown in 3D. */
function stacking(app: App, { floors }: Document): HTMLElement[] {
  const heights = floors.map(({ elevation }) => elevation);
  const [low, high] = [Math.min(...heights), Math.max(...heights) + ABOVE];
  const { building } = app;
  const change = (stack: Partial<typeof building.stack>): void => {
    const isWhole = app.stage.pose() === undefined;
    building.stack = { ...building.stack, ...stack };
    app.arrangeFloors();
    if (isWhole) app.fit();
  };
  building.stack = { apart: 1, cut: Infinity, faint: true };
  const apart = slider("floors-apart", "Pulled apart", { min: 1, max: 5, step: 0.1, value: 1, unit: "×" }, (value) => change({ apart: value }));
  const cut = slider("floors-cut", "Cut at", { min: low, max: high, step: 0.1, value: high, unit: "m" }, (value) =>
    change({ cut: value >= high - 0.05 ? Infinity : value }),
  );
  const faint = toggle("floors-faint", "Other floors faint", true, (on) => change({ faint: on }));
  return [apart.row, cut.row, faint.row];
}
