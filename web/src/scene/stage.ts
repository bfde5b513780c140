/** The renderer, its three cameras (map, 3D, walk) and the loop that draws when something moved. */
import {
  Color,
  DirectionalLight,
  HemisphereLight,
  OrthographicCamera,
  PCFShadowMap,
  PerspectiveCamera,
  Plane,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
  type Camera,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Point, Theme, View } from "../store";
import { PALETTES } from "./colours";

/** Called before each picture with the seconds since the last; true asks for a picture. */
export type Ticker = (seconds: number) => boolean;
export type Bounds = [number, number, number, number];

const FLOOR = new Plane(new Vector3(0, 0, 1), 0);

export class Stage {
  readonly scene = new Scene();
  readonly map = new OrthographicCamera(-1, 1, 1, -1, -500, 2000);
  readonly orbit = new PerspectiveCamera(45, 1, 0.5, 8000);
  readonly walk = new PerspectiveCamera(62, 1, 0.05, 4000);
  readonly renderer: WebGLRenderer;
  readonly controls: OrbitControls;
  readonly canvas: HTMLCanvasElement;
  readonly moved: (() => void)[] = [];
  view: View = "map";
  metresPerPixel = 0.1;
  pictures = 0;
  /** Pixels on the left, top, right and bottom that panels cover. */
  margins: () => [number, number, number, number] = () => [24, 24, 24, 24];
  private readonly sun = new DirectionalLight(0xffffff, 1.9);
  private readonly sky = new HemisphereLight(0xffffff, 0xcfc6b8, 1.6);
  private readonly tickers: Ticker[] = [];
  private theme: Theme = "light";
  private dirty = true;
  /** Walls have changed since their shadows were drawn; the map has none. */
  private stale = true;
  private last = 0;
  /** When the pictures of the last two seconds were drawn, ms. */
  private readonly drawn: number[] = [];
  /** Nobody has moved a camera since the whole map was shown. */
  private fitted = true;
  private bounds: Bounds = [0, 0, 10, 10];
  private readonly ray = new Raycaster();

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    for (const camera of [this.orbit, this.walk]) camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.orbit, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.maxPolarAngle = Math.PI * 0.49;
    this.controls.enabled = false;
    this.controls.addEventListener("change", () => this.cameraMoved());
    this.controls.addEventListener("start", () => (this.fitted = false));
    this.light();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? document.body);
    this.resize();
    requestAnimationFrame((now) => this.loop(now));
  }

  get camera(): Camera {
    return { map: this.map, "3d": this.orbit, walk: this.walk }[this.view];
  }

  /** Pictures per second over the last two; nothing is drawn while nothing moves. */
  get fps(): number {
    const since = performance.now() - 2000;
    while (this.drawn.length > 0 && this.drawn[0] < since) this.drawn.shift();
    return this.drawn.length / 2;
  }

  /** Ask for a picture. */
  invalidate(): void {
    this.dirty = true;
  }

  tick(ticker: Ticker): void {
    this.tickers.push(ticker);
  }

  setView(view: View): void {
    if (!this.fitted) this.carry(this.view, view);
    this.view = view;
    this.controls.enabled = view === "3d";
    this.paintSky();
    this.cameraMoved();
  }

  setTheme(theme: Theme): void {
    const palette = PALETTES[theme];
    this.theme = theme;
    this.paintSky();
    this.sky.color.set(theme === "light" ? "#ffffff" : "#d5e0f2");
    this.sky.groundColor.set(palette.shade);
    this.sky.intensity = theme === "light" ? 2.0 : 2.6;
    this.sun.intensity = theme === "light" ? 1.7 : 2.6;
    this.invalidate();
  }

  /** Show the whole of `bounds` between the panels, in the map and in 3D. */
  fit(bounds: Bounds): void {
    this.bounds = bounds;
    const [x0, y0, x1, y1] = bounds;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const [left, top, right, bottom] = this.margins();
    const free = [Math.max(80, width - left - right), Math.max(80, height - top - bottom)];
    this.metresPerPixel = Math.max((x1 - x0) / free[0], (y1 - y0) / free[1]) * 1.03;
    const shift = [((right - left) / 2) * this.metresPerPixel, ((top - bottom) / 2) * this.metresPerPixel];
    const centre = [(x0 + x1) / 2, (y0 + y1) / 2];
    this.map.position.set(centre[0] + shift[0], centre[1] + shift[1], 500);
    const away = (this.metresPerPixel * height * 0.5) / Math.tan((this.orbit.fov * Math.PI) / 360);
    this.controls.target.set(centre[0] + shift[0] * 0.8, centre[1] - away * 0.04, 0);
    this.orbit.position.set(centre[0] + shift[0] * 0.8, centre[1] - away * 0.72, away * 0.72);
    this.aim(bounds);
    this.controls.update();
    this.cameraMoved();
    this.fitted = true;
  }

  /** The map and 3D show the same place at the same size. */
  private carry(from: View, to: View): void {
    const { target } = this.controls;
    const ahead = this.orbit.position.clone().sub(target);
    const size = Math.tan((this.orbit.fov * Math.PI) / 360) * 2;
    if (from === "map" && to === "3d") {
      target.set(this.map.position.x, this.map.position.y, 0);
      const away = (this.metresPerPixel * this.canvas.clientHeight) / size;
      this.orbit.position.copy(target).add(ahead.setLength(away));
      this.orbit.lookAt(target);
    } else if (from === "3d" && to === "map") {
      this.map.position.set(target.x, target.y, this.map.position.z);
      this.metresPerPixel = (ahead.length() * size) / this.canvas.clientHeight;
    }
  }

  /** Move the map's centre to a point (and the target of the orbit with it). */
  centreOn(x: number, y: number): void {
    this.fitted = false;
    if (this.view === "map") {
      this.map.position.x = x;
      this.map.position.y = y;
    } else {
      const { target } = this.controls;
      this.orbit.position.add(new Vector3(x - target.x, y - target.y, 0));
      target.set(x, y, target.z);
      this.orbit.lookAt(target);
    }
    this.cameraMoved();
  }

  /** Zoom so that the point under the pixel stays where it is; in 3D towards the middle. */
  zoom(factor: number, px: number, py: number): void {
    if (this.view === "walk") return;
    this.fitted = false;
    if (this.view === "3d") {
      this.orbit.position.lerp(this.controls.target, 1 - factor);
      this.cameraMoved();
      return;
    }
    const before = this.pointAt(px, py);
    const size = this.size();
    this.metresPerPixel = Math.min(size / 40, Math.max(size / 2e6, this.metresPerPixel * factor));
    this.project();
    const after = this.pointAt(px, py);
    if (before === undefined || after === undefined) return;
    this.pan(before[0] - after[0], before[1] - after[1]);
  }

  pan(dx: number, dy: number): void {
    this.fitted = false;
    this.map.position.x += dx;
    this.map.position.y += dy;
    this.cameraMoved();
  }

  /** The point of the ground (or of the plane at `z`) under a pixel of the canvas. */
  pointAt(px: number, py: number, z = 0): Point | undefined {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.camera.updateMatrixWorld();
    this.ray.setFromCamera(new Vector2((px / width) * 2 - 1, 1 - (py / height) * 2), this.camera);
    FLOOR.constant = -z;
    const hit = this.ray.ray.intersectPlane(FLOOR, new Vector3());
    return hit === null ? undefined : [hit.x, hit.y];
  }

  /** The pixel at which a point is drawn; undefined when it is behind the camera. */
  pixelAt(x: number, y: number, z = 0): Point | undefined {
    const at = new Vector3(x, y, z).project(this.camera);
    if (at.z > 1) return undefined;
    return [((at.x + 1) / 2) * this.canvas.clientWidth, ((1 - at.y) / 2) * this.canvas.clientHeight];
  }

  /** Metres per pixel at the middle of the view, also in 3D. */
  resolution(): number {
    if (this.view === "map") return this.metresPerPixel;
    const distance = this.orbit.position.distanceTo(this.controls.target);
    return (2 * distance * Math.tan((this.orbit.fov * Math.PI) / 360)) / this.canvas.clientHeight;
  }

  /** Metres per pixel at one metre from the eye, in 3D and on the walk. */
  get perPixel(): number {
    const { fov } = this.view === "walk" ? this.walk : this.orbit;
    return (2 * Math.tan((fov * Math.PI) / 360)) / Math.max(1, this.canvas.clientHeight);
  }

  cameraMoved(): void {
    this.project();
    for (const listener of this.moved) listener();
    this.invalidate();
  }

  shadowsMoved(): void {
    this.stale = true;
    this.invalidate();
  }

  private paintSky(): void {
    const { outside, sky } = PALETTES[this.theme];
    this.scene.background = new Color(this.view === "walk" ? sky : outside);
  }

  private size(): number {
    const [x0, y0, x1, y1] = this.bounds;
    return Math.max(x1 - x0, y1 - y0, 1);
  }

  private light(): void {
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(4096, 4096);
    this.sun.shadow.radius = 3;
    this.scene.add(this.sun, this.sun.target, this.sky);
  }

  private aim([x0, y0, x1, y1]: Bounds): void {
    const size = this.size();
    const { shadow, target, position } = this.sun;
    target.position.set((x0 + x1) / 2, (y0 + y1) / 2, 0);
    position.copy(target.position).add(new Vector3(-0.45, -0.6, 1).multiplyScalar(size));
    const half = size * 0.75;
    Object.assign(shadow.camera, { left: -half, right: half, top: half, bottom: -half, near: 0.1, far: size * 3 });
    shadow.camera.updateProjectionMatrix();
    shadow.bias = -0.0004;
    shadow.normalBias = size * 0.0004;
    this.orbit.far = size * 12;
    this.orbit.near = Math.max(0.2, size / 2000);
    this.controls.maxDistance = size * 5;
    this.shadowsMoved();
  }

  private project(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const half = [(width / 2) * this.metresPerPixel, (height / 2) * this.metresPerPixel];
    Object.assign(this.map, { left: -half[0], right: half[0], top: half[1], bottom: -half[1] });
    this.map.updateProjectionMatrix();
    for (const camera of [this.map, this.orbit, this.walk]) camera.updateMatrixWorld();
  }

  private resize(): void {
    const box = this.canvas.parentElement?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return;
    this.renderer.setSize(box.width, box.height, false);
    for (const camera of [this.orbit, this.walk]) {
      camera.aspect = box.width / box.height;
      camera.updateProjectionMatrix();
    }
    this.cameraMoved();
  }

  private loop(now: number): void {
    requestAnimationFrame((next) => this.loop(next));
    const seconds = Math.min(0.5, (now - this.last) / 1000);
    this.last = now;
    for (const ticker of this.tickers) if (ticker(seconds)) this.dirty = true;
    if (!this.dirty) return;
    this.dirty = false;
    if (this.stale && this.view !== "map") {
      this.stale = false;
      this.renderer.shadowMap.needsUpdate = true;
    }
    this.renderer.render(this.scene, this.camera);
    this.pictures += 1;
    this.drawn.push(now);
  }
}
