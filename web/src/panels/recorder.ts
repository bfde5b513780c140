/** Record the live crowd, and save what was recorded. */
import type { App } from "../app";
import { button, h } from "../dom";
import { download } from "../download";
import type { RecordingFacts } from "../protocol";

export function recorder(app: App): HTMLElement {
  const request = (what: "record" | "stop-record"): void => {
    app.source
      .request("crowd", { do: what })
      .then(app.showStatus)
      .catch(app.complain);
  };
  const dot = h("i", { class: "dot" });
  const record = button("record", "Record the crowd", { text: "Record" }, () => request("record"));
  const stop = button("record-stop", "Stop the recording", { text: "Stop" }, () => request("stop-record"));
  record.prepend(dot.cloneNode());
  stop.prepend(dot);
  stop.classList.add("recording");
  const save = button("record-save", "Save the recording", { icon: "save", text: "Save recording" }, () => {
    download(app, "live-recording").catch(app.complain);
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
