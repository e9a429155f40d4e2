// A small gateway in memory that keeps the HTTP contract, for developing and testing the page without the real one.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { makeHub } from "./events.mjs";
import { routes } from "./routes.mjs";
import { makeState } from "./state.mjs";

const DIST = new URL("../../dist/", import.meta.url).pathname;
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

export class Refusal extends Error {
  constructor(status, code, title, more = {}) {
    super(title);
    Object.assign(this, { status, code, more });
  }
}

function problem(response, requestId, { status = 500, code = "internal", message, more = {} }) {
  const { headers, ...rest } = more;
  response.writeHead(status, {
    "content-type": "application/problem+json",
    "x-request-id": requestId,
    ...headers,
  });
  response.end(
    JSON.stringify({
      type: `/problems/${code}`,
      title: message,
      status,
      detail: "",
      code,
      request_id: requestId,
      ...rest,
    }),
  );
}

/** A file of the built page, or the page itself for an address of it. */
export function serveFile(response, path) {
  const clean = normalize(path).replace(/^(\.\.[/\\])+/, "");
  const file = join(DIST, clean);
  const found = clean !== "/" && existsSync(file) && extname(file) !== "";
  if (!found && clean.startsWith("/assets/")) return response.writeHead(404).end();
  const real = found ? file : join(DIST, "index.html");
  response.writeHead(200, {
    ...HEADERS,
    "content-type": TYPES[extname(real)] ?? "application/octet-stream",
    "cache-control": clean.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
  });
  return response.end(readFileSync(real));
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

function match(pattern, path) {
  const want = pattern.split("/");
  const have = path.split("/");
  if (want.length !== have.length) return undefined;
  const params = {};
  for (const [index, part] of want.entries()) {
    if (part.startsWith(":")) params[part.slice(1)] = decodeURIComponent(have[index]);
    else if (part !== have[index]) return undefined;
  }
  return params;
}

function makeMock(url, seed) {
  const held = new Map();
  return {
    url,
    state: makeState(seed),
    hub: makeHub(),
    build: "mock-1",
    down: false,
    requests: 0,
    held,
    /** Keeps a route (`GET /api/claws/:id`) without an answer until the returned function is called. */
    hold(route) {
      let free;
      held.set(route, new Promise((done) => (free = done)));
      return () => (held.delete(route), free());
    },
  };
}

async function answered(mock, request, response, url) {
  const session = /roost_session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1];
  const { state } = mock;
  const planned = state.failNext.get(`${request.method} ${url.pathname}`);
  if (planned) throw planned;
  for (const [route, handler] of Object.entries(routes)) {
    const [method, pattern] = route.split(" ");
    const params = method === request.method && match(pattern, url.pathname);
    if (!params) continue;
    await mock.held.get(route);
    if (!handler.open && !state.sessions.has(session))
      throw new Refusal(401, "unauthenticated", "You are not signed in");
    const raw = await bodyOf(request);
    const json =
      raw.length > 0 && request.headers["content-type"]?.includes("json") ? JSON.parse(raw.toString()) : {};
    return handler.call({
      mock,
      state,
      params,
      query: url.searchParams,
      body: json,
      raw,
      response,
      request,
      session,
    });
  }
  throw new Refusal(404, "not-found", "There is no such thing");
}

async function answer(mock, request, response) {
  const url = new URL(request.url, "http://mock");
  if (mock.down) return request.socket.destroy();
  if (!url.pathname.startsWith("/api/")) return serveFile(response, url.pathname);
  if (url.pathname === "/api/mock/mend") {
    mock.state.failNext.clear();
    return response.writeHead(204).end();
  }
  const requestId = `req-${(mock.requests += 1)}`;
  const { delayMs } = mock.state;
  if (delayMs > 0) await new Promise((done) => setTimeout(done, delayMs));
  try {
    const made = await answered(mock, request, response, url);
    if (made === undefined) return undefined;
    const { status = 200, headers = {}, body } = made;
    response.writeHead(status, {
      "content-type": "application/json",
      "x-request-id": requestId,
      "roost-build": mock.build,
      ...headers,
    });
    return response.end(body === undefined ? undefined : JSON.stringify(body));
  } catch (error) {
    return problem(response, requestId, error);
  }
}

/** Starts the mock's server. `reset` gives it fresh things, and closes what was open before. */
export async function startServer({ port = 0 } = {}) {
  let mock;
  const server = createServer((request, response) => answer(mock, request, response));
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  const url = `http://127.0.0.1:${server.address().port}`;
  const leave = () => {
    mock?.hub.close();
    server.closeAllConnections();
  };
  return {
    reset(seed = {}) {
      leave();
      mock = makeMock(url, seed);
      return mock;
    },
    close() {
      leave();
      return new Promise((done) => server.close(done));
    },
  };
}

/** A server with one mock: its `state` may be changed at any time, and its `hub` announces it. */
export async function startMock({ port = 0, ...seed } = {}) {
  const server = await startServer({ port });
  return Object.assign(server.reset(seed), { close: () => server.close() });
}
