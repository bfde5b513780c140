/** The selected item of the map: it is moved, its corners are dragged, it is named or deleted. */
import type { App } from "../app";
import { button, field, h } from "../dom";
import type { EditFields, ItemFacts } from "../protocol";
import { Draft } from "../scene/draft";
import { gap } from "../scene/polygons";
import type { Point } from "../store";
import type { Reply } from "../wire";
import { rounded } from "./edit";

const WORDS: Record<ItemFacts["kind"], string> = {
  area: "Area",
  terrain: "Terrain",
  obstacle: "Obstacle",
  wall: "Wall",
  floor: "Floor",
  link: "Link",
};

/** Pixels within which a corner is taken. */
const REACH = 12;

/** Sends an edit; calls one of the functions when it is done or refused. */
type Edit = (fields: EditFields, done?: () => void, failed?: () => void) => void;

export class SelectedItem {
  readonly element: HTMLElement;
  private readonly app: App;
  private readonly edit: Edit;
  private readonly draft = new Draft();
  private readonly title = h("strong", { "data-testid": "item-kind" });
  private readonly name: ReturnType<typeof field>;
  private readonly remove: HTMLElement;
  private facts: ItemFacts | undefined;
  private corners: Point[] = [];
  /** A point of the selected item, by which the server finds it; undefined if none is selected. */
  private at: Point | undefined;
  /** Number of the dragged corner; -1 for the whole item. */
  private held: number | undefined;
  private from: Point = [0, 0];
  /** Number of requests: only the answer to the last one is shown. */
  private asked = 0;

  constructor(app: App, edit: Edit) {
    this.app = app;
    this.edit = edit;
    app.stage.scene.add(this.draft.root);
    app.floorsMoved.push(() => (this.draft.root.position.z = app.stage.level));
    this.name = field("item-name", "Name", { type: "text", maxlength: 60, onchange: () => this.rename() });
    this.remove = button("item-delete", "Delete the item", { icon: "trash", text: "Delete" }, () => {
      if (this.at !== undefined) this.edit({ do: "delete", at: this.at });
      this.clear();
    });
    this.element = h("div", { class: "stack", "data-testid": "item" }, this.title, this.name.row, h("div", { class: "buttons" }, this.remove));
    this.element.hidden = true;
    let opened: number | undefined;
    app.store.document.watch((document) => {
      if (document?.opened !== opened) this.clear();
      else this.fetch();
      opened = document?.opened;
    });
  }

  /** Select the item at a point. */
  select(at: Point): void {
    this.clear();
    this.at = at;
    this.fetch();
  }

  /** Change the item, which has new corners and is at `at` afterwards. */
  private change(fields: EditFields, at: Point, corners = this.corners): void {
    const before = { at: this.at, corners: this.corners };
    Object.assign(this, { at, corners });
    this.edit(fields, undefined, () => {
      if (this.at !== at) return; // another item was selected
      Object.assign(this, before);
      this.draw(this.corners);
      const { input } = this.name;
      if (document.activeElement !== input) input.value = this.facts?.name ?? "";
    });
  }

  /** Show the item that is selected, also after an edit of this or of another tab. */
  private fetch(): void {
    const { at, asked } = Object.assign(this, { asked: this.asked + 1 });
    if (at === undefined) return;
    this.app.source
      .request("item", { at, floor: this.app.store.floorName })
      .then((reply) => {
        // The version is another one if the next document is on its way.
        if (asked === this.asked && reply.version === this.app.store.document.value?.version) this.show(reply);
      })
      .catch((trouble: unknown) => {
        if (asked !== this.asked) return;
        const isKnown = this.facts !== undefined;
        this.clear();
        if (!isKnown) this.app.complain(trouble);
      });
  }

  private show({ ok, arrays }: Reply<"item">): void {
    if (this.facts !== undefined && this.facts.kind !== ok.kind) return this.clear(); // it was deleted
    const { input } = this.name;
    const isTyped = document.activeElement === input && input.value !== this.facts?.name;
    if (!isTyped) input.value = ok.name;
    this.facts = ok;
    this.corners = pairs(arrays.corners);
    this.title.textContent = WORDS[ok.kind];
    this.name.row.hidden = ok.kind === "terrain" || ok.kind === "floor";
    this.remove.hidden = ok.kind === "floor";
    this.element.hidden = false;
    if (this.held === undefined) this.draw(this.corners);
    return undefined;
  }

  clear(): void {
    this.at = this.facts = this.held = undefined;
    this.asked += 1;
    this.corners = [];
    this.element.hidden = true;
    this.draw([]);
  }

  /** Take a corner or the item; false if neither is there. */
  down(at: Point): boolean {
    this.held = undefined;
    if (this.facts === undefined) return false;
    const reach = this.app.stage.resolution() * REACH;
    const hasCorners = this.facts.kind !== "link"; // a link is moved as a whole
    const near = hasCorners ? this.corners.findIndex(([x, y]) => Math.hypot(x - at[0], y - at[1]) < reach) : -1;
    if (near < 0 && !this.covers(at, reach)) return false;
    this.held = near;
    this.from = at;
    return true;
  }

  drag(at: Point, done: boolean): void {
    const { held, from, corners, facts, at: before } = this;
    if (held === undefined || facts === undefined || before === undefined) return;
    const by: Point = [at[0] - from[0], at[1] - from[1]];
    const shifted = corners.map(([x, y], i): Point => (held < 0 || i === held ? rounded([x + by[0], y + by[1]]) : [x, y]));
    this.draw(shifted);
    if (!done) return;
    this.held = undefined;
    if (Math.hypot(...by) < this.app.stage.resolution()) return this.draw(corners);
    const [dx, dy] = rounded(by);
    const to: Point = [before[0] + dx, before[1] + dy];
    if (held < 0) this.change({ do: "move", at: before, to }, to, shifted);
    else this.change({ do: "change", at: before, polygon: shifted }, inside(facts, shifted, before, held), shifted);
    return undefined;
  }

  private rename(): void {
    const { at, facts } = this;
    if (at === undefined || facts === undefined) return;
    const name = this.name.input.value.trim();
    if (name === "") this.name.input.value = facts.name;
    else if (name !== facts.name) this.change({ do: "change", at, name }, at);
  }

  private covers(at: Point, reach: number): boolean {
    if (this.facts?.kind === "floor") return false;
    if (this.facts?.kind === "wall") return this.corners.some((a, i) => i > 0 && gap(at, this.corners[i - 1], a) < reach);
    return contains(this.corners, at) || this.corners.length === 0;
  }

  private draw(corners: Point[]): void {
    this.draft.show(corners, undefined, this.facts?.kind !== "wall");
    this.app.stage.refresh();
  }
}

function pairs(values: Float32Array): Point[] {
  return Array.from({ length: values.length / 2 }, (_, i) => rounded([values[2 * i], values[2 * i + 1]]));
}

/** A point of an item with new corners, near the one before. */
function inside({ kind }: ItemFacts, corners: Point[], before: Point, held: number): Point {
  if (kind === "wall") return corners[held];
  return contains(corners, before) ? before : middle(corners, held);
}

/** The middle of a corner and its neighbours: inside, where the polygon is convex. */
function middle(ring: Point[], k: number): Point {
  const near = [-1, 0, 1].map((by) => ring[(k + by + ring.length) % ring.length]);
  return rounded([0, 1].map((axis) => near.reduce((sum, at) => sum + at[axis] / 3, 0)) as Point);
}

function contains(ring: Point[], [x, y]: Point): boolean {
  let found = false;
  ring.forEach(([ax, ay], i) => {
    const [bx, by] = ring[(i + 1) % ring.length];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) found = !found;
  });
  return found;
}
