/** Everything that panels share: the state, the source, the scene. */
import { h } from "./dom";
import { CrowdScene } from "./scene/crowd";
import { LiveClock } from "./scene/clock";
import { Density } from "./scene/density";
import { Ground, type GroundFacts } from "./scene/ground";
import { Input, type Tool } from "./scene/input";
import { Obstacles } from "./scene/obstacles";
import { Stage } from "./scene/stage";
import { Trails } from "./scene/trails";
import { Store, type Document, type Model, type Property, type Status } from "./store";
import { Refusal, type Reply, type Source } from "./wire";

/** Content of the side panel for one tab, and its pointer tool. */
export interface Panel {
  element: HTMLElement;
  tool: Tool;
  enter?: () => void;
  leave?: () => void;
}

export class App {
  readonly store = new Store();
  readonly source: Source;
  readonly stage: Stage;
  readonly input: Input;
  readonly marks: HTMLElement;
  readonly ground = new Ground();
  readonly crowd = new CrowdScene();
  readonly clock = new LiveClock(this.crowd);
  readonly density = new Density();
  readonly trails = new Trails();
  /** Called when a ground is drawn, with its bounds and whether another map was opened. */
  readonly groundShown: ((bounds: Document["bounds"], fresh: boolean) => void)[] = [];
  readonly obstacles = new Obstacles();
  /** Set by the panels that provide them. */
  undo: () => void = () => undefined;
  redo: () => void = () => undefined;
  togglePlay: () => void = () => undefined;
  showHelp: () => void = () => undefined;
  /** A URL of the server, with the token if there is one. */
  address: (path: string) => string = (path) => path;
  private readonly toasts: HTMLElement;
  private shown: Reply<GroundFacts> | undefined;
  private last = { text: "", at: 0 };

  constructor(source: Source, box: HTMLElement) {
    this.source = source;
    const canvas = h("canvas", { class: "stage", "data-testid": "stage", tabindex: 0, "aria-label": "Map" });
    this.marks = h("div", { class: "marks" });
    this.toasts = h("div", { class: "toasts", role: "status", "aria-live": "polite", "data-testid": "toasts" });
    box.append(canvas, this.marks, this.toasts);
    this.stage = new Stage(canvas);
    this.input = new Input(this.stage);
    const { scene } = this.stage;
    scene.add(this.ground.root, this.density.mesh, this.trails.lines, this.crowd.root, this.obstacles.root);
  }

  /** Show one line for a few seconds; the same line is not shown twice at once. */
  toast(text: string, kind: "info" | "error" = "info"): void {
    const now = performance.now();
    if (text === this.last.text && now - this.last.at < 3000) return;
    this.last = { text, at: now };
    const line = h("div", { class: `toast ${kind}`, "data-testid": "toast" }, text);
    this.toasts.append(line);
    setTimeout(() => line.remove(), kind === "error" ? 7000 : 3500);
  }

  /** Show an error; a lost connection is reported elsewhere. */
  complain = (trouble: unknown): void => {
    if (trouble instanceof Refusal && trouble.kind === "offline") return;
    this.toast(trouble instanceof Error ? trouble.message : String(trouble), "error");
  };

  /** Request the open document and show it. */
  async hello(): Promise<void> {
    interface Hello {
      document: Document;
      crowd: Status | null;
      compiling?: string | null;
      properties?: Property[];
      models?: Model[];
    }
    const { ok } = await this.source.request<Hello>("hello");
    // Once: another connection must not reset the form.
    if (this.store.properties.value.length === 0) this.store.properties.set(ok.properties ?? []);
    this.store.models.set(ok.models ?? []);
    this.store.compiling.set(ok.compiling ?? undefined);
    await this.open(ok.document);
    if (ok.crowd !== null) this.store.status.set(ok.crowd);
  }

  /** Show a document that was opened or changed; the event may come twice. */
  opened = (document: Document): void => {
    this.open(document).catch(this.complain);
  };

  fit(): void {
    const { value } = this.store.document;
    if (value !== undefined) this.stage.fit(value.bounds);
  }

  /** Draw the ground again, in the colours of the theme. */
  repaint(): void {
    const { value } = this.store.document;
    if (value !== undefined && this.shown !== undefined) this.draw(value, this.shown);
  }

  private async open(document: Document): Promise<void> {
    const before = this.store.document.value;
    if (before?.name === document.name && before.version === document.version) return;
    const fresh = before?.name !== document.name || before.what !== document.what;
    this.store.document.set(document);
    // The first frame may come before the document that it belongs to.
    if (fresh && before !== undefined) {
      this.clock.clear();
      this.trails.clear();
      this.store.selected.set(-1);
    }
    this.shown = await this.source.request<GroundFacts>("ground");
    this.draw(document, this.shown);
    if (fresh) this.stage.fit(document.bounds);
    for (const listener of this.groundShown) listener(document.bounds, fresh);
  }

  private draw(document: Document, reply: Reply<GroundFacts>): void {
    this.stage.setTheme(this.store.theme.value);
    this.ground.setTheme(this.store.theme.value);
    this.ground.show(reply, document.bounds, document.kinds, this.store.view.value);
    this.density.fit(document.bounds);
    this.stage.shadowsMoved();
  }
}
