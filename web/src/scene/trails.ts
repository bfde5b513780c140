/** Trajectories: the recent path of every character, fading with age. */
import { BufferAttribute, BufferGeometry, Color, LineSegments, ShaderMaterial, Vector3 } from "three";
import type { Frame, Levels } from "./crowd";
import { POPULATIONS } from "./colours";
import { moves } from "./painter";

const PIECES = 400_000;
const EVERY = 0.4;

const VERTEX = /* glsl */ `
  attribute vec2 born;     // time, population
  uniform vec3 colours[8];
  uniform float now;
  uniform float age;
  uniform float rise;      // factor of the heights, in a building
#ifdef FLOORS
  attribute float away;    // whether it is not shown
  uniform float cut;
#endif
  varying vec4 tint;
  void main() {
    float fade = clamp(1.0 - (now - born.x) / age, 0.0, 1.0) * step(born.x, now);
    tint = vec4(colours[int(mod(born.y, 8.0))], fade * 0.75);
    gl_Position = projectionMatrix * viewMatrix * vec4(position.xy, position.z * rise + 0.06, 1.0);
#ifdef FLOORS
    if (away > 0.5 || position.z > cut) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
#endif
  }`;

const FRAGMENT = /* glsl */ `
  varying vec4 tint;
  void main() {
    gl_FragColor = tint;
    #include <colorspace_fragment>
  }`;

export class Trails {
  readonly lines: LineSegments<BufferGeometry, ShaderMaterial>;
  private readonly at = new Float32Array(PIECES * 6);
  private readonly born = new Float32Array(PIECES * 4);
  /** In a building: the sheet of each piece, and whether its ends are not shown. */
  private sheets: Uint16Array | undefined;
  private away = new Float32Array(0);
  private levels: Levels = { present: undefined, rise: 0, cut: Infinity };
  private next = 0;
  private filled = 0;
  private before: Frame | undefined;
  private last = new Map<number, number>();

  constructor() {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.at, 3));
    geometry.setAttribute("born", new BufferAttribute(this.born, 2));
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      uniforms: {
        now: { value: 0 },
        age: { value: 15 },
        rise: { value: 0 },
        cut: { value: 1e9 },
        colours: { value: POPULATIONS.map((hex) => new Vector3(...new Color(hex).toArray())) },
      },
    });
    this.lines = new LineSegments(geometry, material);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 3;
    this.lines.visible = false;
    moves(this.lines);
  }

  get pieces(): number {
    return this.filled;
  }

  setNow(time: number): void {
    this.lines.material.uniforms.now.value = time;
  }

  /** Show the trajectories on some floors of a building. */
  setLevels(levels: Levels): void {
    this.levels = levels;
    const { rise, cut } = this.lines.material.uniforms;
    rise.value = levels.rise;
    cut.value = Math.min(1e9, levels.cut + 0.01);
    if (this.sheets === undefined) return;
    for (let k = 0; k < this.filled; k++) this.hide(k, this.sheets[k]);
    this.lines.geometry.getAttribute("away").needsUpdate = true;
  }

  private hide(piece: number, sheet: number): void {
    this.away.fill(this.levels.present?.has(sheet) === false ? 1 : 0, 2 * piece, 2 * piece + 2);
  }

  /** Keep the sheets of the pieces if there are floors. */
  private fit(hasFloors: boolean): void {
    if (hasFloors === (this.sheets !== undefined)) return;
    const { geometry, material } = this.lines;
    this.clear();
    this.sheets = hasFloors ? new Uint16Array(PIECES) : undefined;
    this.away = new Float32Array(hasFloors ? PIECES * 2 : 0);
    if (hasFloors) geometry.setAttribute("away", new BufferAttribute(this.away, 1));
    else geometry.deleteAttribute("away");
    material.defines = hasFloors ? { FLOORS: "" } : {};
    material.needsUpdate = true;
  }

  /** Add the displacements since the last added frame; clear everything after a jump in time. */
  add(frame: Frame): void {
    this.fit(frame.sheet !== undefined);
    const before = this.before;
    const gap = before === undefined ? Infinity : frame.time - before.time;
    if (gap >= 0 && gap < EVERY) return;
    if (before !== undefined && gap > 0 && gap < 5) this.join(before, frame);
    else this.clear();
    this.before = frame;
    this.last = new Map();
    frame.id.forEach((id, i) => this.last.set(id, i));
  }

  clear(): void {
    this.next = this.filled = 0;
    this.before = undefined;
    this.lines.geometry.setDrawRange(0, 0);
  }

  private join(before: Frame, frame: Frame): void {
    const from = this.next;
    const reach = (frame.time - before.time) * 5 + 1;
    for (let i = 0; i < frame.id.length; i++) {
      const j = this.last.get(frame.id[i]);
      if (j === undefined) continue;
      const [ax, ay] = [before.at[2 * j], before.at[2 * j + 1]];
      const [bx, by] = [frame.at[2 * i], frame.at[2 * i + 1]];
      if (Math.abs(ax - bx) + Math.abs(ay - by) > reach) continue;
      this.at.set([ax, ay, before.height?.[j] ?? 0, bx, by, frame.height?.[i] ?? 0], this.next * 6);
      if (this.sheets !== undefined && frame.sheet !== undefined) {
        this.sheets[this.next] = frame.sheet[i];
        this.hide(this.next, frame.sheet[i]);
      }
      this.born.set([before.time, frame.population[i], frame.time, frame.population[i]], this.next * 4);
      this.next = (this.next + 1) % PIECES;
      if (this.filled < PIECES) this.filled += 1;
    }
    this.upload(from);
  }

  private upload(from: number): void {
    const { geometry } = this.lines;
    const sizes: [string, number][] = [["position", 6], ["born", 4]];
    if (this.sheets !== undefined) sizes.push(["away", 2]);
    for (const [name, size] of sizes) {
      const attribute = geometry.getAttribute(name) as BufferAttribute;
      if (this.next >= from) attribute.addUpdateRange(from * size, (this.next - from) * size);
      else {
        attribute.addUpdateRange(from * size, (PIECES - from) * size);
        attribute.addUpdateRange(0, this.next * size);
      }
      attribute.needsUpdate = true;
    }
    geometry.setDrawRange(0, this.filled * 2);
  }
}
