/** What the server says unasked: documents, the crowd's frames and its status. */
import type { App } from "./app";
import { frame } from "./scene/crowd";
import type { Document, Status } from "./store";

export function live(app: App): void {
  const { source, store, clock, crowd, stage } = app;
  source.on("document", (facts) => app.opened(facts as unknown as Document));
  source.on("status", (facts) => store.status.set(facts as unknown as Status));
  store.status.watch((status) => {
    if (status?.fault != null) app.toast(status.fault, "error");
  });
  source.on("frame", (facts, arrays) => {
    if (store.document.value?.what === "recording") return;
    const newest = frame(facts, arrays);
    clock.put(newest, performance.now() / 1000);
    if (store.layers.trails.value) app.trails.add(newest);
    if (store.layers.density.value) app.density.update(newest, performance.now() / 1000);
    stage.invalidate();
  });
  stage.tick((seconds) => {
    if (store.document.value?.what === "recording") return false;
    app.trails.setNow(clock.time);
    return clock.tick(seconds);
  });
  store.view.watch((view) => crowd.setView(view));
  store.theme.watch((theme) => crowd.setTheme(theme));
  stage.moved.push(() => crowd.setPixel(stage.resolution(), stage.perPixel));
  store.layers.density.watch((on) => {
    if (on && clock.newest !== undefined) app.density.update(clock.newest, performance.now() / 1000);
  });
}
