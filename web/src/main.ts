/** The studio's page: a source, a scene, a frame of controls around it, six panels. */
import "./look.css";
import { address } from "./address";
import { App } from "./app";
import { frameOfPage } from "./frame";
import { EditPanel } from "./panels/edit";
import { crowdPanel } from "./panels/crowd";
import { layersPanel } from "./panels/layers";
import { PathPanel } from "./panels/path";
import { ReplayPanel } from "./panels/replay";
import { walkPanel } from "./panels/walk";
import { keys } from "./keys";
import { live } from "./live";
import { LAYERS, type PanelName, type Point } from "./store";
import { areaLabels } from "./scene/labels";
import type { Walker } from "./scene/walker";
import { token } from "./token";
import { Wire } from "./wire";

declare global {
  interface Window {
    footway: { ready: boolean; state: () => unknown; app: App; minimap: (at: Point) => Point; walker: Walker };
  }
}

const secret = token();
const withToken = (path: string): string =>
  secret === "" ? path : `${path}${path.includes("?") ? "&" : "?"}token=${encodeURIComponent(secret)}`;
const socket = new URL(withToken("ws"), location.href);
socket.protocol = location.protocol === "https:" ? "wss:" : "ws:";
const wire = new Wire(socket.href);
const app = new App(wire, document.getElementById("studio") as HTMLElement);
app.address = withToken;

const path = new PathPanel(app);
const crowd = crowdPanel(app);
const walk = walkPanel(app);
const replay = new ReplayPanel(app);
const layers = layersPanel(app);
const edit = new EditPanel(app, layers.roadmaps);
const panels = { layers, path, crowd, walk, edit, replay };

frameOfPage(app, panels, replay.bar);
areaLabels(app);
live(app);
keys(app);
const showAddress = address(app, path.query);

wire.onstate = (online) => {
  app.store.online.set(online);
  if (!online) return;
  app
    .hello()
    .then(() => (window.footway.ready ? undefined : showAddress()))
    .then(() => (window.footway.ready = true))
    .catch(app.complain);
};

/** If the server refuses the socket, a plain HTTP request tells why. */
wire.onshut = () => {
  fetch(withToken("save"))
    .then(({ status }) => app.store.locked.set(status === 403))
    .catch(() => app.store.locked.set(false));
};

/** What the page shows, for tests. */
function state(): unknown {
  const { store, stage } = app;
  const on = LAYERS.filter((name) => store.layers[name].value);
  return {
    document: store.document.value,
    status: store.status.value,
    view: store.view.value,
    theme: store.theme.value,
    panel: store.panel.value satisfies PanelName,
    online: store.online.value,
    layers: on,
    characters: app.crowd.count,
    time: app.clock.time,
    fps: stage.fps,
    pictures: stage.pictures,
    level: stage.pace.level,
    fine: stage.fine,
    camera: { at: stage.camera.position.toArray(), metresPerPixel: stage.resolution() },
    drawn: app.drawn,
    path: path.state,
    radius: path.query.get().radius,
    floor: store.floorName,
    present: [...app.building.present],
    people: app.peopleOnFloors(),
    heights: app.building.heights,
    selected: store.selected.value,
    following: store.following.value,
    obstacles: Array.from(app.obstacles.discs),
    walk: walk.state(),
    replay: replay.state(),
    draft: edit.corners,
    roadmap: edit.roadmap.active?.facts,
    halo: crowd.character.halo,
    waiting: document.querySelectorAll("[data-testid=waiting] > *").length,
    trails: app.trails.pieces,
    density: app.density.peak,
  };
}

window.footway = { ready: false, state, app, minimap: (at) => walk.minimap.pixel(at), walker: walk.walker };
