/** The page that `footway export RUN -o run.html` writes: a recording, offline. */
import "./look.css";
import { App } from "./app";
import { frameOfPage } from "./frame";
import { keys } from "./keys";
import { layersPanel } from "./panels/layers";
import { ReplayPanel } from "./panels/replay";
import { embedded } from "./recording";
import { areaLabels } from "./scene/labels";
import { LAYERS } from "./store";

const root = document.getElementById("studio") as HTMLElement;

async function play(): Promise<void> {
  const text = document.getElementById("footway-recording")?.textContent;
  if (text == null) throw new Error("there is no recording in this page: footway export RUN -o run.html writes one");
  const app = new App(await embedded(text), root);
  const replay = new ReplayPanel(app);
  frameOfPage(app, { layers: layersPanel(app, false) }, replay.bar, false);
  areaLabels(app);
  keys(app);
  const { store, stage, crowd } = app;
  store.online.set(true);
  store.theme.watch((theme) => crowd.setTheme(theme));
  stage.moved.push(() => crowd.look(stage.sight));
  await app.hello();
  document.title = `${store.document.value?.name ?? ""} · Footway`;
  const state = (): unknown => ({
    document: store.document.value,
    view: store.view.value,
    layers: LAYERS.filter((name) => store.layers[name].value),
    characters: crowd.count,
    replay: replay.state(),
    fps: stage.fps,
    pictures: stage.pictures,
  });
  Object.assign(window, { footway: { ready: true, state, app } });
}

play().catch((trouble: unknown) => {
  root.textContent = trouble instanceof Error ? trouble.message : String(trouble);
});
