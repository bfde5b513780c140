/** A building: links over the plan of one floor, or all floors and links above each other. */
import {
  BufferAttribute,
  type BufferGeometry,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  type Material,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  Plane,
  Vector3,
} from "three";
import type { Document, Point, Theme, View } from "../store";
import type { Reply } from "../wire";
import { tiles } from "./ground";
import type { Levels } from "./crowd";
import { solids, strokes, uprights, type Upright } from "./blocks";
import { PALETTES } from "./colours";
import { flat, inside, type Polygon } from "./polygons";
import { heightAt, isOn, linkName, sheetsOf, shownOn, type Sheet } from "./sheets";

/** Height of walls in 3D and of railings, m: low, so that floors are seen. */
const PARAPET = 1.1;
const CABIN = 2.2;
/** Height of a step, and the distance of two lines across a slope that has none, m. */
const STEP = 0.17;

/** How the floors are shown above each other. */
export interface Stack {
  /** Factor of the heights. */
  apart: number;
  /** Nothing above this height is drawn, m. */
  cut: number;
  /** Whether the other floors are faint. */
  faint: boolean;
}

interface Looks {
  fill: Material;
  link: Material;
  /** A link that is closed. */
  shut: Material;
  side: Material;
  cap: Material;
  line: Material;
}

interface Part {
  sheet: Sheet;
  group: Group;
  fill: Mesh;
  /** Lines: walls, and steps or the sides of a ramp. */
  lines: LineSegments[];
  sides: Mesh;
  cap: Mesh | undefined;
}

/** The name of a link on the plan of a floor. */
export interface LinkLabel {
  name: string;
  at: Point;
  z: number;
}

export class BuildingScene {
  readonly root = new Group();
  sheets: Sheet[] = [];
  /** Sheets that belong to the floor that is shown. */
  present = new Set<number>();
  labels: LinkLabel[] = [];
  stack: Stack = { apart: 1, cut: Infinity, faint: true };
  hasWalls = true;
  /** Names of the links that are closed. */
  private closed = new Set<string>();
  private floor = -1;
  private view: View = "map";
  private theme: Theme = "light";
  private document: Document | undefined;
  private parts: Part[] = [];
  private shafts: LineSegments | undefined;
  private readonly knife = new Plane(new Vector3(0, 0, -1), 0);
  private readonly tiles = typeof document === "undefined" ? null : tiles();
  private looks: Record<"plan" | "solid" | "faint", Looks>;

  constructor() {
    this.looks = this.makeLooks();
  }

  get isShown(): boolean {
    return this.sheets.length > 0;
  }

  show(reply: Reply<"ground">, document: Document, theme: Theme): void {
    this.clear();
    this.theme = theme;
    this.document = document;
    this.sheets = sheetsOf(reply);
    if (!this.isShown) return;
    this.looks = this.makeLooks();
    this.parts = this.sheets.map((sheet) => this.part(sheet, document.bounds));
    this.root.add(...this.parts.map(({ group }) => group));
    this.addShafts();
    this.arrange(this.view, this.floor);
  }

  /** The height at which something on a sheet is drawn. */
  heightOn(sheet: number, at: Point): number {
    return sheet in this.sheets ? heightAt(this.sheets[sheet], at) * this.scale : 0;
  }

  /** Factor of the heights in the present view. */
  get scale(): number {
    return this.view === "3d" ? this.stack.apart : this.view === "map" ? 0 : 1;
  }

  /** The people that are drawn: on the map those on the floor and on the links that touch it, else all. */
  get levels(): Levels {
    const isMap = this.view === "map" && this.isShown;
    return { present: isMap ? this.present : undefined, rise: this.scale, cut: this.view === "3d" ? this.stack.cut : Infinity };
  }

  /** Draw some links as closed; whether that changes the picture. */
  close(names: readonly string[]): boolean {
    if (names.length === this.closed.size && names.every((name) => this.closed.has(name))) return false;
    this.closed = new Set(names);
    this.arrange(this.view, this.floor);
    return true;
  }

  /** The floor that a sheet is, or that a link leads to and is nearest; -1 if there is none. */
  floorOf(sheet: number): number {
    const seen = new Set([sheet]);
    for (const k of seen) {
      const { floor, joined } = this.sheets[k] ?? { floor: -1, joined: [] };
      if (floor >= 0) return floor;
      for (const next of joined) seen.add(next);
    }
    return -1;
  }

  /** The lowest and the highest point that 3D shows, m. */
  get heights(): [number, number] {
    const { apart, cut } = this.stack;
    const levels = this.sheets.map(({ low }) => low).filter((low) => low <= cut);
    return levels.length === 0 ? [0, 0] : [Math.min(...levels) * apart, Math.min(cut, Math.max(...levels) + PARAPET / apart) * apart];
  }

  /** The sheet of a floor; -1 if there is none. */
  sheetOf(floor: number): number {
    return floor < 0 ? -1 : this.sheets.findIndex((sheet) => sheet.floor === floor);
  }

  /** The floor, or the flight on it, that a click at a point is on, by name; lifts have a cabin on each floor. */
  nameAt(at: Point, floor: number): string | undefined {
    const { document, sheets } = this;
    const link = isOn(sheets[this.sheetOf(floor)], at)
      ? undefined
      : [...this.present].map((k) => sheets[k]).find((sheet) => sheet.link >= 0 && isOn(sheet, at));
    const found = link === undefined ? undefined : document?.links[link.link];
    return found === undefined || found.kind === "lift" ? document?.floors[floor].name : found.name;
  }

  /** The sheet of a floor or link, by name, at a point; -1 if there is none. */
  sheetNamed(name: string, at: Point): number {
    const { document, sheets } = this;
    const floor = this.sheetOf(document?.floors.findIndex((one) => one.name === name) ?? -1);
    const link = document?.links.findIndex((one) => one.name === name) ?? -1;
    if (floor >= 0 || link < 0) return floor;
    const inside = sheets.findIndex((sheet) => sheet.link === link && isOn(sheet, at));
    return inside >= 0 ? inside : sheets.findIndex((sheet) => sheet.link === link);
  }

  /** Show one floor on the map, all in 3D and on the walk. */
  arrange(view: View, floor: number): void {
    this.view = view;
    this.floor = floor;
    this.present = shownOn(this.sheets, floor);
    const { apart, cut, faint } = this.stack;
    this.knife.constant = view === "3d" && cut < Infinity ? cut * apart + 0.01 : 1e9;
    this.parts.forEach((part, k) => {
      const here = this.present.has(k);
      part.group.visible = view !== "map" || (here && part.sheet.floor < 0);
      const look = view === "map" ? "plan" : view === "3d" && faint && !here ? "faint" : "solid";
      this.dress(part, this.looks[look]);
      this.lift(part, view);
    });
    if (this.shafts !== undefined) {
      this.shafts.visible = view === "3d";
      this.shafts.scale.z = apart;
    }
    this.labels = this.namesOn(floor);
  }

  private dress({ sheet, fill, lines, sides, cap }: Part, looks: Looks): void {
    const isShut = this.closed.has(this.document?.links[sheet.link]?.name ?? "");
    fill.material = isShut ? looks.shut : sheet.floor < 0 ? looks.link : looks.fill;
    for (const line of lines) line.material = looks.line;
    sides.material = looks.side;
    if (cap !== undefined) cap.material = looks.cap;
    const isPlan = looks === this.looks.plan;
    sides.visible = !isPlan && this.hasWalls;
    for (const part of [...lines, ...(cap === undefined ? [] : [cap])]) part.visible = this.hasWalls;
    fill.renderOrder = isPlan ? -35 : -45; // below terrain and areas
    for (const line of lines) line.renderOrder = isPlan ? -34 : 0;
  }

  /** Put a part at its height; walls are low in 3D, and reach the next floor on the walk. */
  private lift({ sheet, group, sides, cap, lines }: Part, view: View): void {
    if (view === "map") {
      group.position.z = 0.02;
      group.scale.z = 1e-6;
      return;
    }
    const { apart } = this.stack;
    const factor = view === "3d" ? apart : 1;
    if (sheet.floor < 0) {
      group.position.z = 0;
      group.scale.z = factor;
      return;
    }
    const height = view === "3d" ? PARAPET : this.storey(sheet);
    group.position.z = sheet.low * factor;
    group.scale.z = 1;
    sides.scale.z = height;
    lines[0].scale.z = height;
    if (cap !== undefined) cap.scale.z = height;
  }

  /** The height of the walls of a floor on the walk, m: up to the next floor that is above. */
  private storey({ low }: Sheet): number {
    const above = (this.document?.floors ?? []).map(({ elevation }) => elevation - low).filter((gap) => gap > 0.5);
    return Math.min(4, ...above) - 0.02;
  }

  private part(sheet: Sheet, bounds: Document["bounds"]): Part {
    const isFloor = sheet.floor >= 0;
    const z = (at: Point): number => (isFloor ? 0 : heightAt(sheet, at));
    const fill = new Mesh(sloped(flat(sheet.polygons.map((polygon) => ({ polygon, z: 0 }))), z), this.looks.solid.fill);
    const isLift = this.document?.links[sheet.link]?.kind === "lift";
    const walls = upright(sheet, z, isFloor ? 1 : isLift ? CABIN : PARAPET);
    const sides = new Mesh(uprights(walls), this.looks.solid.side);
    const tops = new LineSegments(strokes(walls.flatMap(({ a, b, top }) => [a[0], a[1], a[2] + top, b[0], b[1], b[2] + top])));
    const lines = [tops, new LineSegments(strokes(isFloor ? walls.flatMap(({ a, b }) => [...a, ...b]) : [...walls.flatMap(({ a, b }) => [...a, ...b]), ...this.marks(sheet)]))];
    const cap = isFloor ? new Mesh(flat(this.blocks(sheet, bounds).map((polygon) => ({ polygon, z: 1 }))), this.looks.solid.cap) : undefined;
    const group = new Group();
    group.add(fill, sides, ...lines, ...(cap === undefined ? [] : [cap]));
    return { sheet, group, fill, sides, lines, cap };
  }

  /** The obstacles of a floor: its holes in which no link stands. */
  private blocks(sheet: Sheet, bounds: Document["bounds"]): Polygon[] {
    const links = this.sheets.filter(({ link }) => link >= 0).map(middle);
    const solid = solids(sheet.polygons, bounds).slice(0, -1); // without the frame around everything
    return solid.map(({ polygon }) => polygon).filter(({ shell }) => !links.some(([x, y]) => inside(x, y, shell)));
  }

  /** Steps of stairs and escalators, and the direction in which an escalator runs. */
  private marks(sheet: Sheet): number[] {
    const facts = this.document?.links[sheet.link];
    if (sheet.low === sheet.high || facts === undefined || facts.kind === "ramp") return arrow(sheet, true);
    const count = Math.max(2, Math.round((sheet.high - sheet.low) / STEP));
    const steps = Array.from({ length: count - 1 }, (_, i) => across(sheet, (i + 1) / count)).flat();
    return facts.kind === "escalator" ? [...steps, ...arrow(sheet, facts.direction === "up")] : steps;
  }

  private namesOn(floor: number): LinkLabel[] {
    const { document } = this;
    const here = document?.floors[floor]?.name;
    if (document === undefined || here === undefined) return [];
    const own = this.sheets[this.sheetOf(floor)].joined.filter((k) => this.sheets[k].link >= 0);
    return own.map((k) => {
      const link = document.links[this.sheets[k].link];
      // Flights up and down are often side by side: their names are not at the same place along them.
      const at = placeOfName(this.sheets[k], link.kind === "lift" ? 0.5 : link.floors[0] === here ? 0.7 : 0.85);
      const state = this.closed.has(link.name) ? ", closed" : "";
      return { name: `${linkName(link, here)}${state}`, at, z: this.heightOn(k, at) };
    });
  }

  /** The edges of lift shafts, from the lowest cabin to the highest. */
  private addShafts(): void {
    const lifts = new Map<number, Sheet[]>();
    for (const sheet of this.sheets) {
      if (sheet.link >= 0 && this.document?.links[sheet.link].kind === "lift") lifts.set(sheet.link, [...(lifts.get(sheet.link) ?? []), sheet]);
    }
    const at = [...lifts.values()].flatMap((cabins) => {
      const heights = cabins.map(({ low }) => low);
      const [low, high] = [Math.min(...heights), Math.max(...heights) + CABIN];
      return cabins[0].polygons[0].shell.flatMap(({ x, y }) => [x, y, low, x, y, high]);
    });
    this.shafts = new LineSegments(strokes(at), this.looks.solid.line);
    this.root.add(this.shafts);
  }

  private clear(): void {
    this.root.traverse((part) => {
      if (part instanceof Mesh || part instanceof LineSegments) (part.geometry as BufferGeometry).dispose();
    });
    this.root.clear();
    for (const looks of Object.values(this.looks)) for (const material of Object.values(looks) as Material[]) material.dispose();
    this.parts = [];
    this.sheets = [];
    this.labels = [];
    this.present = new Set();
    this.shafts = undefined;
  }

  private makeLooks(): Record<"plan" | "solid" | "faint", Looks> {
    const palette = PALETTES[this.theme];
    const clippingPlanes = [this.knife];
    const lit = (color: string, opacity: number): Material =>
      new MeshLambertMaterial({ color, side: DoubleSide, clippingPlanes, transparent: opacity < 1, opacity, depthWrite: opacity === 1 });
    const side = (color: string, opacity: number): Material => Object.assign(lit(color, opacity), { vertexColors: true });
    const line = (opacity: number): Material =>
      new LineBasicMaterial({ color: palette.edge, clippingPlanes, transparent: opacity < 1, opacity, depthWrite: opacity === 1 });
    const made = (opacity: number): Looks => ({
      fill: Object.assign(lit(palette.ground, opacity), { map: opacity === 1 ? this.tiles : null }),
      link: lit(palette.link, Math.min(1, 2.5 * opacity)),
      shut: lit(palette.shut, Math.min(1, 5 * opacity)),
      side: side(palette.side, opacity),
      cap: lit(this.theme === "light" ? palette.cap : palette.side, opacity),
      line: line(Math.min(1, 4 * opacity)),
    });
    const plain = { depthTest: false, depthWrite: false, transparent: true };
    const plan = {
      ...made(1),
      link: new MeshBasicMaterial({ color: palette.link, ...plain }),
      shut: new MeshBasicMaterial({ color: palette.shut, ...plain }),
      line: new LineBasicMaterial({ color: palette.edge, ...plain }),
    };
    return { plan, solid: made(1), faint: made(0.07) };
  }
}

/** The middle of a sheet, on the plan. */
function middle({ polygons }: Sheet): Point {
  const { shell } = polygons[0];
  const sum = shell.reduce(([x, y], point) => [x + point.x, y + point.y], [0, 0]);
  return [sum[0] / shell.length, sum[1] / shell.length];
}

/** The middle of a slope at a share of the way up; the middle of a level sheet. */
function placeOfName(sheet: Sheet, share: number): Point {
  if (sheet.low === sheet.high) return middle(sheet);
  const [ax, ay, , bx, by] = across(sheet, share);
  return [(ax + bx) / 2, (ay + by) / 2];
}

/** A geometry with every corner at its height, and normals to match. */
function sloped(geometry: BufferGeometry, z: (at: Point) => number): BufferGeometry {
  const at = geometry.getAttribute("position") as BufferAttribute;
  for (let i = 0; i < at.count; i++) at.setZ(i, z([at.getX(i), at.getY(i)]));
  geometry.computeVertexNormals();
  return geometry;
}

function upright({ walls }: Sheet, z: (at: Point) => number, top: number): Upright[] {
  return Array.from({ length: walls.length / 4 }, (_, i) => {
    const [ax, ay, bx, by] = walls.subarray(4 * i, 4 * i + 4);
    return { a: [ax, ay, z([ax, ay])], b: [bx, by, z([bx, by])], top };
  });
}

/** A line across a slope, at a share of the way up. */
function across(sheet: Sheet, share: number): number[] {
  const [a, b, c, d] = sheet.sides;
  const z = sheet.low + share * (sheet.high - sheet.low) + 0.01;
  const mix = (p: readonly number[], q: readonly number[]): number[] => [p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1]), z];
  return [...mix(a, c), ...mix(b, d)];
}

/** An arrow along the middle of a slope, in the direction of people or of the belt; none on a landing. */
function arrow(sheet: Sheet, up: boolean): number[] {
  if (sheet.low === sheet.high) return [];
  const point = (share: number, side: number): number[] => {
    const [ax, ay, az, bx, by] = across(sheet, up ? share : 1 - share);
    return [ax + side * (bx - ax), ay + side * (by - ay), az];
  };
  const [tail, head] = [point(0.2, 0.5), point(0.8, 0.5)];
  return [...tail, ...head, ...head, ...point(0.7, 0.3), ...head, ...point(0.7, 0.7)];
}
