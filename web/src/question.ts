/** A question with two answers, in a dialog. */
import { h } from "./dom";

/** Ask, and resolve to whether the user agrees; Esc and a click beside the dialog mean no. */
export function ask(root: HTMLElement, title: string, text: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (agreed: boolean): void => {
      dialog.remove(); // at once: the event "close" comes later
      resolve(agreed);
    };
    const answer = (value: "yes" | "no", label: string, look: string): HTMLElement =>
      h("button", { class: `button ${look}`, "data-testid": `question-${value}`, onclick: () => finish(value === "yes") }, label);
    const dialog: HTMLDialogElement = h(
      "dialog",
      { class: "card help question", "data-testid": "question", "aria-label": title },
      h("h2", {}, title),
      h("p", {}, text),
      h("div", { class: "buttons" }, answer("no", "Cancel", "plain"), answer("yes", yes, "main")),
    );
    dialog.addEventListener("click", (event) => event.target === dialog && finish(false));
    dialog.addEventListener("cancel", () => finish(false));
    root.append(dialog);
    dialog.showModal();
  });
}
