/** A question with two answers, in a dialog. */
import { h } from "./dom";

/** Ask, and resolve to whether the user agrees; Esc and a click beside the dialog mean no. */
export function ask(root: HTMLElement, title: string, text: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (value: string, label: string, look: string): HTMLElement =>
      h("button", { class: `button ${look}`, value, "data-testid": `question-${value}`, onclick: () => dialog.close(value) }, label);
    const dialog: HTMLDialogElement = h(
      "dialog",
      { class: "card help question", "data-testid": "question", "aria-label": title },
      h("h2", {}, title),
      h("p", {}, text),
      h("div", { class: "buttons" }, answer("no", "Cancel", "plain"), answer("yes", yes, "main")),
    );
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close("no"));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    root.append(dialog);
    dialog.showModal();
  });
}
