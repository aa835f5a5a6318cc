import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const src = fileURLToPath(new URL("./src", import.meta.url));

export default defineConfig({
  // Files are found relative to the page, so that it works behind any path prefix.
  base: "./",
  plugins: [react(), tailwindcss()],
  resolve: {
    alias: {
      "@": src,
      // The original writes <style> elements, which our content security policy refuses.
      "react-remove-scroll": `${src}/ui/removeScroll.tsx`,
    },
  },
  build: {
    outDir: "../corvo/http/static/ui",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: Object.fromEntries(
      ["/api", "/healthz", "/openapi.json", "/docs"].map((path) => [
        path,
        process.env.CORVO_URL ?? "http://127.0.0.1:8080",
      ]),
    ),
  },
});
