import { defineConfig, type Plugin } from "vite";

/** Script and style go into the page itself: one file that needs nothing beside it. */
const inline: Plugin = {
  name: "inline",
  enforce: "post",
  generateBundle(_, bundle) {
    const page = bundle["player.html"];
    if (page?.type !== "asset") throw new Error("player.html is missing");
    let html = String(page.source);
    for (const [name, file] of Object.entries(bundle)) {
      const base = name.split("/").at(-1) ?? name;
      if (file.type === "chunk") {
        const code = file.code.replaceAll("</script", "<\\/script");
        html = html.replace(new RegExp(`\\s*<script[^>]*${base}[^>]*></script>`), "");
        html = html.replace("</body>", () => `<script type="module">${code}</script></body>`);
      } else if (name.endsWith(".css")) {
        html = html.replace(new RegExp(`<link[^>]*${base}[^>]*>`), () => `<style>${String(file.source)}</style>`);
      } else continue;
      delete bundle[name];
    }
    page.source = html;
  },
};

/** The player of `footway export RUN -o run.html`: player.html beside the studio's page. */
export default defineConfig({
  base: "./",
  plugins: [inline],
  build: {
    outDir: "../src/footway/studio/static",
    emptyOutDir: false,
    target: "es2022",
    modulePreload: false,
    chunkSizeWarningLimit: 1200,
    rollupOptions: { input: "player.html" },
  },
});
