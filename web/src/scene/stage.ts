/** The scene and its render loop, which draws only if something has changed. */
import { Scene, Vector3 } from "three";
import type { Point, Theme, View } from "../store";
import { Cameras, type Bounds } from "./cameras";
import { PALETTES } from "./colours";
import { Daylight } from "./daylight";
import { FINE, DetailLevel } from "./detail";
import { Painter, type Quality } from "./painter";

/** Called before each picture with the seconds since the last; true asks for a picture. */
export type Ticker = (seconds: number) => boolean;

/** Camera data from which the crowd chooses how to draw characters. */
export interface Sight {
  view: View;
  eye: Vector3;
  /** Where the camera looks. */
  ahead: Vector3;
  /** Metres per pixel of the screen: of the map, and at one metre from the eye. */
  metres: number;
  perPixel: number;
  /** Half width and height of the map that is seen, m. */
  half: Point;
  /** Pixels of the canvas per pixel of the screen. */
  ratio: number;
  /** Prefer speed to quality. */
  quick: boolean;
}

/** Milliseconds after which the camera, or the whole picture, counts as still. */
const REST = 180;
const STILL = 400;

export class Stage extends Cameras {
  readonly scene = new Scene();
  readonly painter: Painter;
  readonly pace = new DetailLevel();
  pictures = 0;
  private readonly light = new Daylight();
  private readonly tickers: Ticker[] = [];
  /** Number of tickers that are not last. */
  private firstLast = 0;
  private theme: Theme = "light";
  private dirty = true;
  /** When the camera moved last, ms. */
  private turned = 0;
  private turning = false;
  /** A picture was requested at the last tick. */
  private busy = false;
  /** The last picture was not drawn in full quality. */
  private hasty = false;
  /** Walls have changed since their shadows were drawn; the map has none. */
  private stale = true;
  private last = 0;
  /** When the pictures of the last two seconds were drawn, ms. */
  private readonly drawn: number[] = [];

  constructor(canvas: HTMLCanvasElement) {
    super(canvas);
    this.painter = new Painter(canvas);
    canvas.addEventListener("webglcontextrestored", () => this.restore());
    this.scene.add(...this.light.parts);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? document.body);
    this.resize();
    requestAnimationFrame((now) => this.loop(now));
  }

  /** Pictures per second over the last two; nothing is drawn while nothing moves. */
  get fps(): number {
    const since = performance.now() - 2000;
    while (this.drawn.length > 0 && this.drawn[0] < since) this.drawn.shift();
    return this.drawn.length / 2;
  }

  /** Whether the last picture was drawn in full. */
  get fine(): boolean {
    return !this.hasty;
  }

  /** Request a picture. */
  invalidate(): void {
    this.painter.spoil();
    this.dirty = true;
  }

  /** Request a picture in which only moving content has changed. */
  refresh(): void {
    this.dirty = true;
  }

  /** Call a ticker before each picture; one that is `last` sees what the others have moved. */
  tick(ticker: Ticker, last = false): void {
    if (last) this.tickers.push(ticker);
    else this.tickers.splice(this.firstLast++, 0, ticker);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.paintSky();
    this.light.setTheme(theme);
    this.invalidate();
  }

  /** Draw the moving content now, and return the milliseconds that it took. */
  measure(): number {
    const gl = this.painter.renderer.getContext();
    const begin = performance.now();
    this.draw(this.pace.quality(this.turning), this.turning);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    return performance.now() - begin;
  }

  get sight(): Sight {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    return {
      view: this.view,
      eye: this.camera.position,
      ahead: this.camera.getWorldDirection(new Vector3()),
      metres: this.resolution(),
      perPixel: this.perPixel,
      half: [(width / 2) * this.metresPerPixel, (height / 2) * this.metresPerPixel],
      ratio: this.painter.renderer.getPixelRatio(),
      quick: this.hasty,
    };
  }

  override setView(view: View): void {
    this.pace.forget();
    super.setView(view);
    this.paintSky();
  }

  override fit(bounds: Bounds, heights?: [number, number]): void {
    super.fit(bounds, heights);
    this.light.aim(bounds);
    this.shadowsMoved();
  }

  override cameraMoved(): void {
    super.cameraMoved();
    this.turned = performance.now();
    this.invalidate();
  }

  shadowsMoved(): void {
    this.stale = true;
    this.invalidate();
  }

  private paintSky(): void {
    const { outside, sky } = PALETTES[this.theme];
    this.painter.setSky(this.view === "walk" ? sky : outside);
  }

  /** Restore sky, shadows and the picture of static content after the graphics context was lost. */
  private restore(): void {
    this.paintSky();
    this.shadowsMoved();
  }

  private resize(): void {
    const box = this.canvas.parentElement?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return;
    this.painter.renderer.setSize(box.width, box.height, false);
    this.pace.forget();
    this.shape(box.width, box.height);
  }

  private loop(now: number): void {
    requestAnimationFrame((next) => this.loop(next));
    const interval = now - this.last;
    this.last = now;
    for (const ticker of this.tickers) if (ticker(Math.min(0.5, interval / 1000))) this.dirty = true;
    const turning = now - this.turned < REST;
    const inRow = this.dirty && this.busy;
    this.busy = this.dirty;
    const rested = now - (this.drawn.at(-1) ?? 0) > STILL;
    if (!this.dirty && !(this.hasty && rested)) return;
    if (inRow) this.pace.note(interval, turning, now);
    this.draw(this.dirty ? this.pace.quality(turning) : FINE, turning);
    this.dirty = false;
    this.drawn.push(now);
  }

  private draw(quality: Quality, turning: boolean): void {
    if (this.hasty === quality.fine) {
      this.hasty = !quality.fine;
      for (const listener of this.moved) listener();
    }
    // After the camera has stopped, static content is redrawn in full quality.
    if (this.turning && !turning) this.painter.spoil();
    this.turning = turning;
    if (this.stale && this.view !== "map") {
      this.stale = false;
      this.painter.renderer.shadowMap.needsUpdate = true;
    }
    this.painter.paint(this.scene, this.camera, quality);
    this.pictures += 1;
  }
}
