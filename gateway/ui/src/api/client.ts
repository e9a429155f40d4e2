// One way to talk to the gateway: same-origin cookie, problems as errors, build id noticed.
import { Problem, readProblem, unreachable } from "./problem";
import type { Page } from "./types";

type Query = Record<string, string | number | boolean | undefined>;
interface Options {
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

const listeners = {
  signedOut: new Set<() => void>(),
  build: new Set<() => void>(),
  problem: new Set<(problem: Problem) => void>(),
};
let build: string | undefined;

/** Called when a request that needed a session was refused as not signed in. */
export function onSignedOut(call: () => void): () => void {
  listeners.signedOut.add(call);
  return () => listeners.signedOut.delete(call);
}

/** Called once when the gateway that answers is another build than the one that served this page. */
export function onNewBuild(call: () => void): () => void {
  listeners.build.add(call);
  return () => listeners.build.delete(call);
}

/** Called with every refusal that the gateway answers. */
export function onProblem(call: (problem: Problem) => void): () => void {
  listeners.problem.add(call);
  return () => listeners.problem.delete(call);
}

function noticeBuild(response: Response) {
  const seen = response.headers.get("roost-build");
  if (!seen) return;
  if (build !== undefined && seen !== build) listeners.build.forEach((call) => call());
  build = seen;
}

export function url(path: string, query?: Query): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {}))
    if (value !== undefined) search.set(key, String(value));
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

/** Sends a request and hands back the raw answer; problems are thrown. */
export async function send(method: string, path: string, options: Options = {}): Promise<Response> {
  const headers: Record<string, string> = { accept: "application/json", ...options.headers };
  const raw = options.body instanceof Uint8Array;
  if (options.body !== undefined && !headers["content-type"]) {
    headers["content-type"] = raw ? "application/octet-stream" : "application/json";
  }
  let response: Response;
  try {
    response = await fetch(url(path, options.query), {
      method,
      headers,
      body:
        options.body === undefined ? null : raw ? (options.body as BodyInit) : JSON.stringify(options.body),
      credentials: "same-origin",
      signal: options.signal ?? null,
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw unreachable();
  }
  noticeBuild(response);
  if (!response.ok) {
    const problem = await readProblem(response);
    if (problem.status === 401 && problem.code !== "invalid-credentials")
      listeners.signedOut.forEach((call) => call());
    listeners.problem.forEach((call) => call(problem));
    throw problem;
  }
  return response;
}

async function json<T>(method: string, path: string, options?: Options): Promise<T> {
  const response = await send(method, path, options);
  const text = await response.text();
  if (text === "") return undefined as T;
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new Problem({
      code: "unreadable",
      status: response.status,
      title: "The gateway's answer could not be read",
      detail:
        "Something between this page and the gateway changed the answer. Reload the page and try again.",
      requestId: response.headers.get("x-request-id") ?? undefined,
    });
  }
}

export const api = {
  get: <T>(path: string, options?: Options) => json<T>("GET", path, options),
  post: <T>(path: string, body?: unknown, options?: Options) =>
    json<T>("POST", path, {
      ...options,
      body,
      headers: { "idempotency-key": crypto.randomUUID?.() ?? fallbackKey(), ...options?.headers },
    }),
  patch: <T>(path: string, body: unknown, options?: Options) => json<T>("PATCH", path, { ...options, body }),
  put: <T>(path: string, body: unknown, options?: Options) => json<T>("PUT", path, { ...options, body }),
  delete: <T>(path: string, options?: Options) => json<T>("DELETE", path, options),
};

/** crypto.randomUUID exists only on secure origins; a gateway on a LAN address over plain HTTP is none. */
function fallbackKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** All pages of a list, up to a bound that keeps one request from becoming hundreds. */
export async function all<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 10; page += 1) {
    const answer: Page<T> = await api.get(path, { query: { limit: 100, ...query, cursor }, signal });
    items.push(...answer.items);
    if (!answer.next_cursor) break;
    cursor = answer.next_cursor;
  }
  return items;
}
