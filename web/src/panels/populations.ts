/** The populations of the running crowd: their profiles are changed while they walk. */
import type { App } from "../app";
import { button, field, h } from "../dom";
import { POPULATIONS } from "../scene/colours";
import { LIMITS, type PopulationFields } from "../protocol";
import type { PopulationFacts } from "../store";
import { Newest, type Reply } from "../wire";
import { ProfileControls } from "./profile";

/** A row for each population. */
export function populationList(app: App): HTMLElement {
  const list = h("ul", { class: "populations", "data-testid": "populations" });
  const rows = new Map<number, PopulationRow>();
  app.store.status.watch((status) => status !== undefined && draw(app, list, rows, status.populations));
  return list;
}

/** Rows are kept as long as their population, so that a dragged slider is not removed. */
function draw(app: App, list: HTMLElement, rows: Map<number, PopulationRow>, populations: PopulationFacts[]): void {
  for (const [index, { name }] of rows) {
    if (!populations.some((population) => population.index === index && population.name === name)) rows.delete(index);
  }
  if (app.store.properties.value.length === 0) return; // the form needs them
  const kept = (index: number): boolean => rows.get(index)?.removed === false;
  const there = populations.filter(({ count, to_come, index }) => count + to_come > 0 || kept(index));
  for (const population of there) {
    const { index } = population;
    const row = rows.get(index) ?? new PopulationRow(app, population);
    rows.set(index, row);
    row.show(population);
  }
  for (const index of rows.keys()) if (!there.some((population) => population.index === index)) rows.delete(index);
  const wanted = there.flatMap(({ index }) => rows.get(index)?.element ?? []);
  if (wanted.length !== list.children.length || wanted.some((row, i) => row !== list.children[i])) list.replaceChildren(...wanted);
}

class PopulationRow {
  readonly element: HTMLElement;
  readonly name: string;
  removed = false;
  private readonly app: App;
  private readonly index: number;
  private readonly count = h("span", { class: "count" });
  private readonly controls: ProfileControls;
  private readonly people: ReturnType<typeof field>;
  /** Changes since the last request, which are sent when it is answered. */
  private pending: Partial<PopulationFields> = {};
  private readonly newest: Newest<Reply<"population">>;
  /** A change is not answered yet: until then the controls show what the user has set. */
  private isChanging = false;
  private shown: PopulationFacts;

  constructor(app: App, population: PopulationFacts) {
    const { index, name } = population;
    this.app = app;
    this.shown = population;
    this.index = index;
    this.name = name;
    this.newest = new Newest((reply) => app.showStatus(reply), app.complain);
    this.newest.waiting = (on) => {
      this.isChanging = on;
      if (!on) this.show(this.shown);
    };
    const { value: properties } = app.store.properties;
    this.controls = new ProfileControls(properties, (what) => `population-${what}-${index}`, (fields) => this.change(fields));
    this.people = field(`population-count-${index}`, "Count", {
      type: "number",
      ...LIMITS.population.count,
      step: 1,
      onchange: () => this.change({ count: Math.max(1, Math.round(Number(this.people.input.value))) }),
    });
    this.element = this.row();
  }

  show(population: PopulationFacts): void {
    const { count, to_come, behaviour, grouped } = (this.shown = population);
    this.count.textContent = counted(count, to_come);
    this.element.classList.toggle("gone", count === 0 && to_come === 0);
    const { input } = this.people;
    if (document.activeElement !== input && !this.isChanging) input.value = String(count);
    input.disabled = grouped;
    if (!this.isChanging) this.controls.show(population);
    const { value } = this.app.store.document;
    if (value !== undefined) this.controls.fit(value);
    const { isBuilding } = this.app.store;
    const corridors = behaviour === "wander" || grouped || isBuilding;
    for (const row of this.controls.terrain) row.hidden = corridors;
  }

  private row(): HTMLElement {
    const { index, controls } = this;
    return h(
      "li",
      { "data-testid": `population-${index}` },
      h("i", { class: "swatch", style: `background:${POPULATIONS[index % POPULATIONS.length]}` }),
      h("span", { class: "name" }, this.name),
      this.count,
      button(`population-remove-${index}`, "Remove", { icon: "trash", look: "quiet" }, () => this.remove()),
      ...controls.rows(["speed"]),
      h(
        "details",
        { class: "add" },
        h("summary", { "data-testid": `population-profile-${index}` }, "Profile"),
        ...[this.people.row, ...controls.rows(["speed"], true), ...controls.terrain],
      ),
    );
  }

  private remove(): void {
    this.removed = true;
    this.put({ do: "remove" });
  }

  private change(fields: Partial<PopulationFields>): void {
    this.put({ do: "change", ...fields });
  }

  private put(fields: Partial<PopulationFields>): void {
    // Send no other changes of a population that is being removed.
    if (this.pending.do !== "remove") Object.assign(this.pending, fields);
    this.newest.put(() => {
      const request = this.pending;
      this.pending = {};
      if (request.do === "remove") return this.request({ do: "remove" });
      return this.request({ do: "change", ...request });
    });
  }

  private request(fields: PopulationFields): Promise<Reply<"population">> {
    return this.app.source.request("population", { index: this.index, ...fields });
  }
}

/** "30", "30, 12 scheduled" or "12 scheduled". */
function counted(count: number, to_come: number): string {
  const there = count.toLocaleString("en");
  if (to_come === 0) return there;
  const later = `${to_come.toLocaleString("en")} scheduled`;
  return count === 0 ? later : `${there}, ${later}`;
}
