/** The keys of the page, on a card that "?" opens. */
import { button, h } from "./dom";

const KEYS: [string, string][] = [
  ["1  2  3", "Map, 3D, walk"],
  ["F", "Show the whole map"],
  ["+  −", "Zoom in and out"],
  ["Arrows", "Move the map, or the mark A or B that has the focus"],
  ["Page ↑ ↓", "The floor above or below, in a building"],
  ["Space", "Start and pause"],
  [".", "One step of the crowd"],
  ["T", "Light or dark"],
  ["Ctrl+Z", "Undo; with Shift: redo"],
  ["Enter", "Close the polygon that is drawn"],
  ["Esc", "Discard a drawing, deselect a character"],
  ["?", "Show these keys"],
];

const POINTER: [string, string][] = [
  ["Drag", "Move the map; turn in 3D; look around on the walk"],
  ["Wheel, pinch", "Zoom"],
  ["Right drag", "Move the map in 3D"],
  ["Shift+click", "On the small map: add a stop to the tour"],
];

export interface Help {
  element: HTMLDialogElement;
  open: () => void;
}

/** The card; Esc and a click beside it close it. */
export function help(): Help {
  const rows = (list: [string, string][]): HTMLElement =>
    h("dl", { class: "keys" }, ...list.flatMap(([key, text]) => [h("dt", {}, key), h("dd", {}, text)]));
  const close = button("help-close", "Close", { icon: "close", look: "quiet" }, () => element.close());
  const element: HTMLDialogElement = h(
    "dialog",
    { class: "card help", "data-testid": "help", "aria-label": "Keys and pointer" },
    h("div", { class: "head" }, h("h2", {}, "Keys and pointer"), close),
    rows(KEYS),
    rows(POINTER),
  );
  element.addEventListener("click", (event) => {
    if (event.target === element) element.close();
  });
  return { element, open: () => element.showModal() };
}
