// Writes `name.br` beside each built file over 1 KB and fails the build when a part outgrows its budget.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const KB = 1000;
// No page loads all of what several routes share.
const BUDGET = {
  shell: 64 * KB,
  route: 45 * KB,
  shared: 48 * KB,
  tool: 80 * KB,
  // pdf.js, which only a person who opens a PDF loads: what draws its pages, and what parses it in a worker.
  pdf: 145 * KB,
  pdfWorker: 340 * KB,
  css: 15 * KB,
  fonts: 60 * KB,
};
const dist = new URL("../dist/", import.meta.url).pathname;
const compressible = /\.(js|css|html|svg|json)$/;

function* files(dir) {
  for (const name of readdirSync(dir)) {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) yield* files(path);
    else yield path;
  }
}

const size = new Map();
const gzipped = new Map();
for (const path of files(dist)) {
  const name = path.slice(dist.length);
  if (name.endsWith(".br") || name.startsWith(".vite")) continue;
  const raw = readFileSync(path);
  let bytes = raw.length;
  if (compressible.test(name)) {
    const packed = brotliCompressSync(raw, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
    bytes = packed.length;
    gzipped.set(name, gzipSync(raw, { level: 9 }).length);
    if (raw.length > 1024) writeFileSync(`${path}.br`, packed);
  }
  size.set(name, bytes);
}

const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8"));
const entry = Object.values(manifest).find((chunk) => chunk.isEntry);

/** A chunk with everything it imports at once, as file names. */
function closure(chunk, seen = new Set()) {
  if (seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const key of chunk.imports ?? []) closure(manifest[key], seen);
  return seen;
}
const sum = (names) => [...names].reduce((total, name) => total + (size.get(name) ?? 0), 0);
const shell = closure(entry);
const rows = [["shell", sum(shell), BUDGET.shell]];
// What something loads when it is needed. A part that others import as well (the frame of dialogs) is not marked as an entry.
const asked = new Set(Object.values(manifest).flatMap((chunk) => chunk.dynamicImports ?? []));
const lazy = Object.entries(manifest).flatMap(([key, chunk]) => (asked.has(key) ? [chunk] : []));
const reach = new Map(
  lazy.map((chunk) => [chunk, new Set([...closure(chunk)].filter((name) => !shell.has(name)))]),
);
const users = (name) => lazy.filter((chunk) => reach.get(chunk).has(name)).length;
const shared = new Set();
for (const chunk of lazy) {
  // A part that several routes use is loaded once, so it has a line of its own.
  const own = [...reach.get(chunk)].filter((name) => name === chunk.file || users(name) === 1);
  for (const name of reach.get(chunk))
    if (!own.includes(name) && !lazy.some((one) => one.file === name)) shared.add(name);
  const limit = /xterm|terminal/.test(chunk.file)
    ? BUDGET.tool
    : chunk.src === "src/ui/pdf/viewer.tsx"
      ? BUDGET.pdf
      : BUDGET.route;
  rows.push([`${chunk.file} (${chunk.src ?? "several"})`, sum(own), limit]);
}
rows.push(["shared by several routes", sum(shared), BUDGET.shared]);
rows.push([
  "worker of PDFs",
  sum([...size.keys()].filter((name) => /pdf\.worker.*\.js$/.test(name))),
  BUDGET.pdfWorker,
]);
rows.push(["css", sum([...size.keys()].filter((name) => name.endsWith(".css"))), BUDGET.css]);
rows.push(["fonts", sum([...size.keys()].filter((name) => name.endsWith(".woff2"))), BUDGET.fonts]);

let over = false;
for (const [name, bytes, limit] of rows) {
  const bad = bytes > limit;
  over ||= bad;
  console.log(
    `${(bytes / KB).toFixed(1).padStart(7)} KB of ${limit / KB}  ${name}${bad ? "  OVER BUDGET" : ""}`,
  );
}

// What the very first page takes: the page, its theme, the shell, the styles of every page, the font.
const first = ["index.html", "theme.js", "favicon.svg", ...shell, ...(entry.css ?? [])];
const total = (of) =>
  (first.reduce((sum, name) => sum + (of.get(name) ?? size.get(name) ?? 0), 0) / KB).toFixed(1);
const font = (sum([...size.keys()].filter((name) => name.endsWith(".woff2"))) / KB).toFixed(1);
console.log(`first page: ${total(size)} KB brotli, ${total(gzipped)} KB gzip, and its font ${font} KB`);
if (over) process.exit(1);
