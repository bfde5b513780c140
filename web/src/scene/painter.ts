/** Draws pictures: what stands still is kept as a picture of its own, what moves is drawn over it. */
import {
  AlwaysDepth,
  Color,
  DepthStencilFormat,
  DepthTexture,
  GLSL3,
  BufferAttribute,
  BufferGeometry,
  Camera,
  LinearFilter,
  Mesh,
  NearestFilter,
  Object3D,
  OrthographicCamera,
  PCFShadowMap,
  RawShaderMaterial,
  SRGBColorSpace,
  Scene,
  UnsignedInt248Type,
  Vector2,
  WebGLRenderTarget,
  WebGLRenderer,
} from "three";

/** The layer of objects that move with the crowd; all others stand still. */
const MOVING = 1;

/** Say that an object and its parts move: they are drawn anew in each picture. */
export function moves(object: Object3D): void {
  object.traverse((part) => part.layers.set(MOVING));
}

/** Say that an object (a light) counts for both. */
export function everywhere(object: Object3D): void {
  object.layers.enable(MOVING);
}

/** How a picture is drawn. */
export interface Manner {
  /** Everything anew and with smooth edges. */
  fine: boolean;
  /** Pixels of the still part per pixel of the picture, and whether its edges are smooth. */
  scale: number;
  smooth: boolean;
}

export class Painter {
  readonly renderer: WebGLRenderer;
  private readonly smooth = still(4, NearestFilter);
  private readonly rough = still(0, LinearFilter);
  private readonly flat = copying("");
  private readonly deep = copying("gl_FragDepth = texture(depths, at).r;");
  private readonly size = new Vector2();
  /** The target that holds what stands still; undefined when nothing of it can be used. */
  private kept: WebGLRenderTarget | undefined;

  constructor(canvas: HTMLCanvasElement) {
    // Edges are smoothed in a target of our own: the canvas itself is written once per pixel.
    this.renderer = new WebGLRenderer({ canvas, antialias: false, stencil: true, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
  }

  setSky(colour: string): void {
    this.renderer.setClearColor(new Color(colour), 1);
  }

  /** What stands still has changed, or is seen from elsewhere. */
  spoil(): void {
    this.kept = undefined;
  }

  paint(scene: Scene, camera: Camera, manner: Manner): void {
    this.renderer.getDrawingBufferSize(this.size);
    if (manner.fine) this.paintAll(scene, camera);
    else this.paintMoving(scene, camera, manner);
    camera.layers.enableAll();
  }

  private paintAll(scene: Scene, camera: Camera): void {
    camera.layers.enableAll();
    this.renderInto(this.smooth, 1, scene, camera);
    this.kept = undefined;
    this.show(this.smooth, this.flat);
  }

  private paintMoving(scene: Scene, camera: Camera, { scale, smooth }: Manner): void {
    const wanted = smooth ? this.smooth : this.rough;
    if (this.kept === undefined) {
      camera.layers.set(0);
      this.renderInto(wanted, scale, scene, camera);
      this.kept = wanted;
    }
    // Seen from straight above, who walks is above all that stands: no depths are needed.
    this.show(this.kept, camera instanceof OrthographicCamera ? this.flat : this.deep);
    camera.layers.set(MOVING);
    this.renderer.autoClear = false;
    this.renderer.render(scene, camera);
    this.renderer.autoClear = true;
  }

  private renderInto(target: WebGLRenderTarget, scale: number, scene: Scene, camera: Camera): void {
    target.setSize(Math.ceil(this.size.x * scale), Math.ceil(this.size.y * scale));
    this.renderer.setRenderTarget(target);
    this.renderer.render(scene, camera);
    this.renderer.setRenderTarget(null);
  }

  /** Put a kept picture on the canvas. */
  private show(target: WebGLRenderTarget, { scene, camera, material }: Copy): void {
    const { colours, depths } = material.uniforms;
    colours.value = target.texture;
    depths.value = target.depthTexture;
    this.renderer.render(scene, camera);
  }
}

/** A target for a picture with depths; its colours are stored as the screen shows them. */
function still(samples: number, filter: typeof NearestFilter | typeof LinearFilter): WebGLRenderTarget {
  const depthTexture = new DepthTexture(1, 1, UnsignedInt248Type);
  depthTexture.format = DepthStencilFormat;
  depthTexture.minFilter = depthTexture.magFilter = NearestFilter;
  const filters = { minFilter: filter, magFilter: filter };
  const target = new WebGLRenderTarget(1, 1, { samples, depthTexture, stencilBuffer: true, ...filters });
  // three encodes colours for the screen and for headsets only: in a plain target dark tones
  // would be stored in too few steps, and translucent things would mix differently.
  target.texture.colorSpace = SRGBColorSpace;
  target.texture.internalFormat = "RGBA8";
  return Object.assign(target, { isXRRenderTarget: true });
}

const COPY_VERTEX = /* glsl */ `
  in vec3 position;
  out vec2 at;
  void main() {
    at = position.xy * 0.5 + 0.5;
    gl_Position = vec4(position.xy, 0.0, 1.0);
  }`;

const copyFragment = (depth: string): string => /* glsl */ `
  precision highp float;
  uniform sampler2D colours;
  uniform highp sampler2D depths;
  in vec2 at;
  out vec4 colour;
  void main() {
    colour = vec4(texture(colours, at).rgb, 1.0);
    ${depth}
  }`;

interface Copy {
  scene: Scene;
  camera: Camera;
  material: RawShaderMaterial;
}

/** One triangle over the whole canvas, which also does something about depths. */
function copying(depth: string): Copy {
  const material = new RawShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: COPY_VERTEX,
    fragmentShader: copyFragment(depth),
    depthFunc: AlwaysDepth,
    uniforms: { colours: { value: null }, depths: { value: null } },
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
  const triangle = new Mesh(geometry, material);
  triangle.frustumCulled = false;
  return { scene: new Scene().add(triangle), camera: new Camera(), material };
}
