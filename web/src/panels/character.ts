/** Inspect one character: goal, corridor, attraction point, forces; follow it with the camera. */
import type { App } from "../app";
import { button, facts, h, section } from "../dom";
import { Mark } from "../scene/marks";
import { FORCES, CharacterScene } from "../scene/character";
import { linkName } from "../scene/sheets";
import type { Point } from "../store";
import type { Character } from "../protocol";
import { Refusal, type Reply } from "../wire";

const EVERY = 0.15;

export class CharacterPart {
  readonly element: HTMLElement;
  private readonly app: App;
  private readonly person = new CharacterScene();
  private readonly goal: Mark;
  private readonly known = facts("character-facts");
  private readonly legend = h("div", { class: "legend" });
  private waited = EVERY;
  private busy = false;

  constructor(app: App) {
    this.app = app;
    const { selected, following } = app.store;
    app.stage.scene.add(this.person.root);
    this.goal = new Mark(app.stage, app.marks, { testid: "mark-character-goal", name: "Goal of the character", kind: "flag", text: "⚑" });
    const follow = button("character-follow", "Follow with the camera", { icon: "target", text: "Follow" }, () =>
      following.set(!following.value),
    );
    const close = button("character-close", "Deselect the character", { icon: "close", text: "Deselect" }, () => selected.set(-1));
    this.element = section("Character", this.known.box, this.legend, h("div", { class: "buttons" }, follow, close));
    this.element.setAttribute("data-testid", "character");
    following.watch((on) => follow.setAttribute("aria-pressed", String(on)));
    selected.watch((id) => this.select(id));
    app.stage.tick((seconds) => this.tick(seconds), true);
    app.floorsMoved.push(() => this.arrange(this.sheet));
  }

  /** Where the halo of the selected character is, m. */
  get halo(): Point {
    return this.person.at;
  }

  private select(id: number): void {
    this.element.hidden = id < 0;
    this.app.crowd.pick(id);
    this.waited = EVERY;
    if (id < 0) {
      this.person.hide();
      this.goal.move(undefined);
      this.app.store.following.set(false);
    }
    this.app.stage.refresh();
  }

  /** Mark the goal; faintly, with its floor, if that is not shown. */
  private showGoal({ goal, goal_floor: floor }: Character): void {
    const { building } = this.app;
    if (goal == null) return this.goal.move(undefined);
    const sheet = floor === null ? -1 : building.sheetNamed(floor, goal);
    const isAway = sheet >= 0 && !building.present.has(sheet);
    this.goal.move(goal, sheet < 0 ? undefined : building.heightOn(sheet, goal));
    this.goal.element.classList.toggle("elsewhere", isAway);
    this.goal.element.dataset.floor = isAway ? (floor ?? "") : "";
    return undefined;
  }

  private tick(seconds: number): boolean {
    const { app } = this;
    const id = app.store.selected.value;
    if (id < 0) return false;
    app.crowd.pick(id);
    const found = app.crowd.find(id);
    if (found !== undefined) {
      this.person.move(found.at, found.height);
      if (app.building.isShown) this.keepFloor(found.sheet);
      if (app.store.following.value && app.stage.view !== "walk") app.stage.centreOn(...found.at, app.building.isShown ? found.height * app.building.scale : undefined);
    }
    this.waited += seconds;
    if (this.waited >= EVERY && !this.busy) this.request(id);
    return false;
  }

  /** The sheet that the character was last on. */
  private sheet = -1;

  /** Show the floor to which a character has come that the camera follows. */
  private keepFloor(sheet: number): void {
    const { building, store } = this.app;
    if (store.following.value && !building.present.has(sheet)) {
      const floor = building.floorOf(sheet);
      if (floor >= 0) store.floor.set(floor);
    }
    if (sheet !== this.sheet) this.arrange(sheet);
  }

  private arrange(sheet: number): void {
    const { building } = this.app;
    this.sheet = sheet;
    const { levels } = building;
    this.person.setLevels(levels, levels.present?.has(sheet) !== false);
  }

  private request(id: number): void {
    this.waited = 0;
    this.busy = true;
    this.app.source
      .request("character", { id })
      .then((reply) => this.show(reply))
      .catch((trouble: unknown) => {
        this.app.store.selected.set(-1);
        if (!(trouble instanceof Refusal)) this.app.complain(trouble);
      })
      .finally(() => (this.busy = false));
  }

  private show({ ok, arrays }: Reply<"character">): void {
    const { app } = this;
    if (ok.id !== app.store.selected.value) return;
    const { at, height = 0, sheet = -1 } = app.crowd.find(ok.id) ?? { at: ok.position };
    const forces = ok.forces;
    this.person.show(at, ok.radius, arrays, forces, height);
    this.arrange(sheet);
    this.showGoal(ok);
    this.known.show(rows(ok, app));
    const swatch = (name: string): HTMLElement => h("i", { class: "swatch", style: `background:${FORCES[name] ?? "#6c7a89"}` });
    const strength = (i: number): string => `${Math.hypot(arrays.forces[2 * i], arrays.forces[2 * i + 1]).toFixed(2)} m/s²`;
    this.legend.replaceChildren(
      ...forces.map((name, i) => h("span", { class: "entry-row", "data-testid": `force-${name}` }, swatch(name), h("span", { class: "name" }, name), strength(i))),
    );
    app.stage.refresh();
  }
}

function rows(ok: Character, { store }: App): [string, string][] {
  const where = (name: string | null): string => {
    const link = store.document.value?.links.find((one) => one.name === name);
    return name === null ? "" : link === undefined ? `, floor ${name}` : `, ${linkName(link).toLowerCase()}`;
  };
  return [
    ["Number", String(ok.id)],
    ["Position", store.words(ok.position) + where(ok.floor)],
    ["Goal", ok.goal == null ? "none" : store.words(ok.goal) + where(ok.goal_floor)],
    ["Speed", `${Math.hypot(...ok.velocity).toFixed(2)} of ${ok.speed.toFixed(2)} m/s`],
    ["Radius", `${ok.radius.toFixed(2)} m`],
    ...(ok.mode ? ([["Mode", ok.mode]] as [string, string][]) : []),
  ];
}
