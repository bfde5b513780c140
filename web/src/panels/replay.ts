/** Replay of a recording: timeline, scrubbing, speed, and plots under it. */
import type { App, Panel } from "../app";
import { button, choice, h, section } from "../dom";
import type { Frame } from "../scene/crowd";
import type { ReplayArrays } from "../protocol";
import { Plots, definitions } from "./plots";
import { Reel } from "./reel";

export interface ReplayState {
  time: number;
  first: number;
  last: number;
  frames: number;
  playing: boolean;
}

const PACES = [0.25, 1, 4, 16, 64];

/** Timeline, plots and the crowd of a recording. */
export class ReplayPanel implements Panel {
  readonly element: HTMLElement;
  readonly tool = {};
  /** The bar under the map. */
  readonly bar: HTMLElement;
  private readonly app: App;
  private readonly reel: Reel;
  private readonly plots = new Plots((to) => this.seek(to));
  private readonly clock = h("output", { class: "clock", "data-testid": "replay-clock" }, "0.0 s");
  private readonly line: HTMLInputElement;
  private readonly play = button("replay-play", "Play", { icon: "play", look: "main", key: "Space" }, () => this.start(true));
  private readonly pause = button("replay-pause", "Pause", { icon: "pause", look: "main", key: "Space" }, () => this.start(false));
  private time = 0;
  private playing = false;
  private pace = 1;
  private drawn = -1;

  constructor(app: App) {
    this.app = app;
    this.reel = new Reel(app.source, () => this.show(), app.complain);
    this.line = h("input", {
      type: "range",
      min: 0,
      max: 1,
      step: "any",
      value: 0,
      "aria-label": "Time",
      "data-testid": "replay-time",
      oninput: () => this.seek(Number(this.line.value)),
    });
    const paces = PACES.map((value) => ({ value: String(value), text: `${value}×` }));
    const speed = choice("replay-speed", "Speed", paces, "1", (value) => (this.pace = Number(value)));
    const controls = h("div", { class: "line" }, this.play, this.pause, this.line, this.clock, speed.row);
    this.bar = h("div", { class: "timeline", "data-testid": "timeline" }, controls, this.plots.element);
    this.element = this.compose();
    app.togglePlay = () => this.start(!this.playing);
    app.stage.tick((seconds) => this.tick(seconds));
    app.store.theme.watch(() => requestAnimationFrame(() => this.plots.draw())); // after the page has its colours
    app.store.layers.density.watch((on) => on && this.reel.length > 0 && this.show());
    this.start(false);
  }

  state(): ReplayState {
    return { time: this.time, first: this.first, last: this.last, frames: this.reel.length, playing: this.playing };
  }

  /** Start time of the recording, s; not zero for a part of a run. */
  private get first(): number {
    return this.reel.times.at(0) ?? 0;
  }

  private get last(): number {
    return this.reel.times.at(-1) ?? 0;
  }

  private compose(): HTMLElement {
    const none = h("p", { class: "hint" }, "Open a recording (.parquet) to replay it: drop the file on the page.");
    const some = h("div", { class: "stack" }, h("p", { class: "hint" }, "The timeline is below the map. Click a plot to go to that time."), definitions());
    this.app.store.document.watch((document) => {
      const recorded = document?.what === "recording";
      this.bar.hidden = some.hidden = !recorded;
      none.hidden = recorded;
      this.start(false);
      if (recorded) this.open().catch(this.app.complain);
    });
    return h("div", { class: "replay" }, section("Replay", none, some));
  }

  private async open(): Promise<void> {
    const reply = await this.app.source.request("replay", {});
    const arrays = reply.arrays as ReplayArrays;
    this.drawn = -1;
    this.reel.open(arrays.frame_times);
    this.line.min = String(this.first);
    this.line.max = String(this.last);
    this.plots.show(arrays);
    this.app.trails.clear();
    this.seek(this.first);
    this.app.fit(); // the plots have changed the height of the bar
  }

  private start(on: boolean): void {
    this.playing = on;
    this.play.hidden = on;
    this.pause.hidden = !on;
    if (on && this.time >= this.last) this.seek(this.first);
  }

  private seek(to: number): void {
    this.time = Math.max(this.first, Math.min(this.last, to));
    this.show();
  }

  /** Advance the time only if the frames have arrived. */
  private tick(seconds: number): boolean {
    if (!this.playing) return false;
    const next = this.time + seconds * this.pace;
    const ready = this.pair(this.reel.indexAt(this.time)) !== undefined;
    if (ready) this.seek(next);
    if (this.time >= this.last) this.start(false);
    return ready;
  }

  private pair(k: number): [Frame, Frame] | undefined {
    const [before, after] = [this.reel.get(k), this.reel.get(Math.min(k + 1, this.reel.length - 1))];
    return before === undefined || after === undefined ? undefined : [before, after];
  }

  private show(): void {
    const { app, time, reel } = this;
    this.line.value = String(time);
    this.clock.textContent = `${time.toFixed(1)} / ${this.last.toFixed(1)} s`;
    this.plots.cursor(time);
    const k = reel.indexAt(time);
    const pair = this.pair(k);
    reel.prefetch(time, this.playing ? this.pace : 0);
    if (pair === undefined) return;
    const [before, after] = pair;
    if (this.drawn !== k) this.draw(k, before, after);
    const counted = app.store.layers.density.value && app.density.update(before, performance.now() / 1000);
    const span = after.time - before.time;
    app.crowd.setPart(span > 0 ? Math.min(1, (time - before.time) / span) : 1);
    app.trails.setNow(time);
    if (counted) app.stage.invalidate();
    else app.stage.refresh();
  }

  private draw(k: number, before: Frame, after: Frame): void {
    this.drawn = k;
    this.app.crowd.setPair(before, after);
    this.app.trails.add(before);
    this.app.obstacles.show(before.discs ?? new Float32Array(0), [], before.disc_sheets);
  }
}
