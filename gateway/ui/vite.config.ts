import tailwindcss from "@tailwindcss/vite";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const gateway = process.env["ROOST_URL"] ?? "http://127.0.0.1:7667";

const SHELL =
  /vite\/preload-helper|node_modules\/(preact|react|react-dom|use-sync-external-store|zustand|@tanstack)\/|src\/(api|live)\/|src\/ui\/(button|class|copy|empty|input-class|page|problem)\.tsx?/;
/** Icons of the rail that pages show as well: each would be a file of its own, of which its wrapping is the larger part. */
const RAIL_ICONS =
  /lucide-react\/dist\/esm\/((?!icons|lucide)|icons\/(book-open|bot|shield-check|house|folder-git-2|layout-template|play|plug|search|target|workflow)\.m?js$)/;
/** Of the same folders, but for a few pages only: it comes with them. */
const LATER =
  /useBlocker|useMutationState|useQueries|queriesObserver|[iI]nfiniteQuery(Observer)?\.js|src\/api\/(apps|mesh|missions|models|nodes|routines|runs|runtime|sandboxes|skills|teams|uploads)\.ts|src\/live\/samples\.ts/;
/** What most pages show: as files of their own, each would be half wrapping. */
const COMMON =
  /src\/ui\/(bytes|choice\/(box|keys|layer|look|options)|copy-button|data-table|field|filter-field|help|help-words|isolate|list\/(settled|sort)|missing-right|notice|open-row|panel|query-view|row-order|row-order-note|segments|sentence|skeleton|stale|status|table|time|visible|window)\.tsx?|lucide-react\/dist\/esm\/icons\/(arrow-down|check|chevron-down|chevron-right|pencil|plus|trash(-2)?)\.m?js$/;
/** Icons that pages of several routes show, and what they request. Each would be a file of its own, half of it wrapping. */
const SMALL =
  /icons\/(arrow-up|box|download|external-link|file-diff|pause|rotate-ccw|rows-3|square)\.m?js$|src\/ui\/(address-field|apart|app-name|back-link|dollars|demonstration|model-words|follow|guide-link|keyed-mutation|meter|person|node-state|radios|reach|run-state|template-words|token-fields|sandbox-words)\.tsx?|src\/ui\/(topology\/kinds|upload\/sending|chart\/lazy|door-words|lacks)\.tsx?|src\/app\/arriving-tab\.tsx?|src\/api\/(apps|mesh|missions|models|nodes|routines|runs|skills|teams)\.ts|src\/live\/samples\.ts|src\/domains\/agents\/queries\.ts/;
/** The tables of long lists, which pages of several routes show. */
const LIST =
  /src\/ui\/(list\/(bulk|list-table|look|narrow|saved|select|selection|sorted-table|tick|views)|slots)\.tsx?/;
/** The viewers of changes, which pages of several routes show. */
const DIFF = /src\/ui\/diff\/(diff|diff-view|file-diff|patch|patch-view|run-diff)\.tsx?/;
/** Every dialog with a form: its buttons, what it sends. Its frame with its library comes later, by itself. */
const DIALOG = /src\/ui\/(dialog|form-dialog|leave-guard|secret-field|sending)\.tsx?/;
/** What the pages about work share: each of these is small, and as a file of its own it would be half wrapping. */
const WORK =
  /src\/api\/(models|nodes|runs|runtime|sandboxes|teams)\.ts|useMutationState|[iI]nfiniteQuery(Observer)?\.js|src\/ui\/(agent-state|base-field|choice\/suggest|suggest-field|clash\/one-change|fold|folded-text|goal-draft|markdown\/markdown|hardening|image-lacks|inline-code|model-choice|node-state|operation|pace|pace-fields|more-menu|repo-options|show-in|owner-link|run-state|sandbox-choice|sandbox-words|tabs|work-lacks)\.tsx?/;
/** What is asked of a person who is not signed in yet. */
const SIGN_IN = /src\/domains\/identity\/(frame|password-field|proof-form|queries)\.tsx?/;
/** How agents are shown in a list and alone. */
const AGENT = /src\/domains\/agents\/(agent-form|arrange|avatar|words)\.tsx?|src\/ui\/picture\/choice\.tsx/;
/** Machines in lists and alone. */
const FLEET = /src\/domains\/fleet\/(pair-command|queries|span-choice|words)\.tsx?/;
/** Missions and routines in sentences. */
const WORDS = /src\/domains\/(missions|routines)\/words\.ts/;
const ofShell = (path: string) => (SHELL.test(path) || RAIL_ICONS.test(path)) && !LATER.test(path);

/** The font comes beside the scripts. Without this, the browser would ask for it after the first text is drawn. */
const preloadFont: Plugin = {
  name: "roost-preload-font",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle }) =>
      Object.keys(bundle ?? {})
        .filter((file) => file.endsWith(".woff2"))
        .map((file) => ({
          tag: "link",
          attrs: { rel: "preload", as: "font", type: "font/woff2", crossorigin: "", href: `/${file}` },
          injectTo: "head" as const,
        })),
  },
};

export default defineConfig({
  plugins: [tailwindcss(), preloadFont],
  resolve: { alias: { "~": fileURLToPath(new URL("./src", import.meta.url)) } },
  server: {
    proxy: { "/api": gateway, "/dl": gateway, "/problems": gateway },
    // A unit test compares the words of the audit log with what the gateway's sources record.
    fs: { allow: [".", "..", "../../deploy/guide", "../../deploy/demo/repository"] },
  },
  // pdf.js is a module, also in its worker.
  worker: { format: "es" },
  build: {
    target: "baseline-widely-available",
    // Data URLs in style sheets would need a wider policy, and every asset is cached for ever anyway.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    // One file for what every page needs packs better than the five that would come of themselves.
    rollupOptions: {
      // Libraries mark parts for servers that render. This page has no such server.
      onLog: (level, log, tell) => log.code !== "MODULE_LEVEL_DIRECTIVE" && tell(level, log),
      output: {
        advancedChunks: {
          groups: [
            { name: "shell", test: ofShell },
            { name: "common", test: COMMON },
            { name: "small", test: SMALL },
            { name: "dialog", test: DIALOG },
            { name: "list", test: LIST },
            { name: "work", test: WORK },
            { name: "diff", test: DIFF },
            { name: "sign-in", test: SIGN_IN },
            { name: "agent", test: AGENT },
            { name: "fleet", test: FLEET },
            { name: "words", test: WORDS },
          ],
        },
      },
    },
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    css: { include: /tokens\.css/ },
    // A document for each of the files takes longer than all tests do.
    isolate: false,
  },
});
