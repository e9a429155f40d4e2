// A small gateway in memory that keeps the HTTP contract, for developing and testing the page without the real one.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { makeHub, type Hub } from "./events.ts";
import { serveFile } from "./files.ts";
import { Refusal } from "./refusal.ts";
import type { AnyRoute, Key, Told } from "./route.ts";
import { OPEN, routes } from "./routes.ts";
import { makeState, type Seed, type State } from "./state.ts";

function problem(response: ServerResponse, requestId: string, error: unknown): void {
  const known = error instanceof Refusal;
  const { headers, ...rest } = known ? error.more : {};
  const status = known ? error.status : 500;
  const code = known ? error.code : "internal";
  response.writeHead(status, {
    "content-type": "application/problem+json",
    "x-request-id": requestId,
    ...headers,
  });
  response.end(
    JSON.stringify({
      type: `/problems/${code}`,
      title: error instanceof Error ? error.message : String(error),
      status,
      detail: "",
      code,
      request_id: requestId,
      ...rest,
    }),
  );
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

function match(pattern: string, path: string): Record<string, string> | undefined {
  const want = pattern.split("/");
  const have = path.split("/");
  if (want.length !== have.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of want.entries()) {
    if (part.startsWith("{")) params[part.slice(1, -1)] = decodeURIComponent(have[index]);
    else if (part !== have[index]) return undefined;
  }
  return params;
}

const ALL: Partial<Record<string, AnyRoute>> = routes;
const open: readonly string[] = OPEN;

/** `ROOST_MOCK_DELAY=300`: up to so many milliseconds pass before an answer is made, and again before it is sent. */
const DELAY = Number(process.env["ROOST_MOCK_DELAY"] ?? 0);

/** Answers then overtake each other, and any file of the page may be the last to come. No test may depend on that. */
const later = async (): Promise<void> => {
  if (DELAY > 0) await new Promise((done) => setTimeout(done, Math.random() * DELAY));
};

export interface Mock {
  url: string;
  state: State;
  hub: Hub;
  build: string;
  down: boolean;
  requests: number;
  held: Map<string, Promise<void>>;
  /** Keeps a route without an answer until the returned function is called. */
  hold: (route: Key) => () => void;
}

function makeMock(url: string, seed: Seed): Mock {
  const held = new Map<string, Promise<void>>();
  return {
    url,
    state: makeState(seed),
    hub: makeHub(),
    build: "mock-1",
    down: false,
    requests: 0,
    held,
    hold(route) {
      let free = () => {};
      held.set(route, new Promise((done) => (free = done)));
      return () => {
        held.delete(route);
        free();
      };
    },
  };
}

type Given = Told & { body?: unknown };

async function answered(
  mock: Mock,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<Given | undefined> {
  const session = /roost_session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
  const { state } = mock;
  const planned = state.failNext.get(`${request.method} ${url.pathname}`);
  if (planned) throw planned;
  for (const [route, handler] of Object.entries(ALL)) {
    const [method, pattern] = route.split(" ");
    const params = method === request.method ? match(pattern, url.pathname) : undefined;
    if (!params || !handler) continue;
    await mock.held.get(route);
    if (!open.includes(route) && !state.sessions.has(session))
      throw new Refusal(401, "unauthenticated", "You are not signed in");
    const raw = await bodyOf(request);
    const isJson = raw.length > 0 && request.headers["content-type"]?.includes("json");
    const body: unknown = isJson ? JSON.parse(raw.toString()) : {};
    return (
      (await handler({
        mock,
        state,
        params,
        query: url.searchParams,
        body,
        raw,
        response,
        request,
        session,
      })) ?? undefined
    );
  }
  throw new Refusal(404, "not-found", "There is no such thing");
}

async function answer(mock: Mock, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://mock");
  if (mock.down) {
    request.socket.destroy();
    return;
  }
  if (!url.pathname.startsWith("/api/")) {
    await later();
    serveFile(response, url.pathname);
    return;
  }
  if (url.pathname === "/api/mock/mend") {
    mock.state.failNext.clear();
    response.writeHead(204).end();
    return;
  }
  const requestId = `req-${(mock.requests += 1)}`;
  const { delayMs } = mock.state;
  if (delayMs > 0) await new Promise((done) => setTimeout(done, delayMs));
  await later();
  try {
    const made = await answered(mock, request, response, url);
    if (made === undefined) return;
    await later();
    const { status = 200, headers = {}, body } = made;
    response.writeHead(status, {
      "content-type": "application/json",
      "x-request-id": requestId,
      "roost-build": mock.build,
      ...headers,
    });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  } catch (error) {
    await later();
    problem(response, requestId, error);
  }
}

export interface Server {
  /** Gives the server fresh things, and closes what was open before. */
  reset: (seed?: Seed) => Mock;
  close: () => Promise<void>;
}

/** Starts the mock's server: every address but those under `/api/` is the built page. */
export async function startServer(port = 0): Promise<Server> {
  let mock: Mock | undefined;
  const server = createServer((request, response) => {
    if (mock) void answer(mock, request, response);
    else response.destroy();
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  const { port: taken } = server.address() as AddressInfo;
  const leave = () => {
    mock?.hub.close();
    server.closeAllConnections();
  };
  return {
    reset(seed = {}) {
      leave();
      mock = makeMock(`http://127.0.0.1:${taken}`, seed);
      return mock;
    },
    close() {
      leave();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

/** A server with one mock: its `state` may be changed at any time, and its `hub` announces it. */
export async function startMock({ port = 0, ...seed }: Seed & { port?: number } = {}) {
  const server = await startServer(port);
  return Object.assign(server.reset(seed), { close: () => server.close() });
}
