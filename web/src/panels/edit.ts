/** Draw and delete on the map: obstacles, walkable ground, terrain, areas. */
import type { App, Panel } from "../app";
import { button, choice, field, h, section, select, type Choice } from "../dom";
import { download } from "../download";
import { SelectedItem } from "./item";
import { linkList } from "./links";
import { RoadmapEditor } from "./roadmap";
import type { RoadmapOverlay } from "../scene/overlays";
import { Draft } from "../scene/draft";
import type { Tool } from "../scene/input";
import type { EditFields } from "../protocol";
import { ask } from "../question";
import type { Point } from "../store";
import { Refusal } from "../wire";

const WHAT = [
  { value: "obstacle", text: "Obstacle" },
  { value: "walkable", text: "Floor" },
  { value: "terrain", text: "Terrain" },
  { value: "area", text: "Area" },
  { value: "link", text: "Link" },
] as const;

const LINKS: { value: NonNullable<EditFields["what"]>; text: string }[] = [
  { value: "stairs", text: "Stairs" },
  { value: "ramp", text: "Ramp" },
  { value: "escalator", text: "Escalator" },
  { value: "lift", text: "Lift" },
];

const HOW: readonly { value: keyof typeof HINTS; text: string }[] = [
  { value: "polygon", text: "Polygon" },
  { value: "rectangle", text: "Box" },
  { value: "select", text: "Select" },
  { value: "delete", text: "Delete" },
];

const HINTS = {
  polygon: "Click the corners; Enter, a double click or a click on the first corner closes the polygon. Esc discards it.",
  rectangle: "Drag a box over the map.",
  select: "Click an item to select it; then drag it, or one of its corners.",
  delete: "Click an item to delete it: terrain, an area, an obstacle, a wall or a link.",
};

/** For links: the first side of what is drawn is where people step on. */
const LINK_HINTS = {
  polygon: "Click the four corners: the first two are where people step on from this floor. A lift has its doors there, on all floors.",
  rectangle: "Drag a box from where people step on from this floor to its other end. A lift has its doors where you begin.",
};

type What = (typeof WHAT)[number]["value"];
type How = (typeof HOW)[number]["value"];

const ROLES = [
  { value: "spawn", text: "Spawn" },
  { value: "exit", text: "Exit" },
  { value: "goal", text: "Goal" },
] as const;

/** Current tool and the polygon so far. */
export class EditPanel implements Panel {
  readonly element: HTMLElement;
  readonly tool: Tool;
  corners: Point[] = [];
  private readonly app: App;
  private readonly draft = new Draft();
  private readonly hint = h("p", { class: "hint", "data-testid": "edit-hint" }, HINTS.polygon);
  private readonly kind = field("edit-kind", "Kind", { type: "text", value: "grass", list: "terrain-kinds", maxlength: 60 });
  private readonly name = field("edit-name", "Name", { type: "text", maxlength: 60, placeholder: "a name" });
  private readonly role = choice("edit-role", "Role", ROLES, "spawn", () => undefined);
  private readonly areaRows = h("div", { class: "stack" }, this.name.row, this.role.row);
  private readonly linkKind = select("edit-link-kind", "Kind", LINKS);
  private readonly other = select("edit-link-to", "To floor", []);
  private readonly linkRows = h("div", { class: "stack" }, this.linkKind.row, this.other.row);
  private readonly what: Choice<What>;
  private readonly how: Choice<How>;
  private box: Point | undefined;
  private readonly item: SelectedItem;
  readonly roadmap: RoadmapEditor;
  private readonly draw = h("div", {});
  private readonly links: HTMLElement;

  constructor(app: App, roadmaps: Map<string, RoadmapOverlay>) {
    this.app = app;
    app.stage.scene.add(this.draft.root);
    app.floorsMoved.push(() => (this.draft.root.position.z = app.stage.level));
    this.item = new SelectedItem(app, (...request) => this.request(...request));
    this.what = choice("edit-what", "What", WHAT, "obstacle", (value) => this.showRows(value));
    this.how = choice("edit-how", "Tool", HOW, "polygon", () => {
      this.showRows(this.what.get());
      this.leave();
    });
    this.links = linkList(app, (...request) => this.request(...request));
    this.roadmap = new RoadmapEditor(app, roadmaps);
    const other = (): Tool | undefined => (this.roadmap.active === undefined ? undefined : this.roadmap.tool);
    this.roadmap.chosen = () => {
      this.leave();
      this.draw.hidden = other() !== undefined;
    };
    this.tool = {
      cursor: "crosshair",
      click: (at, event) => (other()?.click ?? ((place: Point) => this.click(place)))(at, event),
      hover: (at) => this.corners.length > 0 && this.sketch(this.corners, at),
      double: () => this.finish(this.corners),
      down: (at, event) => (other()?.down ?? ((place: Point) => this.down(place)))(at, event),
      drag: (at, done) => (other()?.drag ?? ((to: Point, over: boolean) => this.drag(to, over)))(at, done),
    };
    app.store.floor.watch(() => {
      this.leave(); // a drawing belongs to its floor
      this.offerFloors();
    });
    app.undo = () => this.request({ do: "undo" });
    app.redo = () => this.request({ do: "redo" });
    window.addEventListener("keydown", (event) => this.key(event));
    this.element = this.compose();
    this.showRows("obstacle");
  }

  /** Discard the unfinished polygon. */
  leave(): void {
    this.corners = [];
    this.box = undefined;
    this.item.clear();
    this.sketch([]);
  }

  private compose(): HTMLElement {
    const kinds = h("datalist", { id: "terrain-kinds" });
    const locked = h("p", { class: "trouble", "data-testid": "edit-locked" });
    const terrain = this.what.row.querySelector("[data-testid=edit-what-terrain]") as HTMLElement;
    const link = this.what.row.querySelector("[data-testid=edit-what-link]") as HTMLElement;
    const words = "What is drawn is on the floor that is shown. People walk on; those in a new wall or on a deleted link are moved aside.";
    const onFloors = h("p", { class: "hint", "data-testid": "edit-floors" }, words);
    let shown = "";
    this.app.store.document.watch((document) => {
      if (document === undefined) return;
      if (document.name !== shown) this.leave(); // a drawing belongs to its map
      shown = document.name;
      kinds.replaceChildren(...document.kinds.map((value) => h("option", { value })));
      locked.textContent = document.locked === null ? "" : `This document cannot be edited: ${document.locked}.`;
      this.draw.inert = this.links.inert = document.locked !== null;
      const { isBuilding } = this.app.store;
      terrain.hidden = isBuilding;
      link.hidden = onFloors.hidden = !isBuilding;
      if (this.what.get() === (isBuilding ? "terrain" : "link")) this.what.set("obstacle");
      this.offerFloors();
      this.showRows(this.what.get());
    });
    const { what, kind, linkRows, areaRows, how, hint, app } = this;
    const rows = [what.row, kind.row, kinds, linkRows, areaRows, onFloors];
    this.draw.append(section("Draw", how.row, hint, this.item.element, ...rows, history(app)));
    return h("div", {}, locked, this.draw, this.links, this.roadmap.element, saving(app));
  }

  private showRows(what: What): void {
    const how = this.how.get();
    const drawing = how === "polygon" || how === "rectangle";
    this.hint.textContent = drawing && what === "link" ? LINK_HINTS[how] : HINTS[how];
    this.what.row.hidden = !drawing;
    this.kind.row.hidden = !drawing || what !== "terrain";
    this.linkRows.hidden = !drawing || what !== "link";
    this.areaRows.hidden = !drawing || what === "walkable" || what === "terrain";
    this.role.row.hidden = what !== "area";
  }

  /** The floors to which a link may lead, the next one above first. */
  private offerFloors(): void {
    const { document, floor } = this.app.store;
    const floors = document.value?.floors ?? [];
    const here = floors[floor.value]?.elevation ?? 0;
    const others = floors.filter((_, i) => i !== floor.value).sort((a, b) => nearness(a.elevation - here) - nearness(b.elevation - here));
    this.other.fill(others.map(({ name }) => ({ value: name, text: name })));
    this.other.input.value = others[0]?.name ?? "";
  }

  private sketch(corners: Point[], pointer?: Point): void {
    this.draft.show(corners, pointer);
    this.app.stage.refresh();
  }

  /** Send an edit, then `done`; if it is not made, `failed` brings back what was drawn. */
  private request(fields: EditFields, done = (): void => undefined, failed = (): void => undefined): void {
    void this.mayLoseRoadmaps().then((yes) => (yes ? this.send(fields, done, failed) : failed()));
  }

  /** A roadmap is built again for a changed map, without its edits. */
  private async mayLoseRoadmaps(): Promise<boolean> {
    const count = this.app.roadmapEdits();
    if (count === 0) return true;
    const edits = count === 1 ? "1 edit" : `${count} edits`;
    return ask(this.app.root, "Change the map?", `The roadmaps are built again for the changed map. This loses ${edits} of roadmaps; save them first.`, "Change");
  }

  private send(fields: EditFields, done: () => void, failed: () => void): void {
    this.app.source
      .request("edit", { ...fields, floor: this.app.store.floorName })
      .then(({ ok }) => {
        this.app.opened(ok);
        done();
      })
      .catch((trouble: unknown) => {
        const isOffline = trouble instanceof Refusal && trouble.kind === "offline";
        this.app.complain(isOffline ? new Error("There is no server: the map was not changed") : trouble);
        failed();
      });
  }

  private get isLocked(): boolean {
    return this.app.store.document.value?.locked !== null;
  }

  private click(at: Point): void {
    if (this.isLocked) return;
    if (this.how.get() === "delete") this.request({ do: "delete", at });
    else if (this.how.get() === "select") this.item.select(at);
    else if (this.how.get() === "polygon") this.corner(at);
  }

  /** One more corner; a click on the first one closes the polygon. */
  private corner(at: Point): void {
    const near = this.app.stage.resolution() * 10;
    const apart = (other: Point | undefined): number =>
      other === undefined ? Infinity : Math.hypot(at[0] - other[0], at[1] - other[1]);
    if (this.corners.length > 2 && apart(this.corners[0]) < near) return this.finish(this.corners);
    if (apart(this.corners.at(-1)) < near / 4) return undefined;
    this.corners = [...this.corners, rounded(at)];
    this.sketch(this.corners);
    return undefined;
  }

  private down(at: Point): boolean {
    if (this.isLocked) return false;
    this.box = this.how.get() === "rectangle" ? at : undefined;
    return this.box !== undefined || (this.how.get() === "select" && this.item.down(at));
  }

  private drag(at: Point, done: boolean): void {
    if (this.box === undefined) return this.item.drag(at, done);
    const shape = this.what.get() === "link" ? along(this.box, at) : rectangle(this.box, at);
    if (done) this.finish(shape);
    else this.sketch(shape);
    return undefined;
  }

  private finish(polygon: Point[]): void {
    this.leave();
    const empty = polygon.length < 3 || (polygon[0][0] === polygon[2][0] && polygon[0][1] === polygon[2][1]);
    if (empty) return;
    const again = (): void => {
      if (this.corners.length > 0 || this.how.get() !== "polygon") return;
      this.corners = polygon;
      this.sketch(polygon);
    };
    const what = this.what.get();
    const kind = what === "link" ? (this.linkKind.input.value as EditFields["what"]) : what;
    this.request({ do: "add", what: kind, polygon, ...this.details() }, undefined, again);
  }

  /** The kind of a terrain; name and role of an area. */
  private details(): Partial<EditFields> {
    if (this.what.get() === "terrain") return { kind: this.kind.input.value.trim() || "grass" };
    const name = this.name.input.value.trim();
    if (this.what.get() === "link") return { other: this.other.input.value, ...(name === "" ? {} : { name }) };
    if (this.what.get() === "obstacle" && name !== "") return { name };
    if (this.what.get() !== "area") return {};
    const role = this.role.get();
    const count = this.app.store.document.value?.areas.length ?? 0;
    return { role, name: name || `${role} ${count + 1}` };
  }

  private key(event: KeyboardEvent): void {
    const typing = (event.target as HTMLElement).matches("input, select, textarea");
    if (this.corners.length === 0 || typing) return;
    if (event.key === "Enter") this.finish(this.corners);
    else if (event.key === "Escape") this.leave();
    else if (event.key === "Backspace") this.sketch((this.corners = this.corners.slice(0, -1)));
    else return;
    event.preventDefault();
  }
}

function history(app: App): HTMLElement {
  const undo = button("undo", "Undo", { icon: "undo", text: "Undo", key: "Ctrl+Z" }, () => app.undo());
  const redo = button("redo", "Redo", { icon: "redo", text: "Redo", key: "Shift+Ctrl+Z" }, () => app.redo());
  app.store.document.watch((document) => {
    undo.disabled = (document?.undo ?? 0) === 0;
    redo.disabled = (document?.redo ?? 0) === 0;
  });
  return h("div", { class: "buttons" }, undo, redo);
}

function saving(app: App): HTMLElement {
  const link = (as: string, text: string): HTMLElement =>
    button(`save-${as}`, `Save as ${text}`, { icon: "save", text }, () => {
      download(app, as).catch(app.complain);
    });
  const links = { geojson: link("geojson", "GeoJSON"), scenario: link("scenario", "Scenario"), recording: link("recording", "Recording") };
  app.store.document.watch((opened) => {
    const recorded = opened?.what === "recording";
    links.scenario.hidden = recorded;
    links.recording.hidden = !recorded;
  });
  return section("Save", h("div", { class: "buttons" }, ...Object.values(links)));
}

export function rectangle([ax, ay]: Point, [bx, by]: Point): Point[] {
  return [
    [ax, ay],
    [bx, ay],
    [bx, by],
    [ax, by],
  ].map((corner) => rounded(corner as Point));
}

/** A rectangle whose first side is the short one at its first corner: the foot of a link. */
export function along(from: Point, to: Point): Point[] {
  const [a, b, c, d] = rectangle(from, to);
  return Math.abs(to[0] - from[0]) > Math.abs(to[1] - from[1]) ? [a, d, c, b] : [a, b, c, d];
}

/** Order of floors to which a link leads: those above first. */
function nearness(rise: number): number {
  return rise > 0 ? rise : 1e6 - rise;
}

/** Round to the millimetre. */
export function rounded([x, y]: Point): Point {
  return [Math.round(x * 1000) / 1000, Math.round(y * 1000) / 1000];
}
