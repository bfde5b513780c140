/** Pointer, wheel and touch on the canvas: tools first, then moving the map. */
import type { Point } from "../store";
import type { Stage } from "./stage";

/** Pointer tool of the current panel. */
export interface Tool {
  cursor?: string;
  /** True takes the drag away from the camera. */
  down?(at: Point, event: PointerEvent): boolean;
  drag?(at: Point, done: boolean): void;
  click?(at: Point, event: PointerEvent): void;
  hover?(at: Point): void;
  double?(at: Point): void;
}

export class Input {
  tool: Tool = {};
  /** Free look of the walk-through: pixels to the right and down, and whether it is over. */
  look: (dx: number, dy: number, done: boolean) => void = () => undefined;
  hover: (at: Point | undefined) => void = () => undefined;
  private readonly stage: Stage;
  private readonly touches = new Map<number, Point>();
  private start: Point = [0, 0];
  private taken = false;
  private moved = false;

  constructor(stage: Stage) {
    this.stage = stage;
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, (event) => this.up(event));
    canvas.addEventListener("pointerleave", () => this.hover(undefined));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", (event) => {
      const at = stage.pointAt(event.offsetX, event.offsetY);
      if (at !== undefined) this.tool.double?.(at);
    });
  }

  setTool(tool: Tool): void {
    this.tool = tool;
    this.stage.canvas.style.cursor = tool.cursor ?? "";
  }

  private down(event: PointerEvent): void {
    const { stage } = this;
    stage.canvas.focus();
    this.touches.set(event.pointerId, [event.offsetX, event.offsetY]);
    if (this.touches.size > 1) {
      this.moved = true;
      return;
    }
    this.start = [event.offsetX, event.offsetY];
    this.moved = false;
    const at = stage.pointAt(event.offsetX, event.offsetY);
    const left = event.button === 0;
    this.taken = left && at !== undefined && stage.view !== "walk" && (this.tool.down?.(at, event) ?? false);
    stage.controls.enabled = stage.view === "3d" && !this.taken;
    if (stage.view !== "3d" || this.taken) stage.canvas.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    const { stage } = this;
    const at = stage.pointAt(event.offsetX, event.offsetY);
    this.hover(stage.view === "walk" ? undefined : at);
    const before = this.touches.get(event.pointerId);
    if (before === undefined) {
      if (at !== undefined) this.tool.hover?.(at);
      return;
    }
    const far = Math.hypot(event.offsetX - this.start[0], event.offsetY - this.start[1]) > 4;
    this.moved ||= far;
    if (this.touches.size > 1) this.pinch(event, before);
    else if (this.taken && at !== undefined && this.moved) this.tool.drag?.(at, false);
    else if (this.moved && !this.taken) this.dragCamera(event, before);
    this.touches.set(event.pointerId, [event.offsetX, event.offsetY]);
  }

  private up(event: PointerEvent): void {
    if (!this.touches.delete(event.pointerId)) return;
    const { stage } = this;
    const at = stage.pointAt(event.offsetX, event.offsetY);
    if (stage.view === "walk") this.look(0, 0, true);
    if (this.touches.size > 0) return;
    if (this.taken && at !== undefined) this.tool.drag?.(at, true);
    if (!this.moved && at !== undefined && event.button === 0 && stage.view !== "walk") this.tool.click?.(at, event);
    this.taken = false;
    stage.controls.enabled = stage.view === "3d";
  }

  private dragCamera(event: PointerEvent, [x, y]: Point): void {
    const { stage } = this;
    const [dx, dy] = [event.offsetX - x, event.offsetY - y];
    if (stage.view === "map") stage.pan(-dx * stage.metresPerPixel, dy * stage.metresPerPixel);
    else if (stage.view === "walk") this.look(dx, dy, false);
  }

  /** Two fingers move the map with them and zoom it by their distance. */
  private pinch(event: PointerEvent, before: Point): void {
    const { stage } = this;
    if (stage.view !== "map") return;
    const other = [...this.touches].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined) return;
    const now: Point = [event.offsetX, event.offsetY];
    const middle = (a: Point): Point => [(a[0] + other[0]) / 2, (a[1] + other[1]) / 2];
    const span = (a: Point): number => Math.hypot(a[0] - other[0], a[1] - other[1]) || 1;
    const [from, to] = [middle(before), middle(now)];
    stage.pan((from[0] - to[0]) * stage.metresPerPixel, (to[1] - from[1]) * stage.metresPerPixel);
    stage.zoom(span(before) / span(now), to[0], to[1]);
  }

  private wheel(event: WheelEvent): void {
    if (this.stage.view !== "map") return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 30 : 1;
    this.stage.zoom(Math.exp(Math.max(-300, Math.min(300, event.deltaY * lines)) * 0.0015), event.offsetX, event.offsetY);
  }
}
