import { afterEach, describe, expect, it, vi } from "vitest";
import { safeNext } from "~/app/route-kit";
import { all, api, onNewBuild, onSignedOut } from "./client";
import { Problem, readProblem } from "./problem";

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });
afterEach(() => vi.unstubAllGlobals());

describe("problems", () => {
  it("keeps code, field, request id and when to try again", async () => {
    const problem = await readProblem(
      answer(
        429,
        {
          title: "Slow down",
          code: "too-many-attempts",
          request_id: "r1",
          errors: [{ pointer: "/name", detail: "No" }],
        },
        { "retry-after": "30" },
      ),
    );
    expect(problem).toMatchObject({
      status: 429,
      code: "too-many-attempts",
      requestId: "r1",
      retryAfter: 30,
    });
    expect(problem.field("/name")).toBe("No");
    expect(problem.field("/other")).toBeUndefined();
  });
  it("is honest about a page that some proxy answered", async () => {
    const problem = await readProblem(answer(502, "<html>Bad gateway</html>", { "x-request-id": "r2" }));
    expect(problem).toMatchObject({ code: "http-502", requestId: "r2" });
  });
  it("says that nobody answered", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed")));
    await expect(api.get("/api/quota")).rejects.toMatchObject({ code: "unreachable", status: 0 });
  });
});

describe("client", () => {
  it("notices a lost session, but not a wrong password", async () => {
    const seen = vi.fn();
    const stop = onSignedOut(seen);
    vi.stubGlobal("fetch", () => Promise.resolve(answer(401, { code: "invalid-credentials", title: "No" })));
    await expect(api.post("/api/auth/login", { body: {} })).rejects.toBeInstanceOf(Problem);
    expect(seen).not.toHaveBeenCalled();
    vi.stubGlobal("fetch", () => Promise.resolve(answer(401, { code: "unauthenticated", title: "No" })));
    await expect(api.get("/api/quota")).rejects.toBeInstanceOf(Problem);
    expect(seen).toHaveBeenCalledOnce();
    stop();
  });
  it("gathers all pages of a list", async () => {
    const fetch = vi.fn((path: string) =>
      Promise.resolve(
        answer(
          200,
          path.includes("cursor=b") ? { items: [2], next_cursor: null } : { items: [1], next_cursor: "b" },
        ),
      ),
    );
    vi.stubGlobal("fetch", fetch);
    expect(await all("/api/claws")).toEqual([1, 2]);
  });
  it("fills and encodes the path, and leaves out what is undefined", async () => {
    const fetch = vi.fn((_path: string, _init: RequestInit) => Promise.resolve(answer(200, {})));
    vi.stubGlobal("fetch", fetch);
    await api.get("/api/claws/{id}/activity", {
      path: { id: "a/b" },
      query: { limit: 5, cursor: undefined },
    });
    expect(fetch.mock.calls[0]?.[0]).toBe("/api/claws/a%2Fb/activity?limit=5");
    // @ts-expect-error The document has no such path.
    await api.get("/api/no-such-path");
    // @ts-expect-error The path has a parameter.
    await api.get("/api/claws/{id}");
  });
  it("sends the version that was read and one idempotency key", async () => {
    const sent: Record<string, string>[] = [];
    vi.stubGlobal("fetch", (_path: string, init: RequestInit) => {
      sent.push(init.headers as Record<string, string>);
      return Promise.resolve(answer(200, {}));
    });
    await api.put("/api/claws/{id}/brain", { path: { id: "1" }, body: { agent_md: "x" }, ifMatch: 7 });
    await api.post("/api/topology-runs/{id}/cancel", { path: { id: "1" } });
    await api.post("/api/topology-runs/{id}/cancel", { path: { id: "1" }, idempotencyKey: "mine" });
    expect(sent[0]).toMatchObject({ "if-match": '"7"', "content-type": "application/json" });
    expect(sent[0]).not.toHaveProperty("idempotency-key");
    expect(sent[1]?.["idempotency-key"]).toMatch(/^[0-9a-f-]{32,36}$/);
    expect(sent[2]?.["idempotency-key"]).toBe("mine");
  });
  it("tells once that another build answers", async () => {
    const seen = vi.fn();
    onNewBuild(seen);
    for (const build of ["1", "1", "2"]) {
      vi.stubGlobal("fetch", () => Promise.resolve(answer(200, {}, { "roost-build": build })));
      await api.get("/api/quota");
    }
    expect(seen).toHaveBeenCalledOnce();
  });
});

describe("where a sign-in may lead", () => {
  it.each([
    ["/claws/1?tab=details", "/claws/1?tab=details"],
    ["//evil.example", undefined],
    ["/\\evil.example", undefined],
    ["https://evil.example", undefined],
    ["/sign-in?next=/", undefined],
    [undefined, undefined],
  ])("%s leads to %s", (next, expected) => expect(safeNext(next)).toBe(expected));
});
