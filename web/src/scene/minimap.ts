/** The map in the corner of the walk-through (voronoi-roadmaps-2004, section 4.3). */
import { h } from "../dom";
import type { Point, Theme } from "../store";
import { PALETTES } from "./colours";
import type { Polygon } from "./polygons";
import type { Bounds } from "./cameras";
import { EYE, type Walker } from "./walker";

/** Pixels of its longer side, also on a narrow screen. */
const SIDE = 260;
const NARROW = 170;

/** In a building, the course is drawn where it is at most this far above or below the floor, m. */
const STOREY = 1.8;

/** A stop of a tour, in a building with its floor. */
export interface Stop {
  at: Point;
  floor: string | undefined;
}

export class Minimap {
  readonly canvas: HTMLCanvasElement;
  stops: Stop[] = [];
  /** The floor that is drawn, and its elevation; undefined on a plan. */
  floor: string | undefined;
  level: number | undefined;
  private plan = new Path2D();
  private links = new Path2D();
  private walls = new Path2D();
  private bounds: Bounds = [0, 0, 1, 1];
  private scale = 1;
  private theme: Theme = "light";
  private readonly ratio = Math.min(2, window.devicePixelRatio || 1);

  constructor(go: (to: Point, chain: boolean) => void) {
    this.canvas = h("canvas", {
      class: "minimap",
      "data-testid": "minimap",
      tabindex: 0,
      role: "img",
      "aria-label": "Map: click to walk there, hold Shift to add a stop",
      title: "Click: walk there. Shift+click: add a stop to the tour",
    });
    this.canvas.addEventListener("click", (event) => {
      const to = this.pointAt(event.offsetX, event.offsetY);
      go(to, event.shiftKey);
    });
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
  }

  fit(bounds: Bounds, floors: Polygon[], lines: Float32Array, links: Polygon[] = []): void {
    this.bounds = bounds;
    const [width, height] = [bounds[2] - bounds[0], bounds[3] - bounds[1]];
    const side = window.innerWidth <= 760 ? NARROW : SIDE;
    this.scale = (side - 16) / Math.max(width, height);
    this.canvas.width = (width * this.scale + 16) * this.ratio;
    this.canvas.height = (height * this.scale + 16) * this.ratio;
    this.canvas.style.width = `${this.canvas.width / this.ratio}px`;
    this.canvas.style.height = `${this.canvas.height / this.ratio}px`;
    this.plan = this.outline(floors);
    this.links = this.outline(links);
    this.walls = new Path2D();
    for (let i = 0; i < lines.length; i += 4) {
      this.walls.moveTo(...this.pixel([lines[i], lines[i + 1]]));
      this.walls.lineTo(...this.pixel([lines[i + 2], lines[i + 3]]));
    }
  }

  private outline(polygons: Polygon[]): Path2D {
    const made = new Path2D();
    for (const ring of polygons.flatMap(({ shell, holes }) => [shell, ...holes])) {
      ring.forEach((point, i) => made[i === 0 ? "moveTo" : "lineTo"](...this.pixel([point.x, point.y])));
      made.closePath();
    }
    return made;
  }

  draw(walker: Walker): void {
    const pen = this.canvas.getContext("2d");
    if (pen === null) return;
    const palette = PALETTES[this.theme];
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.fillStyle = palette.floor;
    pen.strokeStyle = palette.edge;
    pen.lineWidth = 0.8;
    pen.fill(this.plan, "evenodd");
    pen.stroke(this.plan);
    pen.fillStyle = palette.link;
    pen.fill(this.links);
    pen.stroke(this.links);
    pen.stroke(this.walls);
    this.drawCourse(pen, walker);
    this.stops.forEach((stop, i) => stop.floor === this.floor && this.drawStop(pen, stop.at, i + 1));
    if (this.isHere(walker.height)) this.drawEye(pen, walker);
  }

  /** The point of the map under a pixel of the canvas. */
  pointAt(px: number, py: number): Point {
    return [this.bounds[0] + (px - 8) / this.scale, this.bounds[3] - (py - 8) / this.scale];
  }

  pixel([x, y]: Point): Point {
    return [8 + (x - this.bounds[0]) * this.scale, 8 + (this.bounds[3] - y) * this.scale];
  }

  /** Whether an eye is on the floor that is drawn, or on the stairs beside it. */
  private isHere(height: number): boolean {
    return this.level === undefined || Math.abs(height - EYE - this.level) < STOREY;
  }

  private drawCourse(pen: CanvasRenderingContext2D, { course }: Walker): void {
    pen.beginPath();
    let on = false;
    for (let i = 0; i < course.length; i += 3) {
      const here = this.isHere(course[i + 2]);
      if (here) pen[on ? "lineTo" : "moveTo"](...this.pixel([course[i], course[i + 1]]));
      on = here;
    }
    pen.strokeStyle = PALETTES[this.theme].path;
    pen.lineWidth = 2.2;
    pen.lineJoin = "round";
    pen.stroke();
  }

  private drawStop(pen: CanvasRenderingContext2D, stop: Point, number: number): void {
    const [x, y] = this.pixel(stop);
    pen.beginPath();
    pen.arc(x, y, 8, 0, 2 * Math.PI);
    pen.fillStyle = PALETTES[this.theme].path;
    pen.fill();
    pen.fillStyle = "#ffffff";
    pen.font = "600 11px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(String(number), x, y + 0.5);
  }

  private drawEye(pen: CanvasRenderingContext2D, walker: Walker): void {
    const [x, y] = this.pixel(walker.at);
    const heading = -(walker.heading + walker.aside);
    pen.beginPath();
    pen.moveTo(x, y);
    pen.arc(x, y, 26, heading - 0.5, heading + 0.5);
    pen.closePath();
    pen.fillStyle = this.theme === "light" ? "rgba(37,99,235,.25)" : "rgba(125,180,255,.3)";
    pen.fill();
    pen.beginPath();
    pen.arc(x, y, 5, 0, 2 * Math.PI);
    pen.fillStyle = PALETTES[this.theme].backbone;
    pen.fill();
    pen.strokeStyle = "#ffffff";
    pen.lineWidth = 1.5;
    pen.stroke();
  }
}
