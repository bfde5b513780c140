/** The controls of a profile: radius, speed, lane, noise, path following, costs of terrain. */
import { choice, h, slider, type Choice, type Slider } from "../dom";
import type { Document, Profile } from "../store";
import { preferenceRows } from "./path";

const FOLLOW = [
  { value: "cmm", text: "CMM" },
  { value: "miran", text: "MIRAN" },
  { value: "irm", text: "IRM" },
] as const;

type Amount = "radius" | "speed" | "lane" | "noise";

const RANGES: Record<Amount, { name: string; min: number; max: number; step: number; value: number; unit: string }> = {
  radius: { name: "Radius", min: 0.1, max: 1, step: 0.01, value: 0.25, unit: "m" },
  speed: { name: "Speed", min: 0.2, max: 4, step: 0.1, value: 1.2, unit: "m/s" },
  lane: { name: "Lane (− right, + left)", min: -1, max: 1, step: 0.05, value: -0.4, unit: "" },
  noise: { name: "Noise", min: 0, max: 1, step: 0.05, value: 0, unit: "" },
};

/** A new radius is costly to apply, so it is sent once, on release. */
const told = (field: Amount): "input" | "change" => (field === "radius" ? "change" : "input");

/** Time after a user's change in which older status events do not reset a control, ms. */
const HELD = 1000;

export class ProfileControls {
  readonly rows: Record<Amount | "follow" | "costs", HTMLElement>;
  private readonly sliders: Record<Amount, Slider>;
  private readonly follow: Choice<Profile["follow"]>;
  private readonly weights = new Map<string, number>();
  private readonly costs = h("div", { class: "stack" });
  private readonly testid: (field: string) => string;
  private readonly change: (fields: Partial<Profile>) => void;
  private kinds = "";
  private held = -HELD;

  /** `testid` names a field's control; `change` is called when the user sets a value. */
  constructor(testid: (field: string) => string, change: (fields: Partial<Profile>) => void = () => undefined) {
    this.testid = testid;
    this.change = (fields) => {
      this.held = performance.now();
      change(fields);
    };
    const made = (field: Amount): Slider =>
      slider(testid(field), RANGES[field].name, RANGES[field], (value) => this.change({ [field]: value }), told(field));
    this.sliders = { radius: made("radius"), speed: made("speed"), lane: made("lane"), noise: made("noise") };
    this.follow = choice(testid("follow"), "Follow the way by", FOLLOW, "cmm", (follow) => this.turn(follow));
    const { radius, speed, lane, noise } = this.sliders;
    const follow = h("div", { class: "field" }, h("span", { class: "name" }, "Follow the way by"), this.follow.row);
    this.rows = { radius: radius.row, speed: speed.row, lane: lane.row, noise: noise.row, follow, costs: this.costs };
  }

  /** Values of the controls. */
  get(): Partial<Profile> {
    const follow = this.follow.get();
    const { radius, speed, lane, noise } = this.sliders;
    const numbers = { radius: radius.get(), speed: speed.get(), lane: lane.get(), noise: noise.get() };
    const preferences = this.weights.size > 0 ? { preferences: Object.fromEntries(this.weights) } : {};
    return follow === "cmm" ? { ...numbers, follow } : { ...numbers, follow, ...preferences };
  }

  /** Show the profile of a population. */
  show(profile: Partial<Profile>): void {
    if (performance.now() - this.held < HELD) return;
    for (const field of Object.keys(this.sliders) as Amount[]) {
      const value = profile[field];
      if (value != null) this.sliders[field].set(value);
    }
    if (profile.follow !== undefined) this.follow.set(profile.follow);
    const before = JSON.stringify([...this.weights]);
    this.weights.clear();
    for (const [kind, cost] of Object.entries(profile.preferences ?? {})) this.weights.set(kind, cost);
    if (JSON.stringify([...this.weights]) !== before) this.kinds = "";
  }

  /** A slider for the cost of each kind of terrain that the map has. */
  fit(document: Document): void {
    const kinds = document.kinds.join("\n");
    if (kinds === this.kinds) return;
    this.kinds = kinds;
    this.costs.replaceChildren(...preferenceRows(this.testid("weight"), document, this.weights, () => this.weigh()));
  }

  /** Costs apply only to methods that follow a route over terrain. */
  private weigh(): void {
    if (this.follow.get() === "cmm") this.follow.set("miran");
    this.change({ follow: this.follow.get(), preferences: Object.fromEntries(this.weights) });
  }

  private turn(follow: Profile["follow"]): void {
    if (follow === "cmm") this.change({ follow });
    else this.change({ follow, preferences: Object.fromEntries(this.weights) });
  }
}
