/** The crowd: instanced characters, moved between two frames by the graphics card. */
import {
  BufferAttribute,
  Color,
  Group,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  LatheGeometry,
  Mesh,
  ShaderMaterial,
  Vector2,
  Vector3,
  type IUniform,
} from "three";
import type { Arrays } from "../wire";
import type { Point, Theme, View } from "../store";
import { POPULATIONS } from "./colours";
import { square } from "./discs";

/** Positions of the crowd at one time, as the server sends them. */
export interface Frame {
  time: number;
  id: Uint32Array;
  at: Float32Array;
  velocity: Int16Array;
  radius: Uint16Array;
  population: Uint8Array;
  /** Obstacles that were there, in a recording. */
  discs?: Float32Array;
}

export function frame(facts: Record<string, unknown>, arrays: Arrays): Frame {
  return { time: Number(facts.time ?? 0), ...arrays } as unknown as Frame;
}

const SHARED = /* glsl */ `
  attribute vec4 course;    // where it was, where it is next
  attribute vec4 motion;    // velocity there and then, m/s
  attribute vec2 self;      // radius, colour
  uniform float part;
  uniform float bySpeed;
  uniform float picked;
  uniform vec3 colours[8];
  varying vec3 tint;
  vec3 ramp(float t) {
    vec3 slow = vec3(0.78, 0.18, 0.16), middle = vec3(0.93, 0.72, 0.30), fast = vec3(0.16, 0.58, 0.62);
    return t < 0.5 ? mix(slow, middle, t * 2.0) : mix(middle, fast, t * 2.0 - 1.0);
  }
  vec2 place() { return mix(course.xy, course.zw, part); }
  vec2 drift() { return mix(motion.xy, motion.zw, part); }
  void paint() {
    tint = bySpeed > 0.5 ? ramp(clamp(length(drift()) / 1.5, 0.0, 1.0)) : colours[int(mod(self.y, 8.0))];
    if (float(gl_InstanceID) == picked) tint = vec3(1.0, 0.85, 0.2);
  }
  vec2 facing() { vec2 v = drift(); float s = length(v); return s > 0.02 ? v / s : vec2(0.0, 1.0); }`;

const MAP_VERTEX = /* glsl */ `
  ${SHARED}
  uniform float pixel;
  varying vec2 at;
  void main() {
    paint();
    vec2 ahead = facing();
    at = position.xy;
    float size = max(self.x, 1.6 * pixel);
    vec2 turned = vec2(ahead.y * at.x + ahead.x * at.y, -ahead.x * at.x + ahead.y * at.y);
    gl_Position = projectionMatrix * viewMatrix * vec4(place() + turned * size, 0.2, 1.0);
  }`;

const MAP_FRAGMENT = /* glsl */ `
  uniform vec3 rim;
  varying vec2 at;
  varying vec3 tint;
  void main() {
    float r = length(at);
    float soft = fwidth(r);
    float alpha = smoothstep(1.0, 1.0 - soft, r);
    if (alpha < 0.02) discard;
    float nose = smoothstep(0.30, 0.30 - soft * 1.5, length(at - vec2(0.0, 0.52)));
    vec3 shade = mix(tint, rim, smoothstep(0.86 - soft, 0.86, r) * 0.55);
    gl_FragColor = vec4(mix(shade, vec3(1.0), nose * step(soft, 0.2) * 0.85), alpha);
    #include <colorspace_fragment>
  }`;

const SOLID_VERTEX = /* glsl */ `
  ${SHARED}
  uniform float perPixel;
  varying vec3 face;
  void main() {
    paint();
    vec2 ahead = facing();
    vec4 feet = viewMatrix * vec4(place(), 0.0, 1.0);
    float least = 1.3 * perPixel * -feet.z;  // metres that 1.3 pixels cover there
    float grown = max(1.0, least / self.x);
    vec2 wide = position.xy * self.x / 0.25 * grown;
    vec2 turned = vec2(ahead.y * wide.x + ahead.x * wide.y, -ahead.x * wide.x + ahead.y * wide.y);
    face = vec3(ahead.y * normal.x + ahead.x * normal.y, -ahead.x * normal.x + ahead.y * normal.y, normal.z);
    float tall = min(grown, 2.0) * position.z * (0.94 + 0.12 * fract(self.y * 0.37 + self.x * 91.7));
    gl_Position = projectionMatrix * viewMatrix * vec4(place() + turned, tall, 1.0);
  }`;

const SOLID_FRAGMENT = /* glsl */ `
  uniform float dim;
  varying vec3 face;
  varying vec3 tint;
  void main() {
    float sun = max(0.0, dot(normalize(face), normalize(vec3(-0.45, -0.6, 1.0))));
    float sky = 0.5 + 0.5 * normalize(face).z;
    gl_FragColor = vec4(tint * (0.38 + 0.35 * sky + 0.5 * sun) * dim, 1.0);
    #include <colorspace_fragment>
  }`;

export class CrowdScene {
  readonly root = new Group();
  count = 0;
  private readonly uniforms: Record<string, IUniform> = {
    part: { value: 0 },
    bySpeed: { value: 0 },
    picked: { value: -1 },
    pixel: { value: 0.01 },
    perPixel: { value: 0.001 },
    dim: { value: 1 },
    rim: { value: new Color("#ffffff") },
    colours: { value: POPULATIONS.map((hex) => new Vector3(...new Color(hex).toArray())) },
  };
  private readonly discs: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  private readonly bodies: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  private readonly far: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  private view: View = "map";
  private course = new Float32Array(0);
  private motion = new Float32Array(0);
  private self = new Float32Array(0);
  private ids: Uint32Array = new Uint32Array(0);
  private readonly slots = new Map<number, number>();
  private capacity = 0;

  constructor() {
    const { uniforms } = this;
    const look = { transparent: true, depthWrite: false, vertexShader: MAP_VERTEX, fragmentShader: MAP_FRAGMENT };
    this.discs = new Mesh(square(), new ShaderMaterial({ ...look, uniforms }));
    const solid = { vertexShader: SOLID_VERTEX, fragmentShader: SOLID_FRAGMENT };
    this.bodies = new Mesh(figure(NEAR, 9), new ShaderMaterial({ ...solid, uniforms }));
    this.far = new Mesh(figure(FAR, 4), this.bodies.material);
    this.discs.renderOrder = 20;
    for (const mesh of this.meshes) mesh.frustumCulled = false;
    this.root.add(...this.meshes);
    this.setView("map");
  }

  setView(view: View): void {
    this.view = view;
    const tiny = view === "3d" && (this.uniforms.pixel.value as number) > SMALL;
    this.discs.visible = view === "map";
    this.bodies.visible = view !== "map" && !tiny;
    this.far.visible = tiny;
  }

  setTheme(theme: Theme): void {
    (this.uniforms.rim.value as Color).set(theme === "light" ? "#1f2937" : "#ffffff");
    this.uniforms.dim.value = theme === "light" ? 1.25 : 1.6;
  }

  setTint(tint: "population" | "speed"): void {
    this.uniforms.bySpeed.value = tint === "speed" ? 1 : 0;
  }

  /** Metres per pixel: of the map, and at one metre from the eye. */
  setPixel(metres: number, perPixel: number): void {
    this.uniforms.pixel.value = metres;
    this.uniforms.perPixel.value = perPixel;
    this.setView(this.view);
  }

  /** Where between its two frames the crowd is drawn, 0 to 1. */
  setPart(part: number): void {
    this.uniforms.part.value = part;
  }

  /** Two frames to move between; who is only in the later one stands still. */
  setPair(before: Frame, after: Frame): void {
    this.count = after.id.length;
    this.reserve(this.count);
    const { course, motion, self } = this;
    const earlier = before === after ? undefined : places(before, after);
    for (let i = 0; i < this.count; i++) {
      const j = earlier === undefined ? i : earlier[i];
      const from = j < 0 ? after : before;
      const k = j < 0 ? i : j;
      course[4 * i] = from.at[2 * k];
      course[4 * i + 1] = from.at[2 * k + 1];
      course[4 * i + 2] = after.at[2 * i];
      course[4 * i + 3] = after.at[2 * i + 1];
      motion[4 * i] = from.velocity[2 * k] / 1000;
      motion[4 * i + 1] = from.velocity[2 * k + 1] / 1000;
      motion[4 * i + 2] = after.velocity[2 * i] / 1000;
      motion[4 * i + 3] = after.velocity[2 * i + 1] / 1000;
      self[2 * i] = after.radius[i] / 1000;
      self[2 * i + 1] = after.population[i];
    }
    this.ids = after.id;
    this.slots.clear();
    this.upload();
  }

  /** Where a character is drawn now, with its velocity; undefined when it is not there. */
  find(id: number): { at: Point; velocity: Point; radius: number; index: number } | undefined {
    if (this.slots.size === 0 && this.count > 0) this.ids.forEach((value, i) => this.slots.set(value, i));
    const i = this.slots.get(id);
    if (i === undefined || i >= this.count) return undefined;
    const { at, velocity } = this.drawn(i);
    return { at, velocity, radius: this.self[2 * i], index: i };
  }

  /** The character nearest to a point, within `reach` metres of its rim; -1 when there is none. */
  nearest(x: number, y: number, reach: number): number {
    let best = -1;
    let least = Infinity;
    for (let i = 0; i < this.count; i++) {
      const { at } = this.drawn(i);
      const gap = Math.hypot(at[0] - x, at[1] - y) - this.self[2 * i];
      if (gap < Math.min(least, reach)) {
        least = gap;
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
    this.upload();
  }

  private get meshes(): Mesh<InstancedBufferGeometry, ShaderMaterial>[] {
    return [this.discs, this.bodies, this.far];
  }

  private drawn(i: number): { at: Point; velocity: Point } {
    const t = this.uniforms.part.value as number;
    const { course, motion } = this;
    const mix = (array: Float32Array, k: number): number => array[4 * i + k] * (1 - t) + array[4 * i + 2 + k] * t;
    return { at: [mix(course, 0), mix(course, 1)], velocity: [mix(motion, 0), mix(motion, 1)] };
  }

  private reserve(count: number): void {
    if (count <= this.capacity) return;
    this.capacity = Math.ceil(count * 1.3) + 64;
    this.course = new Float32Array(4 * this.capacity);
    this.motion = new Float32Array(4 * this.capacity);
    this.self = new Float32Array(2 * this.capacity);
    const shared = {
      course: new InstancedBufferAttribute(this.course, 4),
      motion: new InstancedBufferAttribute(this.motion, 4),
      self: new InstancedBufferAttribute(this.self, 2),
    };
    for (const mesh of this.meshes) {
      mesh.geometry.dispose();
      for (const [name, attribute] of Object.entries(shared)) mesh.geometry.setAttribute(name, attribute);
    }
  }

  private upload(): void {
    for (const { geometry } of this.meshes) {
      geometry.instanceCount = this.count;
      for (const [name, size] of [["course", 4], ["motion", 4], ["self", 2]] as const) {
        const attribute = geometry.getAttribute(name) as InstancedBufferAttribute | undefined;
        if (attribute === undefined) continue;
        attribute.clearUpdateRanges();
        attribute.addUpdateRange(0, size * this.count);
        attribute.needsUpdate = true;
      }
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

/** Radius and height of a figure's outline, from the feet up; far away a few points will do. */
const NEAR = [[0.1, 0], [0.2, 0.5], [0.25, 1.25], [0.16, 1.42], [0.07, 1.46], [0.12, 1.58], [0.08, 1.72], [0, 1.75]];
const FAR = [[0.12, 0], [0.25, 1.3], [0.08, 1.75]];

/** Metres per pixel from which on people are drawn with few triangles. */
const SMALL = 0.08;

/** A standing figure of radius 0.25 m and height 1.75 m. */
function figure(outline: number[][], sides: number): InstancedBufferGeometry {
  const profile = outline.map(([r, z]) => new Vector2(r, z));
  const lathe = new LatheGeometry(profile, sides).rotateX(Math.PI / 2);
  const geometry = new InstancedBufferGeometry();
  geometry.setIndex(lathe.index);
  for (const name of ["position", "normal"]) geometry.setAttribute(name, lathe.getAttribute(name) as BufferAttribute);
  return geometry;
}
