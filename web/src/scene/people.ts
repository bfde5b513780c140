/** Draw characters: as discs on the map, as figures in 3D, as dots if they are small. */
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  InstancedBufferGeometry,
  LatheGeometry,
  Mesh,
  Points,
  ShaderMaterial,
  Vector2,
  Vector3,
  type IUniform,
} from "three";
import { POPULATIONS, SPEEDS } from "./colours";
import { square } from "./discs";

export type Uniforms = Record<string, IUniform>;

export function uniforms(): Uniforms {
  return {
    part: { value: 0 },
    bySpeed: { value: 0 },
    picked: { value: -1 },
    least: { value: 1.6 },
    strength: { value: 1 },
    pixel: { value: 0.01 },
    perPixel: { value: 0.001 },
    nearer: { value: 0 },
    dim: { value: 1 },
    rise: { value: 0 },
    cut: { value: 1e9 },
    rim: { value: new Color("#ffffff") },
    speeds: { value: SPEEDS.map((hex) => new Vector3(...bytes(hex))) },
    colours: { value: POPULATIONS.map((hex) => new Vector3(...new Color(hex).toArray())) },
  };
}

/** Red, green and blue of a colour as CSS has them, 0 to 1. */
function bytes(hex: string): [number, number, number] {
  const value = parseInt(hex.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

const SHARED = /* glsl */ `
  attribute vec4 course;    // position in this frame and in the next
  attribute vec4 motion;    // velocity in both frames, m/s
  attribute vec3 self;      // radius, colour, number
  uniform float part;
  uniform float bySpeed;
  uniform float picked;
  uniform vec3 colours[8];
  varying vec3 tint;
  uniform vec3 speeds[3];   // as CSS has them, so that the colours are those of the legend
  vec3 linear(vec3 c) { return mix(pow((c + 0.055) / 1.055, vec3(2.4)), c / 12.92, vec3(lessThan(c, vec3(0.04045)))); }
  vec3 ramp(float t) {
    return linear(t < 0.5 ? mix(speeds[0], speeds[1], t * 2.0) : mix(speeds[1], speeds[2], t * 2.0 - 1.0));
  }
  vec2 place() { return mix(course.xy, course.zw, part); }
  vec2 drift() { return mix(motion.xy, motion.zw, part); }
  void paint() {
    tint = bySpeed > 0.5 ? ramp(clamp(length(drift()) / 1.5, 0.0, 1.0)) : colours[int(mod(self.y, 8.0))];
    if (self.z == picked) tint = vec3(1.0, 0.85, 0.2);
  }
  vec2 facing() { vec2 v = drift(); float s = length(v); return s > 1e-5 ? v / s : vec2(0.0, 1.0); }
  // Convert to sRGB here: once per point instead of once per pixel.
  vec3 stored(vec3 c) { return mix(1.055 * pow(c, vec3(0.41666)) - 0.055, c * 12.92, vec3(lessThan(c, vec3(0.0031308)))); }
#ifdef FLOORS
  attribute vec3 level;     // height of the floor in this frame and in the next, m, and whether it is not shown
  uniform float rise;       // factor of the heights
  uniform float cut;        // nothing above this height is drawn, m
  float above() { return mix(level.x, level.y, part); }
  float lift() { return above() * rise + 0.02; } // feet are not seen from below
  bool away() { return level.z > 0.5 || above() > cut; }
#else
  float lift() { return 0.0; }
  bool away() { return false; }
#endif
  const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);
  float height() { return 0.94 + 0.12 * fract(self.y * 0.37 + self.x * 91.7); }`;

const DISC_VERTEX = /* glsl */ `
  ${SHARED}
  varying vec2 at;
  void main() {
    paint();
    vec2 ahead = facing();
    at = position.xy;
    vec2 turned = vec2(ahead.y * at.x + ahead.x * at.y, -ahead.x * at.x + ahead.y * at.y);
    gl_Position = projectionMatrix * viewMatrix * vec4(place() + turned * self.x, 0.2, 1.0);
    if (away()) gl_Position = NOWHERE;
  }`;

const DISC_FRAGMENT = /* glsl */ `
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
    gl_FragColor = vec4(mix(shade, vec3(1.0), nose * 0.85), alpha);
    #include <colorspace_fragment>
  }`;

// A point has one vertex instead of four, and its edges need no derivatives: with software
// rendering that is most of the work for thousands of characters.
const DOT_VERTEX = /* glsl */ `
  ${SHARED}
  uniform float pixel;
  uniform float least;      // radius of a dot, pixels
  uniform vec3 rim;
  varying float radius;     // pixels
  varying vec2 ahead;
  varying vec3 edge;
  void main() {
    paint();
    tint = stored(tint);
    edge = mix(tint, stored(rim), 0.55);
    ahead = facing();
    radius = max(self.x / pixel, least);
    gl_PointSize = 2.0 * radius + 1.0;
    gl_Position = projectionMatrix * viewMatrix * vec4(place(), 0.2, 1.0);
    if (away()) gl_Position = NOWHERE;
  }`;

const DOT_FRAGMENT = /* glsl */ `
  uniform float strength;
  varying float radius;
  varying vec2 ahead;
  varying vec3 edge;
  varying vec3 tint;
  void main() {
    vec2 at = (gl_PointCoord - 0.5) * (2.0 * radius + 1.0);
    float inside = radius + 0.5 - length(at);
    if (inside < 0.02) discard;
    vec3 shade = mix(tint, edge, clamp(0.14 * radius + 1.0 - inside, 0.0, 1.0));
    float nose = step(4.0, radius) * clamp(0.3 * radius + 0.5 - length(vec2(at.x, -at.y) - 0.52 * radius * ahead), 0.0, 1.0);
    gl_FragColor = vec4(mix(shade, vec3(1.0), nose * 0.85), min(inside, 1.0) * strength);
  }`;

const SUN = /* glsl */ `
  uniform float dim;
  float light(vec3 face) {
    float sun = max(0.0, dot(face, normalize(vec3(-0.45, -0.6, 1.0))));
    return (0.38 + 0.35 * (0.5 + 0.5 * face.z) + 0.5 * sun) * dim;
  }`;

const SOLID_VERTEX = /* glsl */ `
  ${SHARED}
  varying vec3 face;
  void main() {
    paint();
    vec2 ahead = facing();
    vec2 wide = position.xy * self.x / 0.25;
    vec2 turned = vec2(ahead.y * wide.x + ahead.x * wide.y, -ahead.x * wide.x + ahead.y * wide.y);
    face = vec3(ahead.y * normal.x + ahead.x * normal.y, -ahead.x * normal.x + ahead.y * normal.y, normal.z);
    gl_Position = projectionMatrix * viewMatrix * vec4(place() + turned, position.z * height() + lift(), 1.0);
    if (away()) gl_Position = NOWHERE;
  }`;

const SOLID_FRAGMENT = /* glsl */ `
  ${SUN}
  varying vec3 face;
  varying vec3 tint;
  void main() {
    gl_FragColor = vec4(tint * light(normalize(face)), 1.0);
    #include <colorspace_fragment>
  }`;

// The same figure from afar, as a point: an upright body and a head, flattened as they are seen
// from above, with the light that would fall on them.
const FAR_VERTEX = /* glsl */ `
  ${SHARED}
  uniform float perPixel;   // metres per pixel at one metre from the eye
  uniform float nearer;     // metres from the eye within which figures are drawn
  varying vec2 lean;        // cosine and sine of the angle at which the eye looks down
  varying vec4 shape;       // half width and half height of the body, radius and place of the head, m
  varying float side;       // metres that the point is wide
  varying float metre;      // metres that a pixel covers there
  void main() {
    paint();
    tint = stored(tint);
    vec4 feet = viewMatrix * vec4(place(), lift(), 1.0);
    float far = length(feet.xyz);
    float down = clamp(dot(normalize(feet.xyz), (viewMatrix * vec4(0.0, 0.0, -1.0, 0.0)).xyz), 0.0, 1.0);
    lean = vec2(sqrt(1.0 - down * down), down);
    metre = perPixel * far;
    float grown = max(1.0, 1.3 * metre / self.x);
    float wide = self.x * grown, tall = 1.75 * height() * min(grown, 2.0);
    float body = tall * 0.42;
    float high = sqrt(body * body * lean.x * lean.x + wide * wide * lean.y * lean.y);
    shape = vec4(wide, high, 0.5 * wide, (tall - 0.6 * wide - body) * lean.x);
    side = 2.0 * (0.5 * tall * lean.x + wide * lean.y) + metre;
    side = max(side, 2.0 * wide + metre);
    gl_PointSize = side / metre;
    gl_Position = projectionMatrix * viewMatrix * vec4(place(), lift() + body, 1.0);
    if (far < nearer || away()) gl_Position = NOWHERE;
  }`;

const FAR_FRAGMENT = /* glsl */ `
  ${SUN}
  uniform mat4 cameraMatrix;
  varying vec3 tint;
  varying vec2 lean;
  varying vec4 shape;
  varying float side;
  varying float metre;
  void main() {
    vec2 at = vec2(gl_PointCoord.x - 0.5, 0.5 - gl_PointCoord.y) * side;
    vec2 body = at / shape.xy;
    vec2 head = (at - vec2(0.0, shape.w)) / shape.z;
    bool up = dot(head, head) < 1.0;
    vec2 on = up ? head : body;
    float alpha = up ? 1.0 : min((1.0 - length(on)) * shape.x / metre + 0.5, 1.0);
    if (alpha < 0.3) discard;
    vec3 seen = vec3(on, sqrt(max(0.0, 1.0 - dot(on, on))));
    vec3 face = seen.x * cameraMatrix[0].xyz + seen.y * cameraMatrix[1].xyz + seen.z * cameraMatrix[2].xyz;
    if (!up) face = normalize(vec3(face.xy, face.z * 0.5));
    gl_FragColor = vec4(tint * pow(light(face), 0.45), alpha);
  }`;

/** Discs on the map, for characters that are large on the screen. */
export function discs(uniforms: Uniforms): Mesh<InstancedBufferGeometry, ShaderMaterial> {
  const look = { transparent: true, depthWrite: false, depthTest: false };
  const material = new ShaderMaterial({ ...look, vertexShader: DISC_VERTEX, fragmentShader: DISC_FRAGMENT, uniforms });
  return new Mesh(square(), material);
}

/** The same as points. */
export function dots(uniforms: Uniforms): Points<BufferGeometry, ShaderMaterial> {
  const look = { transparent: true, depthWrite: false, depthTest: false };
  const material = new ShaderMaterial({ ...look, vertexShader: DOT_VERTEX, fragmentShader: DOT_FRAGMENT, uniforms });
  return new Points(new BufferGeometry(), material);
}

/** Radius and height of a figure's outline, from the feet up. */
const OUTLINE = [[0.1, 0], [0.2, 0.5], [0.25, 1.25], [0.16, 1.42], [0.07, 1.46], [0.12, 1.58], [0.08, 1.72], [0, 1.75]];

/** Standing figures of radius 0.25 m and height 1.75 m. */
export function figures(uniforms: Uniforms): Mesh<InstancedBufferGeometry, ShaderMaterial> {
  const profile = OUTLINE.map(([r, z]) => new Vector2(r, z));
  const lathe = new LatheGeometry(profile, 9).rotateX(Math.PI / 2);
  const geometry = new InstancedBufferGeometry();
  geometry.setIndex(lathe.index);
  for (const name of ["position", "normal"]) geometry.setAttribute(name, lathe.getAttribute(name) as BufferAttribute);
  return new Mesh(geometry, new ShaderMaterial({ vertexShader: SOLID_VERTEX, fragmentShader: SOLID_FRAGMENT, uniforms }));
}

/** The same from afar, as points. */
export function farFigures(uniforms: Uniforms): Points<BufferGeometry, ShaderMaterial> {
  const cameraMatrix = { value: null as unknown };
  const look = { vertexShader: FAR_VERTEX, fragmentShader: FAR_FRAGMENT, uniforms: { ...uniforms, cameraMatrix } };
  const points = new Points(new BufferGeometry(), new ShaderMaterial({ ...look, transparent: true }));
  points.onBeforeRender = (_renderer, _scene, camera) => (cameraMatrix.value = camera.matrixWorld);
  return points;
}
