/** Functions that create elements: every control has an accessible name and a test id. */
import { NumberEntry } from "./entry";
import { icon, type IconName } from "./icons";

type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;
type Child = Node | string | undefined | false;

/** An element with attributes, listeners (names that start with "on") and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== undefined && child !== false) element.append(child);
  return element;
}

export interface ButtonLook {
  icon?: IconName;
  text?: string;
  look?: "plain" | "main" | "quiet" | "danger";
  key?: string;
}

/** A button; without a text its name is read aloud and shown as a tip. */
export function button(testid: string, name: string, look: ButtonLook, press: () => void): HTMLButtonElement {
  const tip = look.key === undefined ? name : `${name} (${look.key})`;
  const made = h("button", {
    type: "button",
    class: `button ${look.look ?? "plain"}${look.text === undefined ? " bare" : ""}`,
    "data-testid": testid,
    // The name that is read aloud must contain the text that is seen.
    "aria-label": name.toLowerCase().includes((look.text ?? "").toLowerCase()) ? name : undefined,
    title: tip,
    onclick: () => press(),
  });
  if (look.icon !== undefined) made.append(icon(look.icon));
  if (look.text !== undefined) made.append(h("span", {}, look.text));
  return made;
}

export interface Slider {
  row: HTMLElement;
  get: () => number;
  set: (value: number) => void;
  limit: (min: number, max: number) => void;
}

/** A slider with name and value; costly changes are reported on release ("change"). */
export function slider(
  testid: string,
  name: string,
  range: { min: number; max: number; step: number; value: number; unit: string },
  change: (value: number) => void,
  when: "input" | "change" = "input",
): Slider {
  const digits = range.step >= 1 ? 0 : range.step >= 0.1 ? 1 : 2;
  const shown = h("output", { class: "value" });
  const input = h("input", {
    type: "range",
    "aria-label": name,
    "data-testid": testid,
    min: range.min,
    max: range.max,
    step: range.step,
    oninput: () => show(),
  });
  input.addEventListener(when, () => change(Number(input.value)));
  const show = (): void => {
    shown.textContent = `${Number(input.value).toFixed(digits)} ${range.unit}`;
  };
  const set = (value: number): void => {
    if (input.matches(":active")) return; // the user is dragging it
    input.value = String(value);
    show();
  };
  set(range.value);
  const limit = (min: number, max: number): void => {
    input.min = String(min);
    input.max = String(max);
    show();
  };
  const row = h("label", { class: "field" }, h("span", { class: "name" }, name, shown), input);
  return { row, get: () => Number(input.value), set, limit };
}

/** Steps of a slider whose values grow by a factor. */
const STEPS = 1000;

/** A slider for sizes, each step of which is a factor, with a field for the exact number. */
export function numberSlider(
  testid: string,
  name: string,
  range: { min: number; max: number; step: number; value: number; unit: string },
  change: (value: number) => void,
): Slider {
  const number = new NumberEntry(range.min, range.max, range.value);
  const entry = h("input", { type: "number", class: "entry short", "aria-label": `${name}, ${range.unit}`, "data-testid": testid, step: range.step });
  const note = h("p", { class: "hint warning", role: "status", "data-testid": `${testid}-note` });
  const line = h("input", { type: "range", "aria-label": name, "data-testid": `${testid}-slider`, min: 0, max: STEPS, step: 1 });
  const get = (): number => number.value;
  const slide = (): void => {
    const { min, max, value } = number;
    line.value = String((STEPS * Math.log(value / min)) / Math.log(max / min));
    line.setAttribute("aria-valuetext", `${value} ${range.unit}`);
  };
  const show = (): void => {
    entry.value = String(number.value);
    note.textContent = "";
    slide();
  };
  const set = (value: number): void => {
    number.set(value);
    show();
  };
  line.addEventListener("input", () => {
    const { min, max } = number;
    const value = min * (max / min) ** (Number(line.value) / STEPS);
    number.set(Number(value.toPrecision(2)));
    entry.value = String(number.value);
    note.textContent = "";
    line.setAttribute("aria-valuetext", `${number.value} ${range.unit}`);
    change(number.value);
  });
  entry.addEventListener("input", () => {
    note.textContent = "";
    if (!number.type(entry.value)) return;
    slide();
    change(number.value);
  });
  entry.addEventListener("change", () => {
    const before = number.value;
    const isRefused = number.end(entry.value);
    show();
    if (isRefused) note.textContent = `${name} must be from ${number.min} to ${number.max} ${range.unit}.`;
    if (number.value !== before) change(number.value);
  });
  const limit = (least: number, most: number): void => {
    number.limit(least, most);
    Object.assign(entry, { min: String(least), max: String(most) });
    if (document.activeElement === entry) slide(); // the user is typing
    else show();
  };
  limit(range.min, range.max);
  const unit = h("span", {}, range.unit);
  const row = h("div", { class: "field" }, h("div", { class: "name" }, name, h("span", { class: "measure" }, entry, unit)), line, note);
  return { row, get, set, limit };
}

/** One tab stop for a group of buttons: arrows move between them, and press them. */
export function rove(box: HTMLElement, buttons: HTMLElement[]): (current: number) => void {
  box.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = buttons.indexOf(event.target as HTMLElement);
    if (by === undefined || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = buttons[(at + by + buttons.length) % buttons.length];
    next.focus();
    next.click();
  });
  return (current) => buttons.forEach((made, i) => (made.tabIndex = i === current ? 0 : -1));
}

export interface Choice<T extends string> {
  row: HTMLElement;
  get: () => T;
  set: (value: T) => void;
}

/** A row of buttons, one of which is pressed. */
export function choice<T extends string>(
  testid: string,
  name: string,
  options: readonly { value: T; text: string; icon?: IconName }[],
  value: T,
  change: (value: T) => void,
): Choice<T> {
  let current = value;
  const row = h("div", { class: "choice", role: "radiogroup", "aria-label": name, "data-testid": testid });
  const buttons = options.map((option) => {
    const made = h("button", {
      type: "button",
      role: "radio",
      "data-testid": `${testid}-${option.value}`,
      onclick: () => {
        set(option.value);
        change(option.value);
      },
    });
    if (option.icon !== undefined) made.append(icon(option.icon));
    made.append(h("span", {}, option.text));
    row.append(made);
    return made;
  });
  const stop = rove(row, buttons);
  const set = (chosen: T): void => {
    current = chosen;
    stop(Math.max(0, options.findIndex((option) => option.value === chosen)));
    buttons.forEach((made, i) => made.setAttribute("aria-checked", String(options[i].value === chosen)));
  };
  set(value);
  return { row, get: () => current, set };
}

/** A switch with a name and an optional colour swatch. */
export function toggle(
  testid: string,
  name: string,
  on: boolean,
  change: (on: boolean) => void,
  swatch?: string,
): { row: HTMLElement; set: (on: boolean) => void } {
  const input = h("input", {
    type: "checkbox",
    role: "switch",
    "data-testid": testid,
    onchange: () => change(input.checked),
  });
  input.checked = on;
  const colour = swatch === undefined ? undefined : h("i", { class: "swatch", style: `background:${swatch}` });
  const row = h("label", { class: "toggle" }, colour, h("span", { class: "name" }, name), input);
  return { row, set: (value) => (input.checked = value) };
}

/** A field for a number or for text. */
export function field(
  testid: string,
  name: string,
  attributes: Attributes,
): { row: HTMLElement; input: HTMLInputElement } {
  const input = h("input", { ...attributes, "data-testid": testid, "aria-label": name, class: "entry" });
  return { row: h("label", { class: "field pair" }, h("span", { class: "name" }, name), input), input };
}

/** A drop-down list. */
export function select(
  testid: string,
  name: string,
  options: { value: string; text: string }[],
  change: (value: string) => void = () => undefined,
): { row: HTMLElement; input: HTMLSelectElement; fill: (options: { value: string; text: string }[]) => void } {
  const input = h("select", {
    "data-testid": testid,
    "aria-label": name,
    class: "entry",
    onchange: () => change(input.value),
  });
  const fill = (entries: { value: string; text: string }[]): void => {
    const before = input.value;
    input.replaceChildren(...entries.map(({ value, text }) => h("option", { value }, text)));
    if (entries.some(({ value }) => value === before)) input.value = before;
  };
  fill(options);
  return { row: h("label", { class: "field pair" }, h("span", { class: "name" }, name), input), input, fill };
}

/** A heading with content below it. */
export function section(title: string, ...children: Child[]): HTMLElement {
  return h("section", { class: "section" }, h("h2", {}, title), ...children);
}

/** Facts as a table of names and values. */
export function facts(testid: string): { box: HTMLElement; show: (rows: [string, string][]) => void } {
  const box = h("dl", { class: "facts", "data-testid": testid });
  const show = (rows: [string, string][]): void => {
    box.replaceChildren(...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  };
  return { box, show };
}
