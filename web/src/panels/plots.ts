/** Plots of flow, density and speed over the time of a recording. */
import { h } from "../dom";
import type { Arrays, Numbers } from "../wire";

const CURVES = [
  { name: "present", title: "Present", unit: "persons", colour: "#6c7a89" },
  { name: "flow", title: "Flow", unit: "1/s", colour: "#2f7de1" },
  { name: "density", title: "Density", unit: "1/m²", colour: "#e8743b" },
  { name: "speed", title: "Speed", unit: "m/s", colour: "#19a979" },
] as const;

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

  show(arrays: Arrays): void {
    this.times = arrays.times ?? new Float32Array(0);
    this.curves = CURVES.filter(({ name }) => (arrays[name]?.length ?? 0) > 1).map(({ name, title, unit, colour }) => {
      const values = arrays[name];
      const top = (values as Float32Array).reduce((most, value) => (value > most ? value : most), 0) || 1;
      const canvas = h("canvas", { role: "img", "aria-label": `${title} over time`, "data-testid": `plot-${name}` });
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
    return first + (x / canvas.clientWidth) * length;
  }

  private draw(): void {
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
    const x = (time: number): number => ((time - first) / length) * width;
    const y = (v: number): number => height - 2 - (v / top) * (height - 6);
    const step = Math.max(1, Math.floor(values.length / (width * 2)));
    pen.beginPath();
    pen.moveTo(0, height);
    for (let i = 0; i < values.length; i += step) pen.lineTo(x(this.times[i]), y(values[i]));
    pen.lineTo(x(this.times[values.length - 1]), height);
    pen.fillStyle = `${colour}2a`;
    pen.fill();
    pen.beginPath();
    for (let i = 0; i < values.length; i += step) pen.lineTo(x(this.times[i]), y(values[i]));
    pen.strokeStyle = colour;
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    pen.stroke();
    const at = Math.min(values.length - 1, Math.round(((this.now - first) / length) * (values.length - 1)));
    pen.fillStyle = colour;
    pen.fillRect(x(this.now) - 0.5, 0, 1, height);
    pen.beginPath();
    pen.arc(x(this.now), y(values[at] ?? 0), 3.5, 0, 2 * Math.PI);
    pen.fill();
    value.textContent = `${(values[at] ?? 0).toFixed(values === this.times || top > 50 ? 0 : 2)} ${unit}`;
  }
}
