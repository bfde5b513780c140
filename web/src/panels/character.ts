/** One character under the glass: goal, corridor, attraction point, forces; follow it. */
import type { App } from "../app";
import { button, facts, h, section } from "../dom";
import { Mark } from "../scene/marks";
import { FORCES, Person } from "../scene/person";
import type { Point } from "../store";
import { Refusal, type Reply } from "../wire";

interface CharacterFacts {
  id: number;
  position: Point;
  velocity: Point;
  goal: Point | null;
  radius: number;
  speed: number;
  population: number;
  mode: string;
  forces?: string[];
}

const EVERY = 0.15;

export function characterPart(app: App): { element: HTMLElement } {
  const { selected, following } = app.store;
  const person = new Person();
  app.stage.scene.add(person.root);
  const goal = new Mark(app.stage, app.marks, { testid: "mark-aim", name: "Goal of the character", kind: "flag", text: "⚑" });
  const known = facts("character-facts");
  const legend = h("div", { class: "legend" });
  const follow = button("character-follow", "Follow with the camera", { icon: "target", text: "Follow" }, () =>
    following.set(!following.value),
  );
  const close = button("character-close", "Let go of the character", { icon: "close", text: "Let go" }, () => selected.set(-1));
  const element = section("Character", known.box, legend, h("div", { class: "buttons" }, follow, close));
  element.setAttribute("data-testid", "character");
  let waited = EVERY;
  let busy = false;
  const show = ({ ok, arrays }: Reply<CharacterFacts>): void => {
    if (ok.id !== selected.value) return;
    const at = app.crowd.find(ok.id)?.at ?? ok.position;
    const forces = ok.forces ?? [];
    person.show(at, ok.radius, arrays, forces);
    goal.move(ok.goal ?? undefined);
    known.show(rows(ok, (place) => app.store.words(place)));
    legend.replaceChildren(
      ...forces.map((name) =>
        h("span", { class: "entry-row" }, h("i", { class: "swatch", style: `background:${FORCES[name] ?? "#6c7a89"}` }), name),
      ),
    );
    app.stage.invalidate();
  };
  following.watch((on) => follow.setAttribute("aria-pressed", String(on)));
  selected.watch((id) => {
    element.hidden = id < 0;
    app.crowd.pick(id);
    waited = EVERY;
    if (id < 0) {
      person.hide();
      goal.move(undefined);
      following.set(false);
    }
    app.stage.invalidate();
  });
  app.stage.tick((seconds) => {
    const id = selected.value;
    if (id < 0) return false;
    app.crowd.pick(id);
    const found = app.crowd.find(id);
    if (following.value && found !== undefined && app.stage.view !== "walk") app.stage.centreOn(...found.at);
    waited += seconds;
    if (waited >= EVERY && !busy) {
      waited = 0;
      busy = true;
      app.source
        .ask<CharacterFacts>("character", { id })
        .then(show)
        .catch((trouble: unknown) => {
          selected.set(-1);
          if (!(trouble instanceof Refusal)) app.complain(trouble);
        })
        .finally(() => (busy = false));
    }
    return false;
  });
  return { element };
}

function rows(ok: CharacterFacts, pair: (place: Point) => string): [string, string][] {
  return [
    ["Number", String(ok.id)],
    ["Position", pair(ok.position)],
    ["Goal", ok.goal == null ? "none" : pair(ok.goal)],
    ["Speed", `${Math.hypot(...ok.velocity).toFixed(2)} of ${ok.speed.toFixed(2)} m/s`],
    ["Radius", `${ok.radius.toFixed(2)} m`],
    ...(ok.mode ? ([["Mode", ok.mode]] as [string, string][]) : []),
  ];
}
