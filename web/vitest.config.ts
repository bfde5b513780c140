import { defineConfig } from "vitest/config";

/** Tests of what needs no page; `make lint` runs them. */
export default defineConfig({ test: { include: ["test/**/*.test.ts"], isolate: false, pool: "threads" } });
