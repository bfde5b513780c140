/** Plots of flow, density and speed over the time of a recording. */
import { h } from "../dom";
import type { ReplayArrays } from "../protocol";
import type { Numbers } from "../wire";

const CURVES = [
  { name: "present", title: "Persons", unit: "persons", colour: "#6c7a89", about: "Persons on the map." },
  {
    name: "flow",
    title: "Flow",
    unit: "1/(m s)",
    colour: "#2f7de1",
    about: "Specific flow: density times mean speed, persons per metre of width and second.",
  },
  {
    name: "density",
    title: "Density",
    unit: "1/m²",
    colour: "#e8743b",
    about: "Persons per walkable square metre in cells of 2 m with at least 1 m² each, mean over all persons.",
  },
  { name: "speed", title: "Speed", unit: "m/s", colour: "#19a979", about: "Mean speed of all persons." },
] as const;

/** Pixels for the numbers beside and below a plot. */
const LEFT = 38;
const BELOW = 17;

/** What the plots show, as a list. */
export function definitions(): HTMLElement {
  const rows = CURVES.flatMap(({ title, unit, about }) => [h("dt", {}, unit === "persons" ? title : `${title}, ${unit}`), h("dd", {}, about)]);
  return h("dl", { class: "definitions", "data-testid": "plot-definitions" }, ...rows);
}

/** A number with two decimals, or none if it is large or whole. */
function number(value: number): string {
  if (Number.isNaN(value)) return "–";
  return value >= 50 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(2);
}

/** Values where somebody is present: of nobody there is no density and no speed. */
export function ofSomebody(values: Numbers, present: Numbers): Float32Array {
  return Float32Array.from(values, (value, i) => (present[i] > 0 ? value : NaN));
}

/** First and last number of each piece of a curve without gaps. */
export function piecesOf(values: Numbers): [number, number][] {
  const found: [number, number][] = [];
  values.forEach((value: number, i: number) => {
    if (Number.isNaN(value)) return;
    const last = found.at(-1);
    if (last?.[1] === i - 1) last[1] = i;
    else found.push([i, i]);
  });
  return found;
}

interface Curve {
  canvas: HTMLCanvasElement;
  value: HTMLElement;
  values: Numbers;
  top: number;
  unit: string;
  colour: string;
}

export class Plots {
  readonly element = h("div", { class: "plots", "data-testid": "plots" });
  private curves: Curve[] = [];
  private times: Numbers = new Float32Array(0);
  private now = 0;
  private readonly seek: (time: number) => void;

  constructor(seek: (time: number) => void) {
    this.seek = seek;
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  show(arrays: ReplayArrays): void {
    this.times = arrays.times;
    this.curves = CURVES.filter(({ name }) => (arrays[name]?.length ?? 0) > 1).map(({ name, title, unit, colour, about }) => {
      const values = name === "present" ? arrays.present : ofSomebody(arrays[name], arrays.present);
      const top = (values as Float32Array).reduce((most, value) => (value > most ? value : most), 0) || 1;
      const most = `${title} over time, at most ${number(top)} ${unit}. ${about}`;
      const canvas = h("canvas", { role: "img", "aria-label": most, title: about, "data-testid": `plot-${name}` });
      canvas.addEventListener("pointerdown", (event) => this.seek(this.timeAt(canvas, event.offsetX)));
      canvas.addEventListener("pointermove", (event) => {
        if (event.buttons === 1) this.seek(this.timeAt(canvas, event.offsetX));
      });
      return { canvas, value: h("output", {}), values, top, unit, colour };
    });
    const titles = CURVES.filter(({ name }) => (arrays[name]?.length ?? 0) > 1).map(({ title }) => title);
    this.element.replaceChildren(
      ...this.curves.map(({ canvas, value }, i) =>
        h("figure", {}, h("figcaption", {}, h("span", {}, titles[i]), value), canvas),
      ),
    );
    this.draw();
  }

  cursor(time: number): void {
    this.now = time;
    this.draw();
  }

  /** Start time and duration of the recording, s. */
  private span(): [number, number] {
    const first = this.times[0] ?? 0;
    return [first, (this.times[this.times.length - 1] ?? 0) - first || 1];
  }

  private timeAt(canvas: HTMLCanvasElement, x: number): number {
    const [first, length] = this.span();
    return first + (Math.max(0, x - LEFT) / (canvas.clientWidth - LEFT)) * length;
  }

  /** Draw again, in the colours of the theme. */
  draw(): void {
    for (const curve of this.curves) this.drawCurve(curve);
  }

  private drawCurve({ canvas, value, values, top, unit, colour }: Curve): void {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0) return;
    if (canvas.width !== width * ratio) [canvas.width, canvas.height] = [width * ratio, height * ratio];
    const pen = canvas.getContext("2d");
    if (pen === null) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const [first, length] = this.span();
    const foot = height - BELOW;
    const x = (time: number): number => LEFT + ((time - first) / length) * (width - LEFT);
    const y = (v: number): number => foot - (v / top) * (foot - 8);
    this.drawAxes(pen, { width, foot, top, ends: [first, first + length] });
    const step = Math.max(1, Math.floor(values.length / (width * 2)));
    pen.strokeStyle = colour;
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    for (const [from, to] of piecesOf(values)) {
      const line = (): void => {
        for (let i = from; i < to; i += step) pen.lineTo(x(this.times[i]), y(values[i]));
        pen.lineTo(x(this.times[to]), y(values[to]));
      };
      pen.beginPath();
      pen.moveTo(x(this.times[from]), foot);
      line();
      pen.lineTo(x(this.times[to]), foot);
      pen.fillStyle = `${colour}2a`;
      pen.fill();
      pen.beginPath();
      line();
      pen.stroke();
    }
    const at = nearest(this.times, this.now);
    pen.fillStyle = colour;
    pen.fillRect(x(this.now) - 0.5, 0, 1, foot);
    pen.beginPath();
    if (!Number.isNaN(values[at])) pen.arc(x(this.now), y(values[at] ?? 0), 3.5, 0, 2 * Math.PI);
    pen.fill();
    value.textContent = unit === "persons" ? number(values[at] ?? 0) : `${number(values[at] ?? 0)} ${unit}`;
  }

  /** Zero and the maximum on the left, the first and the last second below. */
  private drawAxes(
    pen: CanvasRenderingContext2D,
    { width, foot, top, ends }: { width: number; foot: number; top: number; ends: [number, number] },
  ): void {
    const style = getComputedStyle(this.element);
    pen.strokeStyle = style.getPropertyValue("--line");
    pen.fillStyle = style.getPropertyValue("--soft");
    pen.lineWidth = 1;
    pen.strokeRect(LEFT + 0.5, 7.5, width - LEFT - 1, foot - 7);
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.fillText(number(top), LEFT - 4, 8);
    pen.fillText("0", LEFT - 4, foot - 1);
    pen.textBaseline = "top";
    pen.fillText(`${ends[1].toFixed(0)} s`, width, foot + 3);
    pen.textAlign = "left";
    pen.fillText(ends[0].toFixed(0), LEFT, foot + 3);
  }
}

/** The number of the time that is nearest to another; frames need not be equally far apart. */
export function nearest(times: Numbers, time: number): number {
  let found = 0;
  times.forEach((value, i) => Math.abs(value - time) < Math.abs(times[found] - time) && (found = i));
  return found;
}
