/** Events of the server: documents, frames and status of the crowd. */
import type { App } from "./app";
import { frame } from "./scene/crowd";
import type { Document, Status } from "./store";

export function live(app: App): void {
  const { source, store, clock, crowd, stage } = app;
  source.on("document", (facts) => app.opened(facts as unknown as Document));
  source.on("compiling", ({ what }) => store.compiling.set((what as string | null) ?? undefined));
  source.on("status", (facts) => store.status.set(facts as unknown as Status));
  store.status.watch((status) => {
    if (status?.fault != null) app.toast(status.fault, "error");
  });
  source.on("frame", (facts, arrays) => {
    if (store.document.value?.what === "recording") return;
    const newest = frame(facts, arrays);
    clock.put(newest, performance.now() / 1000);
    if (store.layers.trails.value) app.trails.add(newest);
    const counted = store.layers.density.value && app.density.update(newest, performance.now() / 1000);
    if (counted) stage.invalidate();
    else stage.refresh();
  });
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
