import { defineConfig } from "vitest/config";

/** Tests of what needs no page; `make lint` runs them. */
export default defineConfig({
  // The usual limit of 5 s is too short for a busy machine.
  test: { include: ["test/**/*.test.ts"], isolate: false, pool: "threads", testTimeout: 120_000 },
});
