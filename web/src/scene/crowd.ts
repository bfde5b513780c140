/** The crowd: all characters, interpolated between two frames by the graphics card. */
import { BufferAttribute, Group, InstancedBufferAttribute, type BufferGeometry, type Color, type ShaderMaterial } from "three";
import type { Events } from "../protocol";
import type { Point, Theme } from "../store";
import { moves } from "./painter";
import { gap } from "./polygons";
import { discs, dots, farFigures, figures, uniforms } from "./people";
import type { Sight } from "./stage";

/** Positions of the crowd at one time, as the server sends them. */
export interface Frame {
  time: number;
  id: Uint32Array;
  at: Float32Array;
  velocity: Int16Array;
  radius: Uint16Array;
  population: Uint8Array;
  /** In a building: the height of the floor under each character, m, and its sheet. */
  height?: Float32Array;
  sheet?: Uint16Array;
  /** Obstacles, in a recording; in a building with their sheets. */
  discs?: Float32Array;
  disc_sheets?: Uint16Array;
}

/** Which characters of a building are drawn, and how high. */
export interface Levels {
  /** Sheets whose characters are drawn; undefined for all. */
  present: Set<number> | undefined;
  /** Factor of the heights. */
  rise: number;
  /** Nothing above this height is drawn, m. */
  cut: number;
}

/** A character as it is drawn now. */
export interface Found {
  at: Point;
  velocity: Point;
  radius: number;
  index: number;
  /** In a building: the height of the floor, m, and the sheet; 0 and -1 on a plan. */
  height: number;
  sheet: number;
}

export function frame({ ok, arrays }: Events["frame"]): Frame {
  return { time: ok.time, ...arrays };
}

/** Height of a figure, m. */
const HEIGHT = 1.75;

/** Dots up to this radius in pixels; larger people are drawn as discs. */
const DOT = 12;
/** Characters smaller than this many pixels are drawn as points; more of them if speed is preferred. */
const TALL = { fine: 26, quick: 60 };

export class CrowdScene {
  readonly root = new Group();
  count = 0;
  private readonly uniforms = uniforms();
  private readonly discs = discs(this.uniforms);
  private readonly dots = dots(this.uniforms);
  private readonly figures = figures(this.uniforms);
  private readonly far = farFigures(this.uniforms);
  private sight: Sight | undefined;
  private levels: Levels = { present: undefined, rise: 0, cut: Infinity };
  /** The sheets of the characters in a building. */
  private sheets: Uint16Array | undefined;
  /** All characters, and those that are drawn larger than dots. */
  private readonly all = new People();
  private readonly few = new People();
  private ids: Uint32Array = new Uint32Array(0);
  private readonly slots = new Map<number, number>();

  constructor() {
    const meshes = [this.discs, this.dots, this.figures, this.far];
    this.dots.renderOrder = this.discs.renderOrder = 20;
    for (const mesh of meshes) mesh.frustumCulled = false;
    this.root.add(...meshes);
    moves(this.root);
  }

  setTheme(theme: Theme): void {
    (this.uniforms.rim.value as Color).set(theme === "light" ? "#1f2937" : "#ffffff");
    this.uniforms.dim.value = theme === "light" ? 1.25 : 1.6;
  }

  setTint(tint: "population" | "speed"): void {
    this.uniforms.bySpeed.value = tint === "speed" ? 1 : 0;
  }

  /** Draw small characters fainter, so that the density below them is seen. */
  setFaint(on: boolean): void {
    this.uniforms.least.value = on ? 0.9 : 1.6;
    this.uniforms.strength.value = on ? 0.5 : 1;
  }

  /** Choose how to draw characters, depending on the camera. */
  look(sight: Sight): void {
    const { view, metres, perPixel, ratio, quick } = sight;
    this.sight = sight;
    const { pixel, perPixel: afar, nearer } = this.uniforms;
    pixel.value = metres / ratio;
    afar.value = perPixel / ratio;
    nearer.value = 1.75 / (perPixel * (quick ? TALL.quick : TALL.fine));
    const large = view === "map" && this.largest() > DOT * metres;
    this.discs.visible = large;
    this.dots.visible = view === "map" && !large;
    this.figures.visible = this.far.visible = view !== "map";
    this.choose();
  }

  /** Show the characters of some floors of a building. */
  setLevels(levels: Levels): void {
    this.levels = levels;
    this.uniforms.rise.value = levels.rise;
    this.uniforms.cut.value = Math.min(1e9, levels.cut + 0.01);
    if (this.sheets === undefined) return;
    this.all.hide(this.sheets, levels.present);
    this.all.upload();
    this.choose();
  }

  /** Number of characters on each of `count` sheets of a building. */
  counts(count: number): Uint32Array {
    const found = new Uint32Array(count);
    const { sheets } = this;
    for (let i = 0; sheets !== undefined && i < this.count; i++) if (sheets[i] < count) found[sheets[i]] += 1;
    return found;
  }

  /** Interpolation parameter between the two frames, 0 to 1. */
  setPart(part: number): void {
    this.uniforms.part.value = part;
  }

  /** Two frames to move between; characters that are only in the later one stand still. */
  setPair(before: Frame, after: Frame): void {
    this.count = after.id.length;
    this.sheets = after.sheet;
    const hasLevels = after.height !== undefined;
    if (this.all.reserve(this.count, hasLevels)) for (const mesh of [this.dots, this.far]) this.all.give(mesh.geometry, BufferAttribute);
    for (const { material } of [this.discs, this.dots, this.figures, this.far]) shade(material, hasLevels);
    this.all.set(before, after);
    if (after.sheet !== undefined) this.all.hide(after.sheet, this.levels.present);
    this.ids = after.id;
    this.slots.clear();
    for (const { geometry } of [this.dots, this.far]) geometry.setDrawRange(0, this.count);
    this.all.upload();
    if (this.sight !== undefined) this.look(this.sight);
  }

  /** Where a character is now, with its velocity; undefined when it is not there. */
  find(id: number): Found | undefined {
    if (this.slots.size === 0 && this.count > 0) this.ids.forEach((value, i) => this.slots.set(value, i));
    const i = this.slots.get(id);
    if (i === undefined || i >= this.count) return undefined;
    return { ...this.drawn(i), radius: this.all.self[3 * i], index: i, sheet: this.sheets?.[i] ?? -1 };
  }

  /** All characters, or those on the floors that are shown. */
  everybody(shown: boolean): Found[] {
    return Array.from(this.ids.subarray(0, this.count)).flatMap((id, i) => (shown && !this.isShown(i) ? [] : (this.find(id) ?? [])));
  }

  /** The character nearest to a point, within `reach` metres of its rim; -1 when there is none. */
  nearest(x: number, y: number, reach: number): number {
    let best = -1;
    let least = Infinity;
    for (let i = 0; i < this.count; i++) {
      if (!this.isShown(i)) continue;
      const { at } = this.drawn(i);
      const gap = Math.hypot(at[0] - x, at[1] - y) - this.all.self[3 * i];
      if (gap < Math.min(least, reach)) {
        least = gap;
        best = this.ids[i];
      }
    }
    return best;
  }

  /** The character whose figure is nearest to a pixel, within `reach` pixels; -1 when there is none. */
  nearestOnScreen(px: number, py: number, pixelAt: (x: number, y: number, z: number) => Point | undefined, reach: number): number {
    let best = -1;
    let least = reach;
    for (let i = 0; i < this.count; i++) {
      if (!this.isShown(i)) continue;
      const { at, height } = this.drawn(i);
      const z = height * this.levels.rise;
      const [feet, head] = [pixelAt(at[0], at[1], z), pixelAt(at[0], at[1], z + HEIGHT)];
      if (feet === undefined || head === undefined) continue;
      const wide = (this.all.self[3 * i] / HEIGHT) * Math.hypot(head[0] - feet[0], head[1] - feet[1]);
      const apart = gap([px, py], feet, head) - wide;
      if (apart < least) {
        least = apart;
        best = this.ids[i];
      }
    }
    return best;
  }

  pick(id: number): void {
    this.uniforms.picked.value = this.find(id)?.index ?? -1;
  }

  clear(): void {
    this.count = 0;
    for (const { geometry } of [this.dots, this.far]) geometry.setDrawRange(0, 0);
    this.choose();
  }

  private drawn(i: number): Pick<Found, "at" | "velocity" | "height"> {
    const t = this.uniforms.part.value as number;
    const { course, motion, level } = this.all;
    const mix = (array: Float32Array, k: number): number => array[4 * i + k] * (1 - t) + array[4 * i + 2 + k] * t;
    const height = level === undefined ? 0 : level[3 * i] * (1 - t) + level[3 * i + 1] * t;
    return { at: [mix(course, 0), mix(course, 1)], velocity: [mix(motion, 0), mix(motion, 1)], height };
  }

  /** Whether a character is on a floor that is shown. */
  private isShown(i: number): boolean {
    const { level } = this.all;
    return level === undefined || (level[3 * i + 2] === 0 && level[3 * i + 1] <= this.levels.cut + 0.01);
  }

  private largest(): number {
    let most = 0;
    for (let i = 0; i < this.count; i++) most = Math.max(most, this.all.self[3 * i]);
    return most;
  }

  /** Characters in view on the map, or near the camera in 3D: invisible instances cost time, too. */
  private choose(): void {
    const { sight } = this;
    const mesh = this.discs.visible ? this.discs : this.figures;
    if (sight === undefined || !mesh.visible) return;
    const chosen: number[] = [];
    const { course, self, level } = this.all;
    for (let i = 0; i < this.count; i++) {
      const z = level === undefined ? 0 : level[3 * i + 1] * this.levels.rise;
      if (this.isShown(i) && this.inView(sight, [course[4 * i + 2], course[4 * i + 3], z], self[3 * i])) chosen.push(i);
    }
    this.few.reserve(chosen.length, level !== undefined);
    this.few.give(mesh.geometry, InstancedBufferAttribute);
    this.few.pick(this.all, chosen);
    mesh.geometry.instanceCount = chosen.length;
    this.few.upload();
  }

  private inView({ view, eye, ahead, half }: Sight, [x, y, z]: [number, number, number], radius: number): boolean {
    const [dx, dy, dz] = [x - eye.x, y - eye.y, z - eye.z];
    if (view === "map") return Math.abs(dx) < half[0] + radius + 1 && Math.abs(dy) < half[1] + radius + 1;
    const reach = (this.uniforms.nearer.value as number) + 1;
    return dx * dx + dy * dy + dz * dz < reach * reach && dx * ahead.x + dy * ahead.y + dz * ahead.z > -3;
  }
}

/** Let a material read heights of floors, which only buildings have. */
function shade(material: ShaderMaterial, hasLevels: boolean): void {
  if ("FLOORS" in material.defines === hasLevels) return;
  material.defines = hasLevels ? { FLOORS: "" } : {};
  material.needsUpdate = true;
}

/** Courses, velocities and selves of some people, as the graphics card reads them. */
class People {
  course = new Float32Array(0);
  motion = new Float32Array(0);
  self = new Float32Array(0);
  /** In a building: heights in both frames, and whether they are not shown. */
  level: Float32Array | undefined;
  private readonly headings = new Headings();
  private attributes: Record<string, BufferAttribute> = {};
  private count = 0;

  /** Ensure the capacity; return whether the arrays were replaced. */
  reserve(count: number, hasLevels: boolean): boolean {
    this.count = count;
    if (count * 4 <= this.course.length && hasLevels === (this.level !== undefined)) return false;
    const capacity = Math.ceil(count * 1.3) + 64;
    this.course = new Float32Array(4 * capacity);
    this.motion = new Float32Array(4 * capacity);
    this.self = new Float32Array(3 * capacity);
    this.level = hasLevels ? new Float32Array(3 * capacity) : undefined;
    this.attributes = {};
    return true;
  }

  /** Let a geometry read these arrays. */
  give(geometry: BufferGeometry, kind: typeof BufferAttribute | typeof InstancedBufferAttribute): void {
    if (Object.keys(this.attributes).length === 0) {
      this.attributes.course = new kind(this.course, 4);
      this.attributes.motion = new kind(this.motion, 4);
      this.attributes.self = new kind(this.self, 3);
      if (this.level !== undefined) this.attributes.level = new kind(this.level, 3);
    }
    if (geometry.getAttribute("course") === this.attributes.course) return;
    geometry.dispose();
    geometry.deleteAttribute("level");
    for (const [name, attribute] of Object.entries(this.attributes)) geometry.setAttribute(name, attribute);
  }

  set(before: Frame, after: Frame): void {
    const { course, motion, self, level, headings } = this;
    const earlier = before === after ? undefined : places(before, after);
    for (let i = 0; i < this.count; i++) {
      const j = earlier === undefined ? i : earlier[i];
      const from = j < 0 ? after : before;
      const k = j < 0 ? i : j;
      course[4 * i] = from.at[2 * k];
      course[4 * i + 1] = from.at[2 * k + 1];
      course[4 * i + 2] = after.at[2 * i];
      course[4 * i + 3] = after.at[2 * i + 1];
      headings.turn(after.id[i], from.velocity[2 * k] / 1000, from.velocity[2 * k + 1] / 1000, motion, 4 * i);
      headings.turn(after.id[i], after.velocity[2 * i] / 1000, after.velocity[2 * i + 1] / 1000, motion, 4 * i + 2);
      self[3 * i] = after.radius[i] / 1000;
      self[3 * i + 1] = after.population[i];
      self[3 * i + 2] = i;
      if (level === undefined || after.height === undefined) continue;
      level[3 * i] = from.height?.[k] ?? after.height[i];
      level[3 * i + 1] = after.height[i];
    }
  }

  /** Hide those who are on other sheets than the ones that are shown. */
  hide(sheets: Uint16Array, present: Set<number> | undefined): void {
    const { level } = this;
    for (let i = 0; level !== undefined && i < this.count; i++) level[3 * i + 2] = present?.has(sheets[i]) === false ? 1 : 0;
  }

  /** Copy some characters of `others`. */
  pick(others: People, chosen: number[]): void {
    chosen.forEach((from, i) => {
      this.course.set(others.course.subarray(4 * from, 4 * from + 4), 4 * i);
      this.motion.set(others.motion.subarray(4 * from, 4 * from + 4), 4 * i);
      this.self.set(others.self.subarray(3 * from, 3 * from + 3), 3 * i);
      if (others.level !== undefined) this.level?.set(others.level.subarray(3 * from, 3 * from + 3), 3 * i);
    });
  }

  upload(): void {
    for (const attribute of Object.values(this.attributes)) {
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, attribute.itemSize * this.count);
      attribute.needsUpdate = true;
    }
  }
}

/** Speed below which a character keeps the direction that it had, m/s. */
const STANDS = 0.05;

/** The directions of characters: those who stand keep theirs. */
export class Headings {
  private known = new Float32Array(0);

  /** Write a velocity; that of a character that stands is tiny and has its last direction. */
  turn(id: number, vx: number, vy: number, out: Float32Array, at: number): void {
    if (2 * id >= this.known.length) {
      const larger = new Float32Array(4 * id + 128);
      larger.set(this.known);
      this.known = larger;
    }
    const { known } = this;
    const speed = Math.hypot(vx, vy);
    if (speed >= STANDS) {
      known[2 * id] = vx / speed;
      known[2 * id + 1] = vy / speed;
      out[at] = vx;
      out[at + 1] = vy;
    } else {
      out[at] = 0.001 * known[2 * id];
      out[at + 1] = 0.001 * known[2 * id + 1];
    }
  }
}

/** For each character of `after` its place in `before`, -1 for newcomers. */
function places(before: Frame, after: Frame): Int32Array {
  const found = new Int32Array(after.id.length);
  let most = 0;
  for (const id of before.id) if (id > most) most = id;
  for (const id of after.id) if (id > most) most = id;
  const slots = new Int32Array(most + 1).fill(-1);
  before.id.forEach((id, i) => (slots[id] = i));
  after.id.forEach((id, i) => (found[i] = slots[id]));
  return found;
}
