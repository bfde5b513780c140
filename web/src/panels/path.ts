/** Request a path: two marks, a radius, a method, and the reply while dragging. */
import type { App, Panel } from "../app";
import type { PathQuery } from "../address";
import { button, choice, facts, h, numberSlider, section, slider, type Choice, type Slider } from "../dom";
import { Mark } from "../scene/marks";
import { PathScene } from "../scene/path";
import type { Document, Point } from "../store";
import { LIMITS, type Path, type PathArrays, type PathFields, type PinchFacts, type RefusalFacts } from "../protocol";
import { linkName } from "../scene/sheets";
import { Newest, Refusal, type Reply } from "../wire";

const METHODS = [
  { value: "short", text: "Short" },
  { value: "cmm", text: "CMM" },
  { value: "irm", text: "IRM" },
  { value: "miran", text: "MIRAN" },
] as const;

const WORDS = {
  short: "The shortest path with the requested clearance.",
  cmm: "Corridor map method: pulled along the backbone by an attraction point.",
  irm: "Indicative routes: smooth steering inside the corridor.",
  miran: "Modified indicative routes: keeps to the terrain that is preferred.",
} as const;

const LEAST = [
  { value: "length", text: "Shortest" },
  { value: "time", text: "Fastest" },
] as const;

const BUILDING = "Over floors and links. The fastest path counts the speeds of stairs, and the wait for lifts.";

type End = "start" | "goal";

/** Least radius of the slider, m. */
const RADIUS = 0.05;

export interface PathState {
  start: Point | undefined;
  goal: Point | undefined;
  /** Floors of a building on which the marks are. */
  floors: Partial<Record<End, string>>;
  facts: Path | undefined;
  trouble: string | undefined;
  pinch: PinchFacts | undefined;
  /** Where the path begins or ends, if a mark is where the disc does not fit. */
  moved: Partial<Record<End, Point>>;
  points: number;
}

const NOTHING = { facts: undefined, trouble: undefined, pinch: undefined, moved: {}, points: 0 };

/** Two marks, a radius and a method, and the newest reply of the server. */
export class PathPanel implements Panel {
  readonly element: HTMLElement;
  readonly tool = { cursor: "crosshair", click: (at: Point) => this.click(at) };
  readonly state: PathState = { ...NOTHING, start: undefined, goal: undefined, floors: {} };
  private readonly app: App;
  private readonly pathway = new PathScene();
  private readonly known = facts("path-facts");
  private readonly hint = h("p", { class: "hint", "data-testid": "path-hint" });
  private readonly trouble = h("p", { class: "trouble", role: "alert", "data-testid": "path-trouble" });
  private readonly note = h("p", { class: "hint warning", role: "status", "data-testid": "path-note" });
  private readonly word = h("p", { class: "hint" }, WORDS.short);
  private readonly preferences = h("div", { class: "stack" });
  private readonly weights = new Map<string, number>();
  private readonly radius: Slider;
  private readonly method: Choice<keyof typeof WORDS>;
  private readonly least: Choice<"length" | "time">;
  private arrays: PathArrays | undefined;
  private readonly marks: Record<End, Mark>;
  private readonly label: Mark;
  private readonly newest = new Newest<Found>(
    (found) => this.show(found),
    (error) => this.refuse(error),
  );
  private shown = "";
  /** What the address holds. */
  readonly query: PathQuery = {
    changed: () => undefined,
    get: () => ({ from: this.state.start, to: this.state.goal, floors: this.state.floors, by: this.least.get(), radius: this.radius.get(), method: this.method.get() }),
    set: (query) => this.restore(query),
  };

  constructor(app: App) {
    this.app = app;
    app.stage.scene.add(this.pathway.root);
    const range = { min: RADIUS, max: 2, step: 0.01, value: 0.25, unit: "m" };
    this.radius = numberSlider("path-radius", "Radius", range, () => this.request());
    this.method = choice("path-method", "Method", METHODS, "short", (value) => {
      this.word.textContent = WORDS[value];
      this.request();
    });
    this.least = choice("path-by", "Path", LEAST, "length", () => this.request());
    this.marks = { start: this.mark("start", "Start", "A"), goal: this.mark("goal", "Goal", "B") };
    this.label = new Mark(app.stage, app.marks, { testid: "mark-pinch", name: "Narrowest point", kind: "label pinch" });
    this.element = this.compose();
    this.newest.waiting = (on) => this.known.box.classList.toggle("stale", on);
    app.store.document.watch((document) => document && this.open(document));
    app.store.theme.watch((theme) => this.pathway.setTheme(theme));
    app.floorsMoved.push(() => this.placeAll());
    this.showHint();
  }

  private mark(end: End, name: string, text: string): Mark {
    const drag = (to: Point): void => this.move(end, to);
    return new Mark(this.app.stage, this.app.marks, { testid: `mark-${end}`, name, text, kind: end, drag });
  }

  private compose(): HTMLElement {
    const { hint, radius, method, least, word, preferences, trouble, note, known } = this;
    const swap = button("path-swap", "Swap start and goal", { icon: "swap", text: "Swap" }, () => this.swap());
    const clear = button("path-clear", "Clear the path", { icon: "close", text: "Clear" }, () => this.clear());
    return h(
      "div",
      {},
      section("Path", hint, radius.row, method.row, least.row, word, preferences),
      section("Result", trouble, note, known.box),
      h("div", { class: "buttons" }, swap, clear),
    );
  }

  /** Clear the marks for another map; request the path again after an edit. */
  private open(document: Document): void {
    const same = document.name === this.shown;
    this.shown = document.name;
    if (!same) this.clear();
    this.radius.limit(RADIUS, Math.max(0.5, Math.min(LIMITS.path.radius.max, Math.ceil(document.largest_radius * 10) / 10)));
    const isBuilding = document.floors.length > 0;
    this.method.row.hidden = isBuilding;
    this.least.row.hidden = !isBuilding;
    this.word.textContent = isBuilding ? BUILDING : WORDS[this.method.get()];
    this.preferences.replaceChildren(...preferenceRows("weight", document, this.weights, () => this.request()));
    if (same) this.request();
  }

  private restore({ from, to, floors, by, radius, method }: Parameters<PathQuery["set"]>[0]): void {
    if (by !== undefined) this.least.set(by);
    const known = METHODS.find(({ value }) => value === method)?.value;
    if (radius !== undefined) this.radius.set(radius);
    if (known !== undefined) this.chooseMethod(known);
    if (from === undefined && this.state.start !== undefined) this.clear();
    const { floorName: here } = this.app.store;
    const [start, goal] = here === undefined ? [] : [floors?.start ?? here, floors?.goal ?? here];
    Object.assign(this.state, { start: from, goal: to, floors: { start, goal } });
    this.placeAll();
    this.request();
  }

  private chooseMethod(method: keyof typeof WORDS): void {
    this.method.set(method);
    this.word.textContent = WORDS[method];
  }

  private click(at: Point): void {
    const { start, goal } = this.state;
    if (start === undefined) this.move("start", at);
    else if (goal === undefined) this.move("goal", at);
    else this.move(this.nearer(at, start, goal), at);
  }

  /** The mark that a click moves: the only one on this floor, or the nearer one. */
  private nearer(at: Point, start: Point, goal: Point): End {
    const [a, b] = (["start", "goal"] as const).map((end) => this.isHere(end));
    if (a !== b) return a ? "start" : "goal";
    return distance(at, start) < distance(at, goal) ? "start" : "goal";
  }

  /** Whether a mark is on the floor that is shown, or on a flight that leaves it; always on a plan. */
  private isHere(end: End): boolean {
    const sheet = this.sheet(end);
    return sheet < 0 || this.app.building.present.has(sheet);
  }

  /** The sheet of a building that a mark is on; -1 on a plan. */
  private sheet(end: End): number {
    const [at, name] = [this.state[end], this.state.floors[end]];
    return at === undefined || name === undefined ? -1 : this.app.building.sheetNamed(name, at);
  }

  /** Move a mark on the floor that is shown, also one that was on another floor. */
  private move(end: End, to: Point): void {
    this.state[end] = to;
    const { building, store } = this.app;
    this.state.floors = { ...this.state.floors, [end]: building.isShown ? building.nameAt(to, store.floor.value) : undefined };
    this.place(end);
    this.request();
  }

  /** Put a mark at its height; it is faint if it is on another floor. */
  private place(end: End): void {
    const [at, floor, mark, sheet] = [this.state[end], this.state.floors[end], this.marks[end], this.sheet(end)];
    mark.move(at, at === undefined || sheet < 0 ? undefined : this.app.building.heightOn(sheet, at));
    const away = !this.isHere(end);
    mark.element.classList.toggle("elsewhere", away);
    mark.element.setAttribute("aria-label", `${end === "start" ? "Start" : "Goal"}${away ? `, on floor ${floor}` : ""}`);
    mark.element.dataset.floor = away ? floor : "";
  }

  private placeAll(): void {
    this.place("start");
    this.place("goal");
    if (this.arrays !== undefined) {
      this.draw(this.arrays);
      this.showMoved(this.state.moved);
    }
    const { pinch } = this.state;
    if (pinch?.where != null) this.showPinch(pinch);
  }

  private swap(): void {
    const { start, goal } = this.state;
    const { start: first, goal: last } = this.state.floors;
    Object.assign(this.state, { start: goal, goal: start, floors: { start: last, goal: first } });
    this.placeAll();
    this.request();
  }

  private clear(): void {
    this.state.start = this.state.goal = undefined;
    this.state.floors = {};
    for (const mark of Object.values(this.marks)) mark.move(undefined);
    this.newest.cancel();
    this.query.changed();
    this.forget();
    this.showHint();
  }

  private request(): void {
    this.query.changed();
    this.showHint();
    const { start, goal } = this.state;
    if (start === undefined || goal === undefined) return;
    const method = this.method.get();
    const fields: PathFields = { start, goal, radius: this.radius.get(), method };
    const { start: first, goal: last } = this.state.floors;
    if (first !== undefined && last !== undefined) Object.assign(fields, { method: "short", floors: [first, last], by: this.least.get() });
    const weighs = method === "irm" || method === "miran";
    if (weighs && this.weights.size > 0) fields.preferences = Object.fromEntries(this.weights);
    this.newest.put(() => requestPath(this.app, fields));
  }

  private showHint(): void {
    const { start, goal } = this.state;
    this.hint.textContent =
      start === undefined
        ? "Click the map to set the start."
        : goal === undefined
          ? "Click again to set the goal."
          : "Drag A or B, or click to move the nearer one.";
  }

  private forget(): void {
    Object.assign(this.state, NOTHING);
    this.trouble.textContent = this.note.textContent = "";
    this.known.show([]);
    this.label.move(undefined);
    this.arrays = undefined;
    this.pathway.clear();
    this.app.stage.refresh();
  }

  private show({ reply: { ok, arrays, version }, moved }: Found): void {
    if (version !== this.app.store.document.value?.version) return; // another one is on its way
    this.forget();
    this.draw(arrays);
    Object.assign(this.state, { facts: ok, points: this.pathway.length, moved });
    const { value: document } = this.app.store.document;
    this.known.show([...rows(ok, arrays.times?.at(-1)), ...climbed(ok, document)]);
    this.showMoved(moved);
  }

  /** Draw a path; in a building as far as it is on the floor that is shown, and faintly elsewhere. */
  private draw(arrays: PathArrays): void {
    const { building } = this.app;
    this.arrays = building.isShown ? arrays : undefined;
    if (building.isShown) this.pathway.climb(arrays, building.present, building.scale);
    else this.pathway.show(arrays);
    this.app.stage.refresh();
  }

  /** Draw and say where the path begins or ends instead of at the marks. */
  private showMoved(moved: PathState["moved"]): void {
    const lines = (["start", "goal"] as const).flatMap((end) => {
      const [at, mark] = [moved[end], this.state[end]];
      if (at === undefined || mark === undefined) return [];
      const far = distance(at, mark);
      const letter = end === "start" ? "A" : "B";
      const verb = end === "start" ? "begins" : "ends";
      return [{ end, at, mark, text: `${letter} is in or too near a wall: the path ${verb} at the nearest free place, ${far.toFixed(2)} m away.` }];
    });
    this.note.textContent = lines.map(({ text }) => text).join(" ");
    const here = lines.filter(({ end }) => this.isHere(end));
    this.pathway.showMoved(here.map(({ at, mark }) => [mark, at]), this.radius.get());
  }

  private refuse(error: Error): void {
    if (error instanceof Refusal && error.kind === "dropped") return;
    this.forget();
    if (!(error instanceof Refusal)) return this.app.complain(error);
    this.state.trouble = error.message;
    this.trouble.textContent = error.message.charAt(0).toUpperCase() + error.message.slice(1);
    const { pinch } = error.facts;
    if (pinch == null) return undefined;
    this.state.pinch = pinch;
    this.known.show([
      ["Narrowest point", `${pinch.width.toFixed(2)} m wide`],
      ["Needed", `${(2 * this.radius.get()).toFixed(2)} m`],
    ]);
    this.showPinch(pinch);
    return undefined;
  }

  /** Show the narrowest point; in a building only where it is. */
  private showPinch({ at, width, walls, where }: PinchFacts): void {
    const { sheets, present } = this.app.building;
    const isHere = where === null || [...present].some((k) => sheets[k].name === where);
    if (isHere) this.pathway.showPinch(at, width, walls);
    else this.pathway.clear();
    this.label.write(`${width.toFixed(2)} m wide`);
    this.label.move(isHere ? at : undefined);
  }
}

/** A path, and the ends that are not at their marks. */
interface Found {
  reply: Reply<"path">;
  moved: Partial<Record<End, Point>>;
}

/** Request the path; if an end is in or too near a wall, use the nearest free position. */
async function requestPath(app: App, fields: PathFields, moved: Found["moved"] = {}, tries = 2): Promise<Found> {
  try {
    return { reply: await app.source.request("path", fields), moved };
  } catch (error) {
    const { nearest, end }: Partial<RefusalFacts> = error instanceof Refusal ? error.facts : {};
    if (tries === 0 || nearest == null || end == null) throw error;
    return requestPath(app, { ...fields, [end]: nearest }, { ...moved, [end]: nearest }, tries - 1);
  }
}

function rows(ok: Path, seconds: number | undefined): [string, string][] {
  const found: [string, string][] = [
    ["Length", `${ok.length.toFixed(2)} m`],
    ["Clearance", `${ok.clearance.toFixed(2)} m`],
  ];
  if (ok.weighted_length != null) found.push(["Weighted length", `${ok.weighted_length.toFixed(2)} m`]);
  if (seconds !== undefined) found.push(["Walking time", `${seconds.toFixed(1)} s`]);
  found.push(["Computed in", `${ok.milliseconds.toFixed(ok.milliseconds < 10 ? 2 : 0)} ms`]);
  return found;
}

/** What a path through a building uses. */
function climbed({ floors, links, duration }: Path, document: Document | undefined): [string, string][] {
  if (floors.length === 0 || document === undefined) return [];
  const names = links.map((name) => document.links.find((link) => link.name === name)).map((link) => (link === undefined ? "" : linkName(link)));
  const found: [string, string][] = [
    ["Floors", floors.join(" → ")],
    ["Links", names.length === 0 ? "none" : names.join(", ")],
  ];
  return duration == null ? found : [["Time", `${duration.toFixed(0)} s`], ...found];
}

/** One slider for each terrain kind: the cost of a metre on it. */
export function preferenceRows(
  testid: string,
  document: Document,
  weights: Map<string, number>,
  change: () => void,
): HTMLElement[] {
  for (const kind of [...weights.keys()]) if (!document.kinds.includes(kind)) weights.delete(kind);
  return document.kinds.map((kind) => {
    const range = { min: 0.1, max: 10, step: 0.1, value: weights.get(kind) ?? 1, unit: "×" };
    return slider(`${testid}-${kind}`, `Cost of ${kind}`, range, (value) => {
      weights.set(kind, value);
      change();
    }).row;
  });
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}
