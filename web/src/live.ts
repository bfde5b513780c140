/** Events of the server: documents, frames and status of the crowd. */
import type { App } from "./app";
import { frame } from "./scene/crowd";
import type { Event } from "./wire";

export function live(app: App): void {
  const { source, store, clock, crowd, stage } = app;
  source.on("document", ({ ok }) => app.opened(ok));
  source.on("compiling", ({ ok }) => store.compiling.set(ok.what ?? undefined));
  source.on("status", app.showStatus);
  store.status.watch((status) => {
    if (status?.fault != null) app.toast(status.fault, "error");
  });
  /** The newest frame: its document may be shown later. */
  let last: Event<"frame"> | undefined;
  const take = (event: Event<"frame">): void => {
    const { value } = store.document;
    last = event;
    if (value === undefined || value.what === "recording" || event.version !== value.version) return;
    const newest = frame(event);
    clock.put(newest, performance.now() / 1000);
    if (store.layers.trails.value) app.trails.add(newest);
    const counted = store.layers.density.value && app.density.update(newest, performance.now() / 1000);
    if (counted) stage.invalidate();
    else stage.refresh();
  };
  source.on("frame", take);
  store.document.watch(() => last !== undefined && take(last));
  stage.tick((seconds) => {
    if (store.document.value?.what === "recording") return false;
    app.trails.setNow(clock.time);
    return clock.tick(seconds);
  });
  store.theme.watch((theme) => crowd.setTheme(theme));
  stage.moved.push(() => crowd.look(stage.sight));
  store.layers.density.watch((on) => {
    if (on && clock.newest !== undefined) app.density.update(clock.newest, performance.now() / 1000);
  });
}
