import { describe, expect, it } from "vitest";
import { closedNow } from "../src/panels/links";
import type { Document } from "../src/protocol";

const links = ["A", "B", "C"].map((name) => ({ name, kind: "stairs", floors: ["0", "1"], direction: null, closed: name === "A" }));

describe("links that are closed now", () => {
  it("are those closed here, and those that the scenario closes", () => {
    const document: Pick<Document, "what" | "links"> = { what: "scenario", links };
    expect(closedNow(document, { closed: ["A", "C"] })).toEqual(["A", "C"]);
    expect(closedNow(document, undefined)).toEqual(["A"]);
    expect(closedNow(undefined, { closed: [] })).toEqual([]);
  });

  it("are not those of a live crowd beside a recording", () => {
    expect(closedNow({ what: "recording", links: [] }, { closed: ["C"] })).toEqual([]);
  });
});
