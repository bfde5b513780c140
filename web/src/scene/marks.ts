/** Marks that stand on the map as elements: they can be dragged, focused and read aloud. */
import { h } from "../dom";
import type { Point } from "../store";
import type { Stage } from "./stage";

export interface MarkLook {
  testid: string;
  name: string;
  text?: string;
  kind: string;
  z?: number;
  drag?: (to: Point, done: boolean) => void;
}

export class Mark {
  readonly element: HTMLElement;
  at: Point | undefined;
  /** Height at which it stands; undefined on the ground that the pointer is on. */
  private z: number | undefined;
  private readonly stage: Stage;
  private readonly look: MarkLook;

  constructor(stage: Stage, box: HTMLElement, look: MarkLook) {
    this.stage = stage;
    this.look = look;
    const role = look.drag === undefined ? "note" : "button";
    const attributes = { class: `mark ${look.kind}`, "data-testid": look.testid, "aria-label": look.name, role };
    this.element = h("div", { ...attributes, tabindex: look.drag === undefined ? undefined : 0 }, look.text ?? "");
    this.element.hidden = true;
    box.append(this.element);
    stage.moved.push(this.place);
    if (look.drag !== undefined) this.makeDraggable(look.drag);
  }

  move(at: Point | undefined, z?: number): void {
    this.at = at;
    this.z = z;
    this.place();
  }

  write(text: string): void {
    this.element.textContent = text;
  }

  remove(): void {
    this.element.remove();
    this.stage.moved.splice(this.stage.moved.indexOf(this.place), 1);
  }

  /** Where it is on the screen; undefined if it is not seen. */
  get pixel(): Point | undefined {
    if (this.at === undefined || this.stage.view === "walk") return undefined;
    return this.stage.pixelAt(this.at[0], this.at[1], this.z ?? this.look.z);
  }

  private readonly place = (): void => {
    const { pixel } = this;
    this.element.hidden = pixel === undefined;
    if (pixel === undefined) return;
    this.element.style.transform = `translate(${pixel[0].toFixed(1)}px, ${pixel[1].toFixed(1)}px)`;
  };

  private makeDraggable(drag: (to: Point, done: boolean) => void): void {
    const { element, stage } = this;
    const to = (event: PointerEvent, done: boolean): void => {
      const box = stage.canvas.getBoundingClientRect();
      const point = stage.pointAt(event.clientX - box.left, event.clientY - box.top);
      if (point !== undefined) drag(point, done);
    };
    element.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      element.focus();
      element.setPointerCapture(event.pointerId);
    });
    element.addEventListener("pointermove", (event) => {
      if (element.hasPointerCapture(event.pointerId)) to(event, false);
    });
    element.addEventListener("pointerup", (event) => {
      if (element.hasPointerCapture(event.pointerId)) to(event, true);
    });
    element.addEventListener("keydown", (event) => this.nudge(event, drag));
  }

  /** The arrow keys move a mark by eight pixels. */
  private nudge(event: KeyboardEvent, drag: (to: Point, done: boolean) => void): void {
    const directions: Record<string, Point> = {
      ArrowLeft: [-8, 0],
      ArrowRight: [8, 0],
      ArrowUp: [0, 8],
      ArrowDown: [0, -8],
    };
    const direction = directions[event.key] as Point | undefined;
    if (direction === undefined || this.at === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const metres = this.stage.resolution();
    drag([this.at[0] + direction[0] * metres, this.at[1] + direction[1] * metres], true);
  }
}
