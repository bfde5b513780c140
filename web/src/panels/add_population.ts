/** The form that adds a population. */
import type { App } from "../app";
import { button, choice, field, h, select, type Choice } from "../dom";
import { LIMITS } from "../protocol";
import type { PropertyFacts } from "../store";
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
    if (document.opened !== shown) count.input.value = String(document.count_to_add);
    shown = document.opened;
  });
  const add = (): void => {
    const { follow: by, preferences, ...numbers } = controls.get();
    const walking = behaviour.get() === "goals" && by !== "cmm" ? { follow: by, preferences } : {};
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

/** Start area, goal and behaviour of the new characters. */
function journey(app: App): { rows: HTMLElement[]; get: () => Record<string, string> } {
  const from = select("add-area", "From", []);
  const then: Choice<(typeof THEN)[number]["value"]> = choice("add-then", "Afterwards", THEN, "repeat", () => undefined);
  const afterwards = h("div", { class: "field" }, h("span", { class: "name" }, "After arrival"), then.row);
  const to = select("add-goal", "To", [], (goal) => {
    afterwards.hidden = goal === "";
    const area = app.store.document.value?.areas.find(({ name }) => name === goal);
    then.set(area?.role === "exit" ? "exit" : "repeat");
  });
  app.store.document.watch((document) => {
    const areas = (document?.areas ?? []).map(({ name }) => ({ value: name, text: name }));
    from.fill([{ value: "", text: "anywhere" }, ...areas]);
    to.fill([{ value: "", text: "random goals" }, ...areas]);
    from.row.hidden = to.row.hidden = areas.length === 0;
    afterwards.hidden = to.input.value === "";
  });
  const get = (): Record<string, string> => ({
    ...(from.input.value === "" ? {} : { area: from.input.value }),
    ...(to.input.value === "" ? {} : { goal: to.input.value, then: then.get() }),
  });
  return { rows: [from.row, to.row, afterwards], get };
}
