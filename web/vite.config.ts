// Builds the client into the Python package; `npm run dev` proxies to a server on port 8000.
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    outDir: "../src/trireme/server/static",
    emptyOutDir: true,
    target: "es2022",
    cssTarget: ["chrome123", "firefox121", "safari17.5"],
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
  server: {
    proxy: {
      "/api": "http://127.0.0.1:8000",
      "/ws": { target: "ws://127.0.0.1:8000", ws: true },
    },
  },
});
