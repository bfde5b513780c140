/** Draw pictures: static content is kept as a picture, over which moving content is drawn. */
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

/** The layer of moving objects; all others are static. */
const MOVING = 1;

/** Mark an object and its parts as moving: they are redrawn in each picture. */
export function moves(object: Object3D): void {
  object.traverse((part) => part.layers.set(MOVING));
}

/** Mark an object (a light) as part of both layers. */
export function everywhere(object: Object3D): void {
  object.layers.enable(MOVING);
}

/** How a picture is drawn. */
export interface Quality {
  /** Redraw everything, with smooth edges. */
  fine: boolean;
  /** Pixels of the static part per pixel of the picture, and whether its edges are smooth. */
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
  /** The target with the static content; undefined if it is outdated. */
  private kept: WebGLRenderTarget | undefined;

  constructor(canvas: HTMLCanvasElement) {
    // Antialiasing is done in a separate target: the canvas itself is written once per pixel.
    this.renderer = new WebGLRenderer({ canvas, antialias: false, stencil: true, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.localClippingEnabled = true; // of floors of buildings
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
  }

  setSky(colour: string): void {
    this.renderer.setClearColor(new Color(colour), 1);
  }

  /** The static content or its view has changed. */
  spoil(): void {
    this.kept = undefined;
  }

  paint(scene: Scene, camera: Camera, quality: Quality): void {
    this.renderer.getDrawingBufferSize(this.size);
    if (quality.fine) this.paintAll(scene, camera);
    else this.paintMoving(scene, camera, quality);
    camera.layers.enableAll();
  }

  private paintAll(scene: Scene, camera: Camera): void {
    camera.layers.enableAll();
    this.renderInto(this.smooth, 1, scene, camera);
    this.kept = undefined;
    this.show(this.smooth, this.flat);
  }

  private paintMoving(scene: Scene, camera: Camera, { scale, smooth }: Quality): void {
    const wanted = smooth ? this.smooth : this.rough;
    if (this.kept === undefined) {
      camera.layers.set(0);
      this.renderInto(wanted, scale, scene, camera);
      this.kept = wanted;
    }
    // Seen from above, characters are above all static content: no depth test is needed.
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

  /** Copy the kept picture to the canvas. */
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
