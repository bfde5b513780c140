/** The controls of a profile: a slider for each number, path following, costs of terrain. */
import { choice, h, slider, type Choice, type Slider } from "../dom";
import type { PopulationFields } from "../protocol";
import type { Document, PopulationFacts, PropertyFacts } from "../store";
import { preferenceRows } from "./path";

type Follow = PopulationFacts["follow"];

export class ProfileControls {
  /** Controls for routes over terrain: method and costs. */
  readonly terrain: HTMLElement[];
  private readonly sliders = new Map<string, Slider>();
  private readonly follow: Choice<Follow>;
  private readonly weights = new Map<string, number>();
  private readonly costs = h("div", { class: "stack" });
  private readonly testid: (field: string) => string;
  private readonly change: (fields: Partial<PopulationFields>) => void;
  private kinds = "";

  /** `testid` names a field's control; `change` is called when the user sets a value. */
  constructor(
    properties: PropertyFacts[],
    testid: (field: string) => string,
    change: (fields: Partial<PopulationFields>) => void = () => undefined,
  ) {
    this.testid = testid;
    this.change = change;
    for (const { name, label, help, unit, slider: range, default: value } of properties) {
      if (range === null) continue;
      const [min, max, step] = range;
      // A new radius is costly to apply, so it is sent once, on release.
      const when = name === "radius" ? "change" : "input";
      const limits = { min, max, step, value: Number(value), unit };
      const made = slider(testid(name), label, limits, (given) => this.change({ [name]: given }), when);
      made.row.title = help;
      this.sliders.set(name, made);
    }
    const methods = properties.find(({ name }) => name === "follow");
    const options = (methods?.choices ?? []).map((value) => ({ value: value as Follow, text: value.toUpperCase() }));
    this.follow = choice(testid("follow"), "Follow the path by", options, "cmm", (follow) => this.turn(follow));
    const name = h("span", { class: "name" }, "Follow the path by");
    this.terrain = [h("div", { class: "field", title: methods?.help }, name, this.follow.row), this.costs];
  }

  /** The sliders of the named properties, or of all others. */
  rows(names: string[], others = false): HTMLElement[] {
    return [...this.sliders].filter(([name]) => names.includes(name) !== others).map(([, { row }]) => row);
  }

  /** Values of the controls. */
  get(): Partial<PopulationFields> {
    const follow = this.follow.get();
    const numbers = Object.fromEntries([...this.sliders].map(([name, { get }]) => [name, get()]));
    const preferences = this.weights.size > 0 ? { preferences: Object.fromEntries(this.weights) } : {};
    return follow === "cmm" ? { ...numbers, follow } : { ...numbers, follow, ...preferences };
  }

  /** Show the profile of a population. */
  show(profile: PopulationFacts): void {
    for (const [name, { set }] of this.sliders) {
      const value = profile[name as keyof PopulationFacts];
      if (typeof value === "number") set(value);
    }
    this.follow.set(profile.follow);
    const before = JSON.stringify([...this.weights]);
    this.weights.clear();
    for (const [kind, cost] of Object.entries(profile.preferences)) this.weights.set(kind, cost);
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

  private turn(follow: Follow): void {
    if (follow === "cmm") this.change({ follow });
    else this.change({ follow, preferences: Object.fromEntries(this.weights) });
  }
}
