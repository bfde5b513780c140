/** Record the live crowd, and save what was recorded. */
import type { App } from "../app";
import { button, h } from "../dom";
import { download } from "../download";
import type { RecordingFacts } from "../protocol";
import { ask } from "../question";

export function recorder(app: App): HTMLElement {
  /** Seconds of the recording that this page has saved. */
  let saved: number | undefined;
  const replaced = async (): Promise<boolean> => {
    const { recording } = app.store.status.value ?? {};
    if (recording == null || recording.frames < 2 || recording.seconds === saved) return true;
    return ask(app.root, "Record again?", `The recording of ${recording.seconds.toFixed(1)} s was not saved; a new one replaces it.`, "Record");
  };
  const request = (what: "record" | "stop-record"): void => {
    app.source
      .request("crowd", { do: what })
      .then(app.showStatus)
      .catch(app.complain);
  };
  const dot = h("i", { class: "dot" });
  const record = button("record", "Record the crowd", { text: "Record" }, () => {
    void replaced().then((yes) => yes && request("record"));
  });
  const stop = button("record-stop", "Stop the recording", { text: "Stop" }, () => request("stop-record"));
  record.prepend(dot.cloneNode());
  stop.prepend(dot);
  stop.classList.add("recording");
  const save = button("record-save", "Save the recording", { icon: "save", text: "Save recording" }, () => {
    const { recording } = app.store.status.value ?? {};
    download(app, "live-recording")
      .then(() => (saved = recording?.seconds))
      .catch(app.complain);
  });
  const word = h("p", { class: "hint", "data-testid": "record-word" });
  app.store.status.watch((status) => {
    const { recording } = status ?? {};
    record.hidden = recording?.running === true;
    stop.hidden = !record.hidden;
    save.hidden = recording == null || recording.running || recording.frames === 0;
    word.textContent = recording == null ? "" : recordingText(recording);
    word.hidden = recording == null;
  });
  return h("div", { class: "stack" }, h("div", { class: "buttons" }, record, stop, save), word);
}

function recordingText({ running, seconds, megabytes, ended }: RecordingFacts): string {
  const size = megabytes >= 0.1 ? `, ${megabytes.toFixed(1)} MB` : "";
  const much = `${seconds.toFixed(1)} s${size}`;
  if (running) return `Recording: ${much}`;
  return ended == null ? `Recorded: ${much}` : `Recorded: ${much}. It ended: ${ended}`;
}
