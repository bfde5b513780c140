/** Many flat discs in one call: a square each, rounded off in the fragment shader. */
import {
  Color,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  BufferAttribute,
  Mesh,
  ShaderMaterial,
  Vector2,
} from "three";
import type { Numbers } from "../wire";

export interface DiscLook {
  colour: string;
  /** Opacity of the inside and of the rim. */
  fill: number;
  rim: number;
  /** Least radius in pixels: small dots stay visible. */
  pixels?: number;
}

const VERTEX = /* glsl */ `
  attribute vec3 disc;
  attribute vec3 tint;
  uniform vec2 viewport;
  uniform float pixels;
  varying vec2 at;
  varying vec3 colour;
  void main() {
    at = position.xy;
    colour = tint;
    vec4 centre = projectionMatrix * modelViewMatrix * vec4(disc.xy, 0.03, 1.0);
    vec4 rim = projectionMatrix * modelViewMatrix * vec4(disc.xy + position.xy * disc.z, 0.03, 1.0);
    vec4 least = centre + vec4(position.xy * pixels * 2.0 / viewport * centre.w, 0.0, 0.0);
    gl_Position = disc.z > 0.0 ? rim : least;
  }`;

const FRAGMENT = /* glsl */ `
  varying vec3 colour;
  uniform float fill;
  uniform float rim;
  varying vec2 at;
  void main() {
    float r = length(at);
    float soft = fwidth(r);
    float inner = smoothstep(1.0, 1.0 - soft, r);
    float edge = inner * smoothstep(1.0 - 2.5 * soft, 1.0 - 1.5 * soft, r);
    float alpha = max(inner * fill, edge * rim);
    if (alpha < 0.01) discard;
    gl_FragColor = vec4(colour, alpha);
    #include <colorspace_fragment>
  }`;

export class Discs extends Mesh<InstancedBufferGeometry, ShaderMaterial> {
  constructor(order: number) {
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      uniforms: {
        fill: { value: 0 },
        rim: { value: 1 },
        pixels: { value: 3 },
        viewport: { value: new Vector2(1000, 800) },
      },
    });
    super(square(), material);
    this.renderOrder = order;
    this.frustumCulled = false;
    this.visible = false;
    this.onBeforeRender = (renderer) => renderer.getSize(this.material.uniforms.viewport.value as Vector2);
  }

  /** Draw discs (x, y, radius) in one colour or each in its own; a radius of zero is a dot of `pixels`. */
  draw(discs: Numbers, look: DiscLook, colours?: Float32Array): void {
    this.geometry.dispose();
    this.geometry = square();
    this.geometry.setAttribute("disc", new InstancedBufferAttribute(new Float32Array(discs), 3));
    this.geometry.instanceCount = discs.length / 3;
    const { uniforms } = this.material;
    const same = new Color(look.colour).toArray();
    const tints = colours ?? Float32Array.from(discs, (_, i) => same[i % 3]);
    this.geometry.setAttribute("tint", new InstancedBufferAttribute(tints, 3));
    uniforms.fill.value = look.fill;
    uniforms.rim.value = look.rim;
    uniforms.pixels.value = look.pixels ?? 3;
    this.visible = discs.length > 0;
  }
}

/** A square from -1 to 1, to be instanced. */
export function square(): InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  const corners = new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]);
  geometry.setAttribute("position", new BufferAttribute(corners, 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  return geometry;
}
