/** The selected item of the map: it is moved, its corners are dragged, it is named or deleted. */
import type { App } from "../app";
import { button, field, h } from "../dom";
import type { EditFields, ItemFacts } from "../protocol";
import { Draft } from "../scene/draft";
import { gap } from "../scene/polygons";
import type { Point } from "../store";
import { rounded } from "./edit";

const WORDS: Record<ItemFacts["kind"], string> = {
  area: "Area",
  terrain: "Terrain",
  obstacle: "Obstacle",
  wall: "Wall",
  floor: "Floor",
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
  /** A point of the item, by which the server finds it. */
  private at: Point = [0, 0];
  /** Number of the dragged corner; -1 for the whole item. */
  private held: number | undefined;
  private from: Point = [0, 0];
  /** Number of selections by the user: an edited item stays selected until the next one. */
  private clicks = 0;

  constructor(app: App, edit: Edit) {
    this.app = app;
    this.edit = edit;
    app.stage.scene.add(this.draft.root);
    this.name = field("item-name", "Name", { type: "text", maxlength: 60, onchange: () => this.rename() });
    this.remove = button("item-delete", "Delete the item", { icon: "trash", text: "Delete" }, () => {
      this.edit({ do: "delete", at: this.at });
      this.clear();
    });
    this.element = h("div", { class: "stack", "data-testid": "item" }, this.title, this.name.row, h("div", { class: "buttons" }, this.remove));
    this.element.hidden = true;
    app.store.document.watch(() => this.clear());
  }

  /** Show the item at a point; until the server's answer nothing can be typed, which it would overwrite. */
  select(at: Point): void {
    this.clicks += 1;
    this.element.hidden = true;
    this.show(at);
  }

  /** Change the item, which is at `at` afterwards. */
  private change(fields: EditFields, at: Point): void {
    const { clicks } = this;
    const done = (): void => {
      if (clicks === this.clicks) this.show(at);
    };
    this.edit(fields, done, () => this.draw(this.corners));
  }

  private show(at: Point): void {
    const { clicks } = this;
    this.app.source
      .request("item", { at })
      .then(({ ok, arrays, version }) => {
        if (version !== this.app.store.document.value?.version || clicks !== this.clicks) return;
        this.facts = ok;
        this.at = at;
        this.corners = pairs(arrays.corners);
        this.title.textContent = WORDS[ok.kind];
        this.name.input.value = ok.name;
        this.name.row.hidden = ok.kind === "terrain" || ok.kind === "floor";
        this.remove.hidden = ok.kind === "floor";
        this.element.hidden = false;
        this.draw(this.corners);
      })
      .catch((trouble: unknown) => {
        this.clear();
        this.app.complain(trouble);
      });
  }

  clear(): void {
    this.facts = this.held = undefined;
    this.corners = [];
    this.element.hidden = true;
    this.draw([]);
  }

  /** Take a corner or the item; false if neither is there. */
  down(at: Point): boolean {
    this.held = undefined;
    if (this.facts === undefined) return false;
    const reach = this.app.stage.resolution() * REACH;
    const near = this.corners.findIndex(([x, y]) => Math.hypot(x - at[0], y - at[1]) < reach);
    if (near < 0 && !this.covers(at, reach)) return false;
    this.held = near;
    this.from = at;
    return true;
  }

  drag(at: Point, done: boolean): void {
    const { held, from, corners } = this;
    if (held === undefined || this.facts === undefined) return;
    const by: Point = [at[0] - from[0], at[1] - from[1]];
    const shifted = corners.map(([x, y], i): Point => (held < 0 || i === held ? rounded([x + by[0], y + by[1]]) : [x, y]));
    this.draw(shifted);
    if (!done) return;
    if (Math.hypot(...by) < this.app.stage.resolution()) return this.draw(corners);
    const [dx, dy] = rounded(by);
    const to: Point = [this.at[0] + dx, this.at[1] + dy];
    if (held < 0) this.change({ do: "move", at: this.at, to }, to);
    else this.change({ do: "change", at: this.at, polygon: shifted }, this.inside(shifted, held));
    return undefined;
  }

  /** A point of the item with new corners. */
  private inside(corners: Point[], held: number): Point {
    if (this.facts?.kind === "wall") return corners[held];
    return contains(corners, this.at) ? this.at : middle(corners, held);
  }

  private rename(): void {
    const name = this.name.input.value.trim();
    if (name !== "" && name !== this.facts?.name) this.change({ do: "change", at: this.at, name }, this.at);
  }

  private covers(at: Point, reach: number): boolean {
    if (this.facts?.kind === "floor") return false;
    if (this.facts?.kind === "wall") return this.corners.some((a, i) => i > 0 && gap(at, this.corners[i - 1], a) < reach);
    return contains(this.corners, at) || this.corners.length === 0;
  }

  private draw(corners: Point[]): void {
    this.draft.show(corners);
    this.app.stage.refresh();
  }
}

function pairs(values: Float32Array): Point[] {
  return Array.from({ length: values.length / 2 }, (_, i) => rounded([values[2 * i], values[2 * i + 1]]));
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
