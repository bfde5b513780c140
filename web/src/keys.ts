/** Keyboard shortcuts for frequent actions. */
import type { App } from "./app";

export function keys(app: App): void {
  const { store, stage } = app;
  const crowd = (what: "start" | "pause" | "step"): void => {
    app.source
      .request("crowd", { do: what })
      .then(app.showStatus)
      .catch(app.complain);
  };
  const zoom = (factor: number): void => stage.zoom(factor, stage.canvas.clientWidth / 2, stage.canvas.clientHeight / 2);
  const pan = (dx: number, dy: number): void => stage.pan(dx * 60 * stage.metresPerPixel, dy * 60 * stage.metresPerPixel);
  const play = (): void => {
    if (store.document.value?.what === "recording") app.togglePlay();
    else crowd(store.status.value?.running === true ? "pause" : "start");
  };
  /** Show the next floor above or below. */
  const changeFloor = (by: number): void => {
    const heights = (store.document.value?.floors ?? []).map(({ elevation }, i) => ({ i, elevation }));
    const order = heights.sort((a, b) => a.elevation - b.elevation || a.i - b.i).map(({ i }) => i);
    const next = order[order.indexOf(store.floor.value) + by] as number | undefined;
    if (next !== undefined) store.floor.set(next);
  };
  const actions: Record<string, () => void> = {
    "1": () => store.view.set("map"),
    "2": () => store.view.set("3d"),
    "3": () => store.view.set("walk"),
    f: () => app.fit(),
    t: () => store.theme.set(store.theme.value === "light" ? "dark" : "light"),
    "+": () => zoom(0.8),
    "=": () => zoom(0.8),
    "-": () => zoom(1.25),
    ".": () => crowd("step"),
    "?": () => app.showHelp(),
    " ": play,
    PageUp: () => changeFloor(1),
    PageDown: () => changeFloor(-1),
    ArrowLeft: () => pan(-1, 0),
    ArrowRight: () => pan(1, 0),
    ArrowUp: () => pan(0, 1),
    ArrowDown: () => pan(0, -1),
    Escape: () => store.selected.set(-1),
  };
  /** A control that was clicked keeps the focus; Space is for the crowd until Tab moves the focus. */
  let clicked: Element | null = null;
  window.addEventListener("pointerdown", ({ target }) => (clicked = (target as Element).closest("button, summary, input, select")), true);
  window.addEventListener("focusin", ({ target }) => target !== clicked && (clicked = null));
  window.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (document.querySelector("dialog[open]") !== null) return;
    // Space is no part of a number; a list that was clicked has its choice.
    const isSpace = event.key === " ";
    const typing = target.matches(isSpace ? "input, textarea" : "input, select, textarea") && !target.matches(`[type=range],[type=checkbox]${isSpace ? ",[type=number]" : ""}`);
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !typing) {
      event.preventDefault();
      (event.shiftKey ? app.redo : app.undo)();
      return;
    }
    const takesSpace = target.matches("button, summary, select, [type=checkbox]") && target !== clicked;
    const onControl = isSpace ? takesSpace : target.matches("button, input, summary") && event.key.startsWith("Arrow");
    if (typing || onControl || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = actions[event.key] as (() => void) | undefined;
    if (action === undefined) return;
    event.preventDefault();
    if (isSpace) target.blur();
    action();
  });
}
