/** Sun and sky of the 3D view; the sun casts shadows. */
import { DirectionalLight, HemisphereLight, Vector3, type Object3D } from "three";
import type { Theme } from "../store";
import { PALETTES } from "./colours";
import { everywhere } from "./painter";
import type { Bounds } from "./cameras";

export class Daylight {
  private readonly sun = new DirectionalLight(0xffffff, 1.9);
  private readonly sky = new HemisphereLight(0xffffff, 0xcfc6b8, 1.6);

  constructor() {
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(4096, 4096);
    this.sun.shadow.radius = 3;
    for (const light of [this.sun, this.sky]) everywhere(light);
  }

  get parts(): Object3D[] {
    return [this.sun, this.sun.target, this.sky];
  }

  setTheme(theme: Theme): void {
    this.sky.color.set(theme === "light" ? "#ffffff" : "#d5e0f2");
    this.sky.groundColor.set(PALETTES[theme].shade);
    this.sky.intensity = theme === "light" ? 2.0 : 2.6;
    this.sun.intensity = theme === "light" ? 1.7 : 2.6;
  }

  /** Fit the shadows to the bounds of a map. */
  aim([x0, y0, x1, y1]: Bounds): void {
    const size = Math.max(x1 - x0, y1 - y0, 1);
    const { shadow, target, position } = this.sun;
    target.position.set((x0 + x1) / 2, (y0 + y1) / 2, 0);
    position.copy(target.position).add(new Vector3(-0.45, -0.6, 1).multiplyScalar(size));
    const half = size * 0.75;
    Object.assign(shadow.camera, { left: -half, right: half, top: half, bottom: -half, near: 0.1, far: size * 3 });
    shadow.camera.updateProjectionMatrix();
    shadow.bias = -0.0004;
    shadow.normalBias = size * 0.0004;
  }
}
