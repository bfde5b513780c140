import { defineConfig } from "vite";

/** The studio's page: index.html and hashed files, written where the server finds them. */
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/footway/studio/static",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 1200,
    modulePreload: { polyfill: false },
  },
});
