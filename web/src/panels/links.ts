/** The links of a building: stairs, ramps, escalators and lifts are closed and opened. */
import type { App } from "../app";
import { h, section, toggle } from "../dom";
import type { Document, EditFields, LinkFacts, Status } from "../protocol";
import { linkName } from "../scene/sheets";

/** A link in the list. */
interface Row {
  element: HTMLElement;
  set: (on: boolean) => void;
}

/** Links that the crowd cannot enter now: those closed here, and those that a scenario closes for some time. */
export function closedNow(document: Pick<Document, "what" | "links"> | undefined, status: Pick<Status, "closed"> | undefined): string[] {
  const here = (document?.links ?? []).filter(({ closed }) => closed).map(({ name }) => name);
  return [...new Set([...here, ...(document?.what === "recording" ? [] : (status?.closed ?? []))])];
}

/** A switch for each link of the floor that is shown. */
export function linkList(app: App, edit: (fields: EditFields, done: () => void, failed: () => void) => void): HTMLElement {
  const list = h("div", { class: "stack", "data-testid": "links" });
  const hint = h("p", { class: "hint" }, "Nobody enters a link that is switched off: paths and people take others, or people wait.");
  const box = section("Links of this floor", list, hint);
  const rows = new Map<string, Row>();
  /** Links whose change is not answered yet: their switches stay as the user has set them. */
  const changing = new Set<string>();
  const row = (link: LinkFacts, here: string): Row => {
    const { name } = link;
    const { row: element, set } = toggle(`link-open-${name}`, linkName(link, here), !link.closed, (on) => {
      const answered = (): void => {
        changing.delete(name);
        fill();
      };
      changing.add(name);
      edit({ do: on ? "open-link" : "close-link", link: name }, answered, answered);
    });
    return { element, set };
  };
  let shown = "";
  const fill = (): void => {
    const { document, floorName: here } = app.store;
    const links = (document.value?.links ?? []).filter(({ floors }) => here !== undefined && floors.includes(here));
    box.hidden = links.length === 0;
    const key = JSON.stringify([document.value?.opened, here, links.map(({ name }) => name)]);
    if (key !== shown) {
      rows.clear();
      for (const link of links) rows.set(link.name, row(link, here ?? ""));
      list.replaceChildren(...[...rows.values()].map(({ element }) => element));
    }
    shown = key;
    const now = new Set(closedNow(document.value, app.store.status.value));
    for (const link of links) {
      const { element, set } = rows.get(link.name) as Row;
      if (!changing.has(link.name)) set(!link.closed);
      const state = link.closed ? ", closed" : now.has(link.name) ? ", closed by the scenario" : "";
      const name = element.querySelector(".name") as HTMLElement;
      name.textContent = `${linkName(link, here)}${state}`;
    }
  };
  app.store.document.watch(fill);
  app.store.floor.watch(fill);
  app.store.status.watch(fill);
  return box;
}
