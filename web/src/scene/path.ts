/** A path with its corridor and backbone, or the pinch that blocks it. */
import { Group } from "three";
import type { PathArrays } from "../protocol";
import type { Point, Theme } from "../store";
import { PALETTES } from "./colours";
import { Discs } from "./discs";
import { moves } from "./painter";
import { Strip, Strokes, climb } from "./strokes";

export class PathScene {
  readonly root = new Group();
  /** Points of the path that is drawn. */
  length = 0;
  private readonly corridor = new Strip("#3b82f6", 0.16, 6);
  private readonly left = new Strokes({ colour: "#3b82f6", width: 1.4, opacity: 0.7, order: 7, z: 0.04 });
  private readonly right = new Strokes({ colour: "#3b82f6", width: 1.4, opacity: 0.7, order: 7, z: 0.04 });
  private readonly backbone = new Strokes({ colour: "#2563eb", width: 1.6, opacity: 0.8, dash: 0.35, order: 8 });
  private readonly route = new Strokes({ colour: "#7c3aed", width: 1.6, opacity: 0.9, dash: 0.2, order: 8 });
  private readonly halo = new Strokes({ colour: "#ffffff", width: 7, opacity: 0.85, order: 9, z: 0.06 });
  private readonly path = new Strokes({ colour: "#e0562b", width: 4, order: 10, z: 0.07 });
  /** The path where it is on other floors. */
  private readonly elsewhere = new Strokes({ colour: "#e0562b", width: 3, opacity: 0.35, order: 9 });
  private readonly gap = new Strokes({ colour: "#dc2626", width: 5, order: 11, z: 0.3 });
  private readonly shift = new Strokes({ colour: "#dc2626", width: 2, order: 11, dash: 0.25 });
  private readonly disc = new Discs(11);
  private readonly ring = new Discs(11);
  private theme: Theme = "light";

  constructor() {
    const { corridor, left, right, backbone, route, halo, path, elsewhere, gap, disc, shift, ring } = this;
    this.root.add(corridor, left, right, backbone, route, halo, path, elsewhere, gap, disc, shift, ring);
    moves(this.root);
  }

  setTheme(theme: Theme): void {
    const palette = PALETTES[theme];
    this.theme = theme;
    this.corridor.material.color.set(palette.corridor);
    for (const wall of [this.left, this.right]) wall.material.color.set(palette.corridor);
    this.backbone.material.color.set(palette.backbone);
    for (const line of [this.path, this.elsewhere]) line.material.color.set(palette.path);
    this.halo.material.color.set(theme === "light" ? "#ffffff" : "#12151b");
    for (const line of [this.gap, this.shift]) line.material.color.set(palette.pinch);
  }

  show(arrays: PathArrays): void {
    this.clear();
    const { path, backbone, left, right, route } = arrays;
    this.length = path.length / 2;
    this.corridor.draw(left, right);
    this.left.drawChain(left);
    this.right.drawChain(right);
    this.backbone.drawChain(backbone);
    this.route.drawChain(route);
    this.halo.drawChain(path);
    this.path.drawChain(path);
  }

  /** A path through a building: strong on the sheets that are present, and faint elsewhere. */
  climb(arrays: PathArrays, present: Set<number>, scale: number): void {
    this.clear();
    this.root.scale.z = scale > 0 ? scale : 1e-6;
    this.root.position.z = scale > 0 ? 0 : 0.05;
    const { path, heights, sheets, backbone, left, right, disc_heights: levels, disc_sheets: on } = arrays;
    if (heights === undefined || sheets === undefined) return;
    this.length = heights.length;
    const isHere = (i: number): boolean => present.has(sheets[i]);
    this.halo.draw(climb(path, heights, 0.06, isHere));
    this.path.draw(climb(path, heights, 0.07, isHere));
    this.elsewhere.draw(climb(path, heights, 0.06, (i) => !isHere(i)));
    if (levels === undefined || on === undefined) return;
    // A ride in a lift joins two discs at the same place.
    const walked = (i: number): boolean => present.has(on[i]) && present.has(on[i + 1]) && Math.abs(levels[i + 1] - levels[i]) < 2;
    this.corridor.draw(left, right, 0.03, levels, walked);
    for (const [line, points] of [[this.left, left], [this.right, right], [this.backbone, backbone]] as const) {
      if (points !== undefined) line.draw(climb(points, levels, 0.04, walked));
    }
  }

  /** The narrowest point between the two walls that are too close. */
  showPinch(at: Point, width: number, walls: [Point, Point] | undefined): void {
    this.clear();
    if (walls !== undefined) this.gap.drawChain(new Float32Array(walls.flat()));
    const disc = new Float32Array([...at, Math.max(width / 2, 0.05)]);
    this.disc.draw(disc, { colour: PALETTES[this.theme].pinch, fill: 0.25, rim: 1 });
  }

  /** Marks that are in a wall, each with the place that is used instead. */
  showMoved(pairs: [Point, Point][], radius: number): void {
    this.shift.draw(pairs.flatMap(([[ax, ay], [bx, by]]) => [ax, ay, 0.3, bx, by, 0.3]));
    const rings = new Float32Array(pairs.flatMap(([, at]) => [...at, radius]));
    this.ring.draw(rings, { colour: PALETTES[this.theme].pinch, fill: 0.15, rim: 1 });
  }

  clear(): void {
    this.length = 0;
    this.root.scale.z = 1;
    this.root.position.z = 0;
    this.ring.visible = false;
    this.corridor.draw(undefined, undefined);
    for (const line of [this.left, this.right, this.backbone, this.route, this.halo, this.path, this.elsewhere, this.gap, this.shift]) {
      line.draw([]);
    }
    this.disc.visible = false;
  }
}
