/** Dynamic obstacles: discs that users add to the crowd and drag. */
import { CylinderGeometry, Group, InstancedMesh, Matrix4, MeshLambertMaterial } from "three";
import type { Point } from "../store";
import { moves } from "./painter";

/** The sheets of a building that are shown, undefined for all, and the height of each. */
interface Placing {
  present: Set<number> | undefined;
  heightOn(sheet: number, at: Point): number;
}

export class Obstacles {
  readonly root = new Group();
  discs = new Float32Array(0);
  ids: number[] = [];
  /** In a building the sheet of each. */
  private sheets: Uint16Array | undefined;
  private place: Placing = { present: undefined, heightOn: () => 0 };
  private mesh: InstancedMesh;

  constructor() {
    const shape = new CylinderGeometry(1, 1, 1, 40).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.mesh = new InstancedMesh(shape, new MeshLambertMaterial({ color: "#8f1d3f" }), 0);
    this.reserve(64);
  }

  /** Number of obstacles that are drawn. */
  get count(): number {
    return this.mesh.count;
  }

  private reserve(count: number): void {
    const { geometry, material } = this.mesh;
    this.mesh.dispose();
    this.mesh = new InstancedMesh(geometry, material, count);
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
    this.root.clear();
    this.root.add(this.mesh);
    moves(this.root);
  }

  show(discs: Float32Array, ids: Iterable<number> = [], sheets?: Uint16Array): void {
    this.discs = new Float32Array(discs);
    this.ids = Array.from(ids);
    this.sheets = sheets;
    this.draw();
  }

  /** Put them on the floors of a building that are shown. */
  arrange(place: Placing): void {
    this.place = place;
    this.draw();
  }

  /** Whether an obstacle is on a floor that is shown. */
  private isShown(i: number): boolean {
    return this.sheets === undefined || this.place.present?.has(this.sheets[i]) !== false;
  }

  /** Move an obstacle immediately; the server's event follows. */
  move(id: number, [x, y]: Point): void {
    const i = this.ids.indexOf(id);
    if (i < 0) return;
    this.discs.set([x, y], 3 * i);
    this.draw();
  }

  /** The obstacle under a point, -1 where there is none. */
  at([x, y]: Point, reach: number): number {
    const i = this.ids.findIndex((_, k) => {
      const [ox, oy, radius] = this.discs.subarray(3 * k, 3 * k + 3);
      return this.isShown(k) && Math.hypot(ox - x, oy - y) <= radius + reach;
    });
    return i < 0 ? -1 : this.ids[i];
  }

  private draw(): void {
    const count = this.discs.length / 3;
    if (count > this.mesh.instanceMatrix.count) this.reserve(2 * count);
    this.mesh.count = count;
    for (let i = 0; i < this.mesh.count; i++) {
      const [x, y, radius] = this.discs.subarray(3 * i, 3 * i + 3);
      const z = this.sheets === undefined ? 0 : this.place.heightOn(this.sheets[i], [x, y]);
      const size = this.isShown(i) ? 1 : 0;
      this.mesh.setMatrixAt(i, new Matrix4().makeScale(size * radius, size * radius, size * 1.1).setPosition(x, y, z));
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
