// Code hosts and repositories of the mock, over HTTP.
import { must, Refusal } from "./refusal.ts";
import { makeConnection, makeMirror, type KnownConnection } from "./repos.ts";
import type { Routes } from "./route.ts";
import type { RepoConnection } from "./schema.ts";
import type { State } from "./state.ts";

const find = <T extends { id: string }>(list: T[], id: string): T => must(list.find((one) => one.id === id));

const shown = (state: State, one: KnownConnection): RepoConnection => ({
  ...one,
  repos: state.repos.repos.filter((repo) => repo.connection_id === one.id && !repo.gone_at).length,
});

export const repoRoutes = {
  "GET /api/repos/connections": ({ state }) => ({
    body: { items: state.repos.connections.map((one) => shown(state, one)), next_cursor: null },
  }),
  "POST /api/repos/connections": ({ state, body }) => {
    if (body.token.length < 8)
      throw new Refusal(400, "validation", "The request is not valid", {
        errors: [{ pointer: "/token", detail: "must be a token of 8 to 1000 characters, without blanks" }],
      });
    state.lastToken = body.token;
    const made = makeConnection(state, {
      provider: body.provider,
      owner: body.owner,
      base_url: body.base_url ?? "https://api.github.com/",
      label: body.label ?? "github.com",
      sync: "running",
      last_synced_at: null,
    });
    state.repos.connections.push(made);
    return { status: 201, body: shown(state, made) };
  },
  "DELETE /api/repos/connections/{id}": ({ state, params }) => {
    const { connections, repos } = state.repos;
    find(connections, params.id);
    state.repos.connections = connections.filter((one) => one.id !== params.id);
    state.repos.repos = repos.filter((one) => one.connection_id !== params.id);
    return { status: 204 };
  },
  "POST /api/repos/connections/{id}/sync": ({ state, params }) => {
    const one = find(state.repos.connections, params.id);
    one.sync = "running";
    return { status: 202, body: shown(state, one) };
  },
  "GET /api/repos": ({ state, query }) => {
    const q = (query.get("q") ?? "").toLowerCase();
    const there = state.repos.repos.filter((repo) => !repo.gone_at && repo.full_name.includes(q));
    return { body: there.slice(0, 500) };
  },
  "GET /api/repos/{id}/branches": ({ state, params, query }) => {
    find(state.repos.repos, params.id);
    if (state.repos.away)
      throw new Refusal(503, "remote-unavailable", "The other service does not answer", {
        detail: state.repos.away,
      });
    const q = (query.get("q") ?? "").trim().toLowerCase();
    const names = state.repos.branches.filter((name) => name.toLowerCase().includes(q));
    return { body: { names: names.slice(0, 200), more: names.length > 200 } };
  },
  "PUT /api/repos/{id}/mirror": ({ state, params }) => {
    const repo = find(state.repos.repos, params.id);
    repo.mirror = { ...makeMirror(repo.mirror ?? {}), state: "waiting" };
    return { status: 202, body: repo };
  },
  "DELETE /api/repos/{id}/mirror": ({ state, params }) => {
    const repo = find(state.repos.repos, params.id);
    repo.mirror = { ...makeMirror(repo.mirror ?? {}), state: "removing" };
    return { status: 202, body: repo };
  },
  "GET /api/repos/{id}": ({ state, params }) => ({ body: find(state.repos.repos, params.id) }),
} satisfies Routes;
