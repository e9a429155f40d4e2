// The built page, as the gateway serves it.
import { existsSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { extname, join, normalize } from "node:path";

const DIST = new URL("../../dist/", import.meta.url).pathname;
const TYPES: Record<string, string | undefined> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types roost-pdf",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** A file of the built page, or the page itself for an address of it. */
export function serveFile(response: ServerResponse, path: string): void {
  const clean = normalize(path).replace(/^(\.\.[/\\])+/, "");
  const file = join(DIST, clean);
  const found = clean !== "/" && existsSync(file) && extname(file) !== "";
  if (!found && clean.startsWith("/assets/")) {
    response.writeHead(404).end();
    return;
  }
  const real = found ? file : join(DIST, "index.html");
  response.writeHead(200, {
    ...HEADERS,
    "content-type": TYPES[extname(real)] ?? "application/octet-stream",
    "cache-control": clean.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
  });
  response.end(readFileSync(real));
}
