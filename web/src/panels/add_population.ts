/** The form that adds a population. */
import type { App } from "../app";
import { button, choice, field, h, select, type Choice } from "../dom";
import { LIMITS } from "../protocol";
import type { Document, PropertyFacts } from "../store";
import { ProfileControls } from "./profile";

const THEN = [
  { value: "repeat", text: "Repeat" },
  { value: "stay", text: "Stay" },
  { value: "exit", text: "Leave" },
] as const;

const BEHAVIOURS = [
  { value: "goals", text: "Goals" },
  { value: "wander", text: "Wander" },
] as const;

export function populationForm(app: App): HTMLElement {
  const box = h("details", { class: "add", open: true }, h("summary", {}, "Add people"));
  app.store.properties.watch((properties) => {
    if (properties.length > 0) box.replaceChildren(box.children[0], ...form(app, properties));
  });
  return box;
}

function form(app: App, properties: PropertyFacts[]): HTMLElement[] {
  const count = field("add-count", "Count", { type: "number", ...LIMITS.population.count, step: 1 });
  const controls = new ProfileControls(properties, (what) => `add-${what}`);
  const journeyFields = journey(app);
  const [follow, costs] = controls.terrain;
  const body = ["radius", "speed"];
  const behaviour = choice("add-behaviour", "Behaviour", BEHAVIOURS, "goals", (value) => {
    follow.hidden = costs.hidden = value === "wander";
  });
  let shown: number | undefined;
  app.store.document.watch((document) => {
    if (document === undefined) return;
    controls.fit(document);
    follow.hidden = costs.hidden = app.store.isBuilding || behaviour.get() === "wander";
    if (document.opened !== shown) count.input.value = String(document.count_to_add);
    shown = document.opened;
  });
  const add = (): void => {
    const { follow: by, preferences, ...numbers } = controls.get();
    const walking = behaviour.get() === "goals" && by !== "cmm" && !app.store.isBuilding ? { follow: by, preferences } : {};
    const people = Math.max(1, Math.round(Number(count.input.value)));
    app.source
      .request("population", { do: "add", count: people, behaviour: behaviour.get(), ...numbers, ...walking, ...journeyFields.get() })
      .then(app.showStatus)
      .catch(app.complain);
  };
  const summary = h("summary", { "data-testid": "add-profile" }, "More properties");
  return [
    ...[count.row, ...controls.rows(body), behaviour.row, ...journeyFields.rows],
    h("details", { class: "add" }, summary, ...controls.rows(body, true), follow),
    costs,
    button("add-population", "Add people", { icon: "plus", text: "Add", look: "main" }, add),
  ];
}

/** A choice of where people start or go: an area, in a building also a floor. */
interface Place {
  value: string;
  text: string;
  area?: string;
  floor?: string;
}

/** The places of a map: its areas by name; in a building each floor, and the areas on it. */
export function placesOf({ areas, floors }: Pick<Document, "areas" | "floors">): Place[] {
  if (floors.length === 0) return areas.map(({ name }) => ({ value: name, text: name, area: name }));
  return floors.flatMap(({ name: floor }) => [
    { value: `floor ${floor}`, text: `floor ${floor}`, floor },
    ...areas
      .filter((area) => area.floor === floor)
      .map(({ name, index }) => ({ value: `area ${index}`, text: `${name}, floor ${floor}`, area: name, floor })),
  ]);
}

/** Start area, goal and behaviour of the new characters. */
function journey(app: App): { rows: HTMLElement[]; get: () => Record<string, string> } {
  let places: Place[] = [];
  const from = select("add-area", "From", []);
  const then: Choice<(typeof THEN)[number]["value"]> = choice("add-then", "Afterwards", THEN, "repeat", () => undefined);
  const afterwards = h("div", { class: "field" }, h("span", { class: "name" }, "After arrival"), then.row);
  const to = select("add-goal", "To", [], (goal) => {
    afterwards.hidden = goal === "";
    const place = places.find(({ value }) => value === goal);
    const area = app.store.document.value?.areas.find(({ name, floor }) => name === place?.area && (floor ?? undefined) === place.floor);
    then.set(area?.role === "exit" ? "exit" : "repeat");
  });
  app.store.document.watch((document) => {
    places = document === undefined ? [] : placesOf(document);
    from.fill([{ value: "", text: "anywhere" }, ...places]);
    to.fill([{ value: "", text: "random goals" }, ...places]);
    from.row.hidden = to.row.hidden = places.length === 0;
    afterwards.hidden = to.input.value === "";
  });
  const get = (): Record<string, string> => {
    const [start, goal] = [from, to].map(({ input }) => places.find(({ value }) => value === input.value));
    return {
      ...(start?.area === undefined ? {} : { area: start.area }),
      ...(start?.floor === undefined ? {} : { floor: start.floor }),
      ...(goal?.area === undefined ? {} : { goal: goal.area }),
      ...(goal?.floor === undefined ? {} : { goal_floor: goal.floor }),
      ...(goal === undefined ? {} : { then: then.get() }),
    };
  };
  return { rows: [from.row, to.row, afterwards], get };
}
