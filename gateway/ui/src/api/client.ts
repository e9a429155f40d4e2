// One way to talk to the gateway: same-origin cookie, problems as errors, build id noticed.
import { hearDate } from "./clock";
import { Problem, readProblem, unreachable } from "./problem";
import type { Answer, Item, ListOptions, ListPath, Method, Options, PathOf, Query, Rest } from "./operations";

/** A request as it is sent; `Options` has the same fields with the types of one path. */
interface Request {
  path?: Record<string, string | number>;
  query?: Record<string, string | number | boolean | null | undefined> | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  ifMatch?: number;
  idempotencyKey?: string;
  contentType?: string;
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

function address(template: string, { path, query }: Pick<Request, "path" | "query">): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path?.[name] ?? ""));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null) search.set(key, String(value));
  const text = search.toString();
  return text ? `${filled}?${text}` : filled;
}

/** An address that the browser requests by itself. */
export const url = <P extends PathOf<"get">>(
  path: P,
  query?: Query<P>,
  values?: Record<string, string>,
): string => address(path, { query: query as Request["query"], ...(values && { path: values }) });

/** Sends a request and hands back the raw answer; problems are thrown. */
async function send(method: Method, template: string, options: Request, accept: string): Promise<Response> {
  const { body, ifMatch, idempotencyKey, signal, contentType } = options;
  const raw = body instanceof Uint8Array;
  const headers: Record<string, string> = { accept };
  if (body !== undefined)
    headers["content-type"] = contentType ?? (raw ? "application/octet-stream" : "application/json");
  if (ifMatch !== undefined) headers["if-match"] = `"${ifMatch}"`;
  if (method === "post") headers["idempotency-key"] = idempotencyKey ?? newKey();
  let response: Response;
  try {
    response = await fetch(address(template, options), {
      method: method.toUpperCase(),
      headers,
      body: body === undefined ? null : raw ? (body as BodyInit) : JSON.stringify(body),
      credentials: "same-origin",
      signal: signal ?? null,
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw unreachable();
  }
  noticeBuild(response);
  hearDate(response.headers.get("date"));
  if (!response.ok) {
    const problem = await readProblem(response);
    if (problem.status === 401 && problem.code !== "invalid-credentials")
      listeners.signedOut.forEach((call) => call());
    listeners.problem.forEach((call) => call(problem));
    throw problem;
  }
  return response;
}

async function json(method: Method, path: string, options: Request = {}): Promise<unknown> {
  const response = await send(method, path, options, "application/json");
  const text = await response.text();
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
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

type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...rest: Rest<Options<M, P>>
) => Promise<Answer<M, P>>;

/** Reads a body to its end, or stops and answers `undefined` when it has more than `most` bytes. */
async function upTo(most: number, response: Response): Promise<Uint8Array | undefined> {
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) break;
    length += part.value.length;
    if (length > most) {
      await reader?.cancel();
      return undefined;
    }
    parts.push(part.value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

// This cast is the only place where the page trusts the type of an answer.
const call = <M extends Method>(method: M): Call<M> =>
  ((path: string, options?: Request) => json(method, path, options)) as Call<M>;

export const api = {
  get: call("get"),
  post: call("post"),
  patch: call("patch"),
  put: call("put"),
  delete: call("delete"),
  /** Answers with the bytes of a file, or `undefined` when it has more than `most` bytes. */
  bytes: async <P extends PathOf<"get">>(
    path: P,
    most: number,
    ...[options]: Rest<Options<"get", P>>
  ): Promise<Uint8Array | undefined> => {
    const wanted = (options as unknown as Request | undefined) ?? {};
    return upTo(most, await send("get", path, wanted, "application/octet-stream"));
  },
  /** Answers with an event stream. */
  stream: <P extends PathOf<"get">>(path: P, ...[options]: Rest<Options<"get", P>>): Promise<Response> =>
    // Through unknown: a direct cast compares the options of all routes, which are too many for the compiler.
    send("get", path, (options as unknown as Request | undefined) ?? {}, "text/event-stream"),
};

/** crypto.randomUUID exists only on secure origins; a gateway on a LAN address over plain HTTP is none. */
export const newKey = (): string =>
  crypto.randomUUID?.() ??
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );

/** All pages of a list, up to a bound that keeps one request from becoming hundreds. */
export async function all<P extends ListPath>(
  path: P,
  ...[options]: Rest<ListOptions<P>>
): Promise<Item<P>[]> {
  const items: Item<P>[] = [];
  const { query, ...rest } = (options ?? {}) as Request;
  let cursor: string | undefined;
  for (let page = 0; page < 10; page += 1) {
    const answer = (await json("get", path, { ...rest, query: { limit: 100, ...query, cursor } })) as {
      items: Item<P>[];
      next_cursor?: string | null;
    };
    items.push(...answer.items);
    if (!answer.next_cursor) break;
    cursor = answer.next_cursor;
  }
  return items;
}
