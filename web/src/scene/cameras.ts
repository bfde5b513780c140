/** The three cameras (map, 3D, walk): what they show, and where a pixel is on the ground. */
import { OrthographicCamera, PerspectiveCamera, Plane, Raycaster, Vector2, Vector3, type Camera } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Point, View } from "../store";

export type Bounds = [number, number, number, number];

/** A camera: centre and metres per pixel of the map, or position and target in 3D. */
export type Pose = readonly number[];

const FLOOR = new Plane(new Vector3(0, 0, 1), 0);

export class Cameras {
  readonly map = new OrthographicCamera(-1, 1, 1, -1, -500, 2000);
  readonly orbit = new PerspectiveCamera(45, 1, 0.5, 8000);
  readonly walk = new PerspectiveCamera(62, 1, 0.05, 4000);
  readonly controls: OrbitControls;
  readonly canvas: HTMLCanvasElement;
  /** Called when a camera has moved. */
  readonly moved: (() => void)[] = [];
  view: View = "map";
  metresPerPixel = 0.1;
  /** Height of the ground that the pointer is on, m. */
  level = 0;
  /** Pixels on the left, top, right and bottom that panels cover. */
  margins: () => [number, number, number, number] = () => [24, 24, 24, 24];
  /** No camera has moved since the whole map was shown. */
  private fitted = true;
  private bounds: Bounds = [0, 0, 10, 10];
  private readonly ray = new Raycaster();

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    for (const camera of [this.orbit, this.walk]) camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.orbit, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.maxPolarAngle = Math.PI * 0.49;
    this.controls.enabled = false;
    this.controls.addEventListener("change", () => this.cameraMoved());
    this.controls.addEventListener("start", () => (this.fitted = false));
  }

  get camera(): Camera {
    return { map: this.map, "3d": this.orbit, walk: this.walk }[this.view];
  }

  setView(view: View): void {
    if (!this.fitted) this.carry(this.view, view);
    this.view = view;
    this.controls.enabled = view === "3d";
    this.cameraMoved();
  }

  /** Show the whole of `bounds` between the panels, in the map and in 3D; there between two heights, m. */
  fit(bounds: Bounds, [low, high]: [number, number] = [0, 0]): void {
    this.bounds = bounds;
    const [x0, y0, x1, y1] = bounds;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const [left, top, right, bottom] = this.margins();
    const free = [Math.max(80, width - left - right), Math.max(80, height - top - bottom)];
    this.metresPerPixel = Math.max((x1 - x0) / free[0], (y1 - y0) / free[1]) * 1.03;
    const shift = [((right - left) / 2) * this.metresPerPixel, ((top - bottom) / 2) * this.metresPerPixel];
    const centre = [(x0 + x1) / 2, (y0 + y1) / 2];
    this.map.position.set(centre[0] + shift[0], centre[1] + shift[1], 500);
    // Seen at 45 degrees, depth and height are 0.7 times as long on the screen.
    const tall = ((y1 - y0 + high - low) * 0.71) / free[1];
    const nearer = 1.1 + (0.3 * (high - low)) / (high - low + y1 - y0); // what is high is nearer to the eye
    const perPixel = high > low ? Math.max((x1 - x0) / free[0], tall) * nearer : this.metresPerPixel;
    const away = (perPixel * height * 0.5) / Math.tan((this.orbit.fov * Math.PI) / 360);
    // Seen at 45 degrees, the ground is 1.4 times as long as what it covers of the screen.
    const factor = perPixel / this.metresPerPixel;
    const [x, y, z] = [centre[0] + shift[0] * 0.8 * factor, centre[1] + shift[1] * 1.4 * factor, (low + high) / 2];
    this.controls.target.set(x, y - away * 0.04, z);
    this.orbit.position.set(x, y - away * 0.72, z + away * 0.72);
    this.reach(high - low);
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

  /** The camera of the present view; undefined on the walk, and if the whole map is shown. */
  pose(): Pose | undefined {
    if (this.fitted || this.view === "walk") return undefined;
    if (this.view === "map") return [this.map.position.x, this.map.position.y, this.metresPerPixel];
    return [...this.orbit.position.toArray(), ...this.controls.target.toArray()];
  }

  setPose(pose: Pose): void {
    this.fitted = false;
    if (pose.length === 3 && this.view === "map") {
      [this.map.position.x, this.map.position.y] = pose;
      this.metresPerPixel = Math.min(this.size() / 40, Math.max(this.size() / 2e6, pose[2]));
    } else if (pose.length === 6 && this.view === "3d") {
      this.orbit.position.fromArray(pose);
      this.controls.target.fromArray(pose, 3);
      this.orbit.lookAt(this.controls.target);
    }
    this.cameraMoved();
  }

  /** Move the map's centre to a point (and the target of the orbit with it, in a building to its height). */
  centreOn(x: number, y: number, z?: number): void {
    this.fitted = false;
    if (this.view === "map") {
      this.map.position.x = x;
      this.map.position.y = y;
    } else {
      const { target } = this.controls;
      const up = z === undefined ? target.z : z;
      this.orbit.position.add(new Vector3(x - target.x, y - target.y, up - target.z));
      target.set(x, y, up);
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
  pointAt(px: number, py: number, z = this.level): Point | undefined {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.camera.updateMatrixWorld();
    this.ray.setFromCamera(new Vector2((px / width) * 2 - 1, 1 - (py / height) * 2), this.camera);
    FLOOR.constant = -z;
    const hit = this.ray.ray.intersectPlane(FLOOR, new Vector3());
    return hit === null ? undefined : [hit.x, hit.y];
  }

  /** The pixel at which a point is drawn; undefined when it is behind the camera. */
  pixelAt(x: number, y: number, z = this.level): Point | undefined {
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
  }

  /** The canvas has another size. */
  protected shape(width: number, height: number): void {
    for (const camera of [this.orbit, this.walk]) {
      camera.aspect = width / height;
      camera.updateProjectionMatrix();
    }
    this.cameraMoved();
  }

  private size(): number {
    const [x0, y0, x1, y1] = this.bounds;
    return Math.max(x1 - x0, y1 - y0, 1);
  }

  /** How near and how far things are seen in a map of this size. */
  private reach(height: number): void {
    const size = Math.max(this.size(), height);
    this.orbit.far = size * 12;
    this.orbit.near = Math.max(0.2, size / 2000);
    this.controls.maxDistance = size * 5;
  }

  private project(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const half = [(width / 2) * this.metresPerPixel, (height / 2) * this.metresPerPixel];
    Object.assign(this.map, { left: -half[0], right: half[0], top: half[1], bottom: -half[1] });
    this.map.updateProjectionMatrix();
    for (const camera of [this.map, this.orbit, this.walk]) camera.updateMatrixWorld();
  }
}
