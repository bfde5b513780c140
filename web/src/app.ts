/** Everything that panels share: the state, the source, the scene. */
import { button, h } from "./dom";
import { closedNow } from "./panels/links";
import { ask } from "./question";
import { BuildingScene } from "./scene/building";
import { CrowdScene } from "./scene/crowd";
import { LiveClock } from "./scene/clock";
import { Density } from "./scene/density";
import { Ground } from "./scene/ground";
import { floorGround } from "./scene/sheets";
import { Input, type Tool } from "./scene/input";
import { Obstacles } from "./scene/obstacles";
import { Stage } from "./scene/stage";
import { Trails } from "./scene/trails";
import { Store, type Document } from "./store";
import { Refusal, notify, type Reply, type Source } from "./wire";

/** Content of the side panel for one tab, and its pointer tool. */
export interface Panel {
  element: HTMLElement;
  tool: Tool;
  enter?: () => void;
  leave?: () => void;
}

/** Notices that are shown at once. */
const MOST_NOTICES = 3;

export class App {
  readonly store = new Store();
  readonly source: Source;
  readonly stage: Stage;
  readonly input: Input;
  readonly root: HTMLElement;
  readonly marks: HTMLElement;
  readonly ground = new Ground();
  readonly building = new BuildingScene();
  /** Called when another floor is shown, or the floors are stacked in another way. */
  readonly floorsMoved: (() => void)[] = [];
  readonly crowd = new CrowdScene();
  readonly clock = new LiveClock(this.crowd);
  readonly density = new Density();
  readonly trails = new Trails();
  /** Called when a ground is drawn, with its bounds and whether another map was opened. */
  readonly groundShown: ((shown: { bounds: Document["bounds"]; fresh: boolean }) => void)[] = [];
  readonly obstacles = new Obstacles();
  /** Colour scales of what is drawn, beside the map; the panel of layers has all legends. */
  readonly scales = h("div", { class: "scales", "aria-hidden": "true" });
  /** Set by the panels that provide them. */
  undo: () => void = () => undefined;
  redo: () => void = () => undefined;
  togglePlay: () => void = () => undefined;
  layersChanged: () => void = () => undefined;
  showHelp: () => void = () => undefined;
  roadmapEdits: () => number = () => 0;
  /** A URL of the server, with the token if there is one. */
  address: (path: string) => string = (path) => path;
  private readonly toasts: HTMLElement;
  private shown: Reply<"ground"> | undefined;
  private last = { text: "", at: 0 };
  /** Number of documents that this page is opening. */
  private opening = 0;
  /** Newest version of the document on this connection: late replies have an older one. */
  private newest = -1;
  /** The newest status; its document may not be shown yet. */
  private status: Pick<Reply<"crowd">, "ok" | "version"> | undefined;
  private server: string | undefined;
  /** A document that is not drawn yet was opened, and needs another view. */
  private isFresh = false;
  private isMoved = false;

  constructor(source: Source, box: HTMLElement) {
    this.source = source;
    const label = "Map: arrows move it, plus and minus zoom, F shows all of it";
    const canvas = h("canvas", { class: "stage", "data-testid": "stage", tabindex: 0, role: "application", "aria-label": label });
    this.root = box;
    this.marks = h("div", { class: "marks" });
    this.toasts = h("div", { class: "toasts", role: "status", "aria-live": "polite", "data-testid": "toasts" });
    box.replaceChildren(h("main", {}, canvas, this.marks), this.toasts);
    this.stage = new Stage(canvas);
    this.input = new Input(this.stage);
    this.store.floor.watch(() => this.showFloor());
    this.store.view.watch(() => this.arrangeFloors());
    this.store.document.watch(() => this.showClosed());
    this.store.status.watch(() => this.showClosed());
    const { scene } = this.stage;
    scene.add(this.ground.root, this.building.root, this.density.mesh, this.trails.lines, this.crowd.root, this.obstacles.root);
  }

  /** Show one line for a few seconds, a notice until it is closed; the same line is not shown twice at once. */
  toast(text: string, kind: "info" | "notice" | "error" = "info"): void {
    const now = performance.now();
    if (text === this.last.text && now - this.last.at < 3000) return;
    this.last = { text, at: now };
    const line = h("div", { class: `toast ${kind}`, "data-testid": "toast" }, h("span", {}, text));
    this.toasts.append(line);
    if (kind === "notice") {
      line.append(button("toast-close", "Close the notice", { icon: "close" }, () => line.remove()));
      [...this.toasts.querySelectorAll(".notice")].slice(0, -MOST_NOTICES).forEach((old) => old.remove());
    } else setTimeout(() => line.remove(), kind === "info" ? 3500 : 7000);
  }

  /** Show an error; a lost connection is reported elsewhere. */
  complain = (trouble: unknown): void => {
    if (trouble instanceof Refusal && trouble.kind === "offline") return;
    this.toast(trouble instanceof Error ? trouble.message : String(trouble), "error");
  };

  /** Request the open document and show it, on a new connection. */
  async hello(): Promise<void> {
    this.newest = -1; // a restarted server counts anew
    const { ok } = await this.source.request("hello", {});
    const isSame = ok.server === this.server;
    if (this.server !== undefined && !isSame) this.restarted(ok.document);
    this.server = ok.server;
    // Once: another connection must not reset the form.
    if (this.store.properties.value.length === 0) this.store.properties.set(ok.properties);
    this.store.models.set(ok.models);
    this.store.compiling.set(ok.compiling ?? undefined);
    if (ok.crowd !== null) this.showStatus({ ok: ok.crowd, version: ok.document.version });
    if (isSame && this.store.document.value?.version === ok.document.version) this.newest = ok.document.version;
    else await this.open(ok.document);
  }

  /** Another server runs: the crowd is gone, and edits are in their file. */
  private restarted(document: Document): void {
    const { edits, crowd } = this.changes();
    const lost = crowd.length === 0 ? "" : `, without ${crowd.join(" and ")}`;
    const kept = edits.length === 0 || document.recent.length === 0 ? "" : "; the edited map is in the list of maps, under Recent";
    this.clock.clear();
    this.toast(`The server was started again${lost}${kept}`, "notice");
  }

  /** Show the status of the crowd, unless it is that of another document. */
  showStatus = (status: Pick<Reply<"crowd">, "ok" | "version">): void => {
    this.status = status;
    if (status.version === this.store.document.value?.version) this.store.status.set(status.ok);
  };

  /** Show a document that was opened or changed; the event may come twice. */
  opened = (document: Document): void => {
    const before = this.store.document.value;
    if (before !== undefined && isOther(before, document) && document.version > this.newest && this.opening === 0) {
      const isKept = document.recent.some(({ name }) => name === before.name);
      const again = before.name === document.name ? " again" : "";
      this.toast(`Another tab opened ${document.name}${again}${isKept ? `; ${before.name} is in the list of maps, under Recent` : ""}`, "notice");
    }
    this.open(document).catch(this.complain);
  };

  /** Open a document by `work`, after a question if the present one has edits or people. */
  async replace(name: string, work: () => Promise<Document | undefined>): Promise<boolean> {
    if (!(await this.mayLeave(name))) return false;
    this.opening += 1;
    try {
      const made = await work();
      if (made === undefined) return false;
      this.toasts.querySelectorAll(".notice").forEach((old) => old.remove());
      await this.open(made);
      return true;
    } catch (trouble) {
      this.complain(trouble);
      return false;
    } finally {
      this.opening -= 1;
    }
  }

  /** What the open document has that its file has not: its edits, and its crowd, e.g. ["1 edit"], ["30 people"]. */
  private changes(): { edits: string[]; crowd: string[] } {
    const { document, status } = this.store;
    const counted = (count: number, one: string, many: string): string[] =>
      count === 0 ? [] : [count === 1 ? `1 ${one}` : `${count.toLocaleString("en")} ${many}`];
    const people = counted(status.value?.characters ?? 0, "person", "people");
    const obstacles = counted(this.obstacles.ids.length, "obstacle", "obstacles");
    return {
      edits: counted((document.value?.undo ?? 0) + this.roadmapEdits(), "edit", "edits"),
      crowd: status.value?.touched === true ? [...people, ...obstacles] : [],
    };
  }

  private async mayLeave(name: string): Promise<boolean> {
    const { document } = this.store;
    const { edits, crowd } = this.changes();
    if (edits.length + crowd.length === 0) return true;
    const what = [...edits, ...crowd].join(", ").replace(/, ([^,]*)$/, " and $1");
    const text = `${document.value?.name ?? "The map"} has ${what}. It stays in the list of maps, under Recent, until the server ends; edited maps are also saved on disk.`;
    return ask(this.root, `Open ${name}?`, text, "Open");
  }

  /** Version of the document that is drawn. */
  get drawn(): number | undefined {
    return this.shown?.version;
  }

  fit(): void {
    const { value } = this.store.document;
    if (value !== undefined) this.stage.fit(value.bounds, this.building.heights);
  }

  /** Draw the ground again, in the colours of the theme. */
  repaint(): void {
    const { value } = this.store.document;
    if (value !== undefined && this.shown !== undefined) this.draw(value, this.shown);
  }

  /** Draw the plan of the floor that is chosen. */
  private showFloor(): void {
    const { document, floor, view } = this.store;
    if (document.value === undefined || this.shown === undefined || !this.building.isShown) return;
    this.ground.show(floorGround(this.shown, floor.value), document.value.bounds, document.value.kinds, view.value);
    this.arrangeFloors();
    notify(this.groundShown, { bounds: document.value.bounds, fresh: false });
  }

  /** Put all floors where the view shows them; the pointer is on the one that is chosen. */
  arrangeFloors(): void {
    const { building, ground, stage, store } = this;
    building.arrange(store.view.value, store.floor.value);
    const height = building.heightOn(building.sheetOf(store.floor.value), [0, 0]);
    stage.level = height;
    ground.root.position.z = building.isShown ? height + 0.02 : 0; // areas are above the floor
    const sheet = building.isShown ? building.sheetOf(store.floor.value) : undefined;
    for (const moving of [this.crowd, this.trails]) moving.setLevels(building.levels);
    this.obstacles.arrange({ present: building.levels.present, heightOn: (on, at) => building.heightOn(on, at) });
    this.density.show(sheet, height);
    notify(this.floorsMoved, undefined);
    stage.cameraMoved();
  }

  /** Draw the links that are closed now. */
  private showClosed(): void {
    const { document, status } = this.store;
    if (this.building.close(closedNow(document.value, status.value))) this.arrangeFloors();
  }

  /** Number of people on each floor of a building, by name, where there are any. */
  peopleOnFloors(): Record<string, number> {
    const { building, crowd, store } = this;
    const counts = crowd.counts(building.sheets.length);
    const floors = store.document.value?.floors ?? [];
    return Object.fromEntries(floors.flatMap(({ name }, k) => (counts[building.sheetOf(k)] > 0 ? [[name, counts[building.sheetOf(k)]]] : [])));
  }

  private async open(document: Document): Promise<void> {
    if (document.version <= this.newest) return;
    this.newest = document.version;
    const before = this.store.document.value;
    const isFresh = before === undefined || isOther(before, document);
    this.isFresh ||= isFresh;
    this.isMoved ||= isFresh && (before?.name !== document.name || String(before.bounds) !== String(document.bounds));
    if (isFresh && before !== undefined) {
      this.clock.clear();
      this.trails.clear();
      this.density.clear();
      this.obstacles.show(new Float32Array(0));
      this.store.selected.set(-1);
    }
    const floor = document.floors.findIndex(({ name }) => name === this.store.floorName);
    this.store.document.set(document);
    this.shown = undefined;
    this.store.floor.set(isFresh || floor < 0 ? groundFloor(document) : floor);
    if (this.status !== undefined) this.showStatus(this.status);
    const reply = await this.source.request("ground", {});
    if (reply.version !== this.store.document.value?.version) return; // the next document is on its way
    this.shown = reply;
    this.draw(document, reply);
    if (this.isMoved) this.fit();
    notify(this.groundShown, { bounds: document.bounds, fresh: this.isFresh });
    this.isFresh = this.isMoved = false;
  }

  private draw(document: Document, reply: Reply<"ground">): void {
    const { theme, floor } = this.store;
    this.stage.setTheme(theme.value);
    this.ground.setTheme(theme.value);
    this.building.show(reply, document, theme.value);
    const shown = document.floors.length === 0 ? reply : floorGround(reply, floor.value);
    this.ground.show(shown, document.bounds, document.kinds, this.store.view.value);
    this.arrangeFloors();
    this.density.fit(document.bounds);
    this.stage.shadowsMoved();
  }
}

/** The floor at the height nearest to zero; -1 on a plan. */
function groundFloor({ floors }: Document): number {
  const heights = floors.map(({ elevation }) => Math.abs(elevation));
  return heights.indexOf(Math.min(...heights));
}

/** Whether a document was opened instead of another, which may have the same name; edits do not count. */
function isOther(before: Document, after: Document): boolean {
  return before.name !== after.name || before.what !== after.what || before.opened !== after.opened;
}
