/**
 * Density of the crowd in persons per square metre, computed here from the frames: the mean over
 * surroundings of about MEAN pixels, so that it is seen in large maps, too.
 */
import {
  DataTexture,
  LinearFilter,
  Mesh,
  PlaneGeometry,
  RedFormat,
  ShaderMaterial,
  UnsignedByteType,
} from "three";
import type { Frame } from "./crowd";
import type { Bounds } from "./cameras";

/** Densities at which the ramp may end; above the last is level of service F (Fruin). */
const TOPS = [0.1, 0.2, 0.5, 1, 2, 4];

const MOST = 640;
const EVERY = 0.15;

/** Three means, one after the other, are almost a Gaussian. */
const PASSES = 3;

/** Width of the surroundings in pixels, and its least in metres. */
const MEAN = 24;
const LEAST = 2.8;

const VERTEX = /* glsl */ `
  varying vec2 at;
  void main() {
    at = uv;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;

const FRAGMENT = /* glsl */ `
  uniform sampler2D counts;
  varying vec2 at;
  vec3 ramp(float t) {
    vec3 a = vec3(1.0, 0.94, 0.66), b = vec3(0.996, 0.796, 0.357), c = vec3(0.973, 0.53, 0.235);
    vec3 d = vec3(0.85, 0.227, 0.184), e = vec3(0.49, 0.067, 0.25);
    t *= 4.0;
    if (t < 1.0) return mix(a, b, t);
    if (t < 2.0) return mix(b, c, t - 1.0);
    return t < 3.0 ? mix(c, d, t - 2.0) : mix(d, e, min(1.0, t - 3.0));
  }
  void main() {
    float density = texture2D(counts, at).r;
    float alpha = smoothstep(0.02, 0.2, density) * 0.8;
    if (alpha < 0.01) discard;
    gl_FragColor = vec4(ramp(density), alpha);
  }`;

export class Density {
  readonly mesh: Mesh<PlaneGeometry, ShaderMaterial>;
  /** Largest density in the last picture, persons per square metre. */
  peak = 0;
  /** Density at which the ramp ends, persons per square metre: it grows with the crowd. */
  top = TOPS[0];
  /** Called when the end of the ramp changes. */
  changed: () => void = () => undefined;
  private cells = new Float32Array(0);
  private blurred = new Float32Array(0);
  private bytes = new Uint8Array(0);
  private columns = 0;
  private rows = 0;
  private cell = 1;
  private origin: [number, number] = [0, 0];
  private texture: DataTexture | undefined;
  /** When a frame was counted, s; Infinity if the next one is due. */
  private drawn = Infinity;
  private frame: Frame | undefined;
  /** Metres per pixel of the map. */
  private metres = 0;
  /** The sheet of a building on which people are counted; undefined on a plan. */
  private sheet: number | undefined;
  /** Cells on either side over which a pass takes the mean. */
  private reach = 1;

  constructor() {
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      uniforms: { counts: { value: null } },
    });
    this.mesh = new Mesh(new PlaneGeometry(1, 1), material);
    this.mesh.renderOrder = 2;
    this.mesh.visible = false;
  }

  /** Cells of half a metre, or larger where the map is large. */
  fit([x0, y0, x1, y1]: Bounds): void {
    this.cell = Math.max(0.5, Math.max(x1 - x0, y1 - y0) / MOST);
    this.columns = Math.ceil((x1 - x0) / this.cell) + 2;
    this.rows = Math.ceil((y1 - y0) / this.cell) + 2;
    this.origin = [x0 - this.cell, y0 - this.cell];
    const size = this.columns * this.rows;
    this.cells = new Float32Array(size);
    this.blurred = new Float32Array(size);
    this.bytes = new Uint8Array(size);
    this.texture?.dispose();
    this.texture = new DataTexture(this.bytes, this.columns, this.rows, RedFormat, UnsignedByteType);
    this.texture.minFilter = this.texture.magFilter = LinearFilter;
    this.texture.unpackAlignment = 1;
    this.mesh.material.uniforms.counts.value = this.texture;
    const [width, height] = [this.columns * this.cell, this.rows * this.cell];
    this.mesh.scale.set(width, height, 1);
    this.mesh.position.set(this.origin[0] + width / 2, this.origin[1] + height / 2, this.mesh.position.z);
    this.reach = 0;
    this.look(this.metres);
  }

  /** Forget the crowd: another map is opened. */
  clear(): void {
    this.frame = undefined;
  }

  /** Count the people on one floor of a building, and draw it at a height; all people on a plan. */
  show(sheet: number | undefined, height: number): void {
    this.mesh.position.z = height + 0.02;
    if (sheet === this.sheet) return;
    this.sheet = sheet;
    this.restart();
    if (this.frame !== undefined && this.mesh.visible) this.update(this.frame, 0);
  }

  /** Width of the surroundings over which the mean is taken: four standard deviations, m. */
  get width(): number {
    return 4 * this.cell * Math.sqrt(this.reach * (this.reach + 1));
  }

  /** Show the density at another scale of the map. */
  look(metres: number): void {
    this.metres = metres;
    const cells = Math.max(LEAST, MEAN * metres) / (4 * this.cell);
    const reach = Math.max(1, Math.round(Math.sqrt(0.25 + cells * cells) - 0.5));
    if (reach === this.reach) return;
    this.reach = reach;
    this.restart();
    if (this.frame !== undefined && this.mesh.visible) this.update(this.frame, 0);
  }

  /** Forget the end of the ramp, and show the next frame at once. */
  private restart(): void {
    this.drawn = Infinity;
    this.top = TOPS[0];
    this.changed();
  }

  /** Count the frame's characters, at most a few times a second; whether it was done now. */
  update(frame: Frame, now: number): boolean {
    if (now - this.drawn < EVERY && now >= this.drawn) return false;
    this.drawn = now;
    this.frame = frame;
    this.cells.fill(0);
    this.splat(frame);
    for (let pass = 0; pass < PASSES; pass++) this.blur();
    const most = this.cells.reduce((peak, value) => Math.max(peak, value), 0);
    this.peak = most / (this.cell * this.cell);
    this.stretch();
    const scale = 255 / (this.cell * this.cell * this.top);
    for (let i = 0; i < this.cells.length; i++) this.bytes[i] = Math.min(255, this.cells[i] * scale);
    if (this.texture !== undefined) this.texture.needsUpdate = true;
    return true;
  }

  private stretch(): void {
    const top = Math.max(this.top, TOPS.find((value) => value >= this.peak) ?? TOPS[TOPS.length - 1]);
    if (top === this.top) return;
    this.top = top;
    this.changed();
  }

  /** Each character is distributed to the four cells around it. */
  private splat({ at, sheet: on }: Frame): void {
    const { cells, columns, rows, sheet } = this;
    for (let i = 0; i < at.length; i += 2) {
      if (on !== undefined && on[i >> 1] !== sheet) continue;
      const x = (at[i] - this.origin[0]) / this.cell - 0.5;
      const y = (at[i + 1] - this.origin[1]) / this.cell - 0.5;
      const c = Math.floor(x);
      const r = Math.floor(y);
      if (c < 0 || r < 0 || c + 1 >= columns || r + 1 >= rows) continue;
      const [u, v] = [x - c, y - r];
      const k = r * columns + c;
      cells[k] += (1 - u) * (1 - v);
      cells[k + 1] += u * (1 - v);
      cells[k + columns] += (1 - u) * v;
      cells[k + columns + 1] += u * v;
    }
  }

  /** One pass along rows and one along columns. */
  private blur(): void {
    const { cells, blurred, columns, rows, reach } = this;
    for (let r = 0; r < rows; r++) means(cells, blurred, { from: r * columns, count: columns, step: 1, reach });
    for (let c = 0; c < columns; c++) means(blurred, cells, { from: c, count: rows, step: columns, reach });
  }
}

/** Write the means of each cell of a line and `reach` cells on either side; there is nothing beyond its ends. */
function means(
  cells: Float32Array,
  out: Float32Array,
  { from, count, step, reach }: { from: number; count: number; step: number; reach: number },
): void {
  const share = 1 / (2 * reach + 1);
  let sum = 0;
  for (let i = -reach; i < count; i++) {
    if (i + reach < count) sum += cells[from + (i + reach) * step];
    if (i > reach) sum -= cells[from + (i - reach - 1) * step];
    if (i >= 0) out[from + i * step] = sum * share;
  }
}
