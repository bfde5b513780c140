/** Edit a roadmap that is shown: nodes, edges, weights, and regions that paths avoid. */
import type { App } from "../app";
import { button, choice, field, h, section, select, type Choice } from "../dom";
import { download } from "../download";
import type { RoadmapFields } from "../protocol";
import { Draft } from "../scene/draft";
import type { Tool } from "../scene/input";
import type { RoadmapOverlay } from "../scene/overlays";
import type { Point } from "../store";
import { rectangle } from "./edit";

const HOW: readonly { value: keyof typeof HINTS; text: string }[] = [
  { value: "node", text: "Node" },
  { value: "edge", text: "Edge" },
  { value: "weight", text: "Weight" },
  { value: "close", text: "Close" },
  { value: "delete", text: "Delete" },
];

const HINTS = {
  node: "Click to add a node, joined to the selected one. Click a node to select it; drag a node to move it.",
  edge: "Click two nodes to join them by a straight edge.",
  weight: "Click an edge to set its weight: above 1 it is avoided, below 1 it is preferred.",
  close: "Drag a box that paths avoid.",
  delete: "Click an item to delete it: a node, an edge or a closed region.",
};

/** Pixels within which nodes and edges are taken. */
const REACH = 10;

type How = keyof typeof HINTS;
type Change = Omit<RoadmapFields, "method" | "resolution" | "radius" | "state">;

export class RoadmapEditor {
  readonly element: HTMLElement;
  readonly tool: Tool;
  private readonly app: App;
  private readonly overlays: Map<string, RoadmapOverlay>;
  private readonly draft = new Draft();
  private readonly which: ReturnType<typeof select>;
  private readonly how: Choice<How>;
  private readonly weight = field("roadmap-weight", "Weight", { type: "number", min: 0.001, max: 1000, step: "any", value: 2 });
  private readonly hint = h("p", { class: "hint" }, HINTS.node);
  private readonly controls: HTMLElement;
  private readonly undo = button("roadmap-undo", "Undo", { icon: "undo", text: "Undo" }, () => this.later(() => this.change({ do: "undo" })));
  private readonly redo = button("roadmap-redo", "Redo", { icon: "redo", text: "Redo" }, () => this.later(() => this.change({ do: "redo" })));
  private selected: number | undefined;
  private turn: Promise<void> = Promise.resolve();
  /** An edit of this page is not answered yet; its event comes before its answer. */
  private busy = false;
  /** The node that is dragged, or the corner of the box. */
  private held: number | undefined;
  private corner: Point | undefined;
  /** Called when a roadmap is chosen or let alone, so that the panel takes its tool. */
  chosen: () => void = () => undefined;

  constructor(app: App, overlays: Map<string, RoadmapOverlay>) {
    this.app = app;
    this.overlays = overlays;
    app.stage.scene.add(this.draft.root);
    this.which = select("roadmap-which", "Edit", [], () => this.choose());
    this.how = choice("roadmap-how", "Tool", HOW, "node", (value) => {
      this.hint.textContent = HINTS[value];
      this.weight.row.hidden = value !== "weight";
      this.pick(undefined);
    });
    this.weight.row.hidden = true;
    const save = button("save-roadmap", "Save the roadmap", { icon: "save", text: "Save" }, () => {
      download(app, "roadmap").catch(app.complain);
    });
    this.controls = h("div", { class: "stack" }, this.how.row, this.hint, this.weight.row, h("div", { class: "buttons" }, this.undo, this.redo, save));
    this.tool = {
      cursor: "crosshair",
      click: (at) => this.later(() => this.click(at)),
      down: (at) => this.down(at),
      drag: (at, done) => this.drag(at, done),
    };
    this.element = section("Roadmap", this.which.row, this.controls);
    for (const name of overlays.keys()) app.store.layers[name].watch(() => this.fill());
    app.source.on("roadmap", ({ ok }) => this.edited(ok.method, ok.state));
    this.fill();
  }

  /** The roadmap that is edited. */
  get active(): RoadmapOverlay | undefined {
    return this.overlays.get(this.which.input.value);
  }

  /** List the roadmaps that are shown. */
  private fill(): void {
    const shown = [...this.overlays].filter(([name]) => this.app.store.layers[name].value);
    this.which.fill([{ value: "", text: "none" }, ...shown.map(([name, { label }]) => ({ value: name, text: label }))]);
    this.element.hidden = shown.length === 0;
    this.choose();
  }

  private choose(): void {
    this.controls.hidden = this.active === undefined;
    this.pick(undefined);
    this.showHistory();
    this.chosen();
  }

  private showHistory(): void {
    this.undo.disabled = this.active?.facts?.undo !== true;
    this.redo.disabled = this.active?.facts?.redo !== true;
  }

  /** A click is handled after the answer to the one before: it changes numbers and selection. */
  private later(work: () => Promise<void>): void {
    this.turn = this.turn.then(work).catch(this.app.complain);
  }

  private async click(at: Point): Promise<void> {
    const { active } = this;
    if (active === undefined) return;
    const reach = this.app.stage.resolution() * REACH;
    const node = active.nodeAt(at, reach);
    const edge = node === undefined ? active.edgeAt(at, reach) : undefined;
    const how = this.how.get();
    if (how === "node") {
      if (node === undefined) await this.change({ do: "add-node", at, node: this.selected });
      else this.pick(node);
    } else if (how === "edge" && node !== undefined) {
      if (this.selected === undefined || this.selected === node) this.pick(node);
      else await this.change({ do: "add-edge", node: this.selected, other: node });
    } else if (how === "weight" && edge !== undefined) {
      await this.change({ do: "set-weight", edge, weight: Number(this.weight.input.value) });
    } else if (how === "delete") {
      if (node !== undefined) await this.change({ do: "remove-node", node });
      else if (edge !== undefined) await this.change({ do: "remove-edge", edge });
      else await this.change({ do: "open", at });
    }
  }

  private down(at: Point): boolean {
    this.held = this.how.get() === "node" ? this.active?.nodeAt(at, this.app.stage.resolution() * REACH) : undefined;
    this.corner = this.active !== undefined && this.how.get() === "close" ? at : undefined;
    return this.held !== undefined || this.corner !== undefined;
  }

  private drag(at: Point, done: boolean): void {
    if (this.corner !== undefined) {
      const box = rectangle(this.corner, at);
      this.draft.show(done ? [] : box);
      const empty = box[0][0] === box[2][0] || box[0][1] === box[2][1];
      if (done && !empty) this.later(() => this.change({ do: "close", polygon: box }));
    } else if (this.held !== undefined) {
      this.draft.show(done ? [] : [at]);
      const { held } = this;
      const [x, y] = this.active?.node(held) ?? at;
      const far = Math.hypot(at[0] - x, at[1] - y) > this.app.stage.resolution() * 3;
      if (done && far) this.later(() => this.change({ do: "move-node", node: held, at }));
    }
    this.app.stage.refresh();
  }

  private pick(node: number | undefined): void {
    this.selected = node;
    const at = node === undefined ? undefined : this.active?.node(node);
    this.draft.show(at === undefined ? [] : [at]);
    this.app.stage.refresh();
  }

  private async change(fields: Change): Promise<void> {
    const { active, app } = this;
    if (active?.facts === undefined) return;
    const { name: _, ...rest } = active.fields;
    const method = rest.method as RoadmapFields["method"];
    const added = fields.do === "add-node" ? active.facts.nodes : undefined;
    this.busy = true;
    const asked = app.source.request("roadmap", { ...rest, method, ...fields, state: active.facts.state });
    active.draw(await asked.finally(() => (this.busy = false)));
    this.pick(added); // the next click continues from the new node
    this.showHistory();
    app.stage.invalidate();
    app.layersChanged();
  }

  /** Another tab has edited a roadmap: fetch it again. */
  private edited(method: string, state: number): void {
    for (const overlay of this.overlays.values()) {
      if (this.busy || overlay.fields.method !== method || overlay.facts === undefined || overlay.facts.state === state) continue;
      this.app.source
        .request("layer", overlay.fields)
        .then((reply) => {
          overlay.draw(reply);
          this.pick(undefined);
          this.showHistory();
          this.app.stage.invalidate();
        })
        .catch(this.app.complain);
    }
  }
}
