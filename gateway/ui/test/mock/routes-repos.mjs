// Code hosts and repositories of the mock, over HTTP.
import { makeConnection, makeMirror } from "./repos.mjs";
import { Refusal } from "./server.mjs";

function find(list, id) {
  const found = list.find((one) => one.id === id);
  if (!found) throw new Refusal(404, "not-found", "There is no such thing");
  return found;
}

const shown = (state, one) => ({
  ...one,
  repos: state.repos.repos.filter((repo) => repo.connection_id === one.id && !repo.gone_at).length,
});

export const repoRoutes = (signedIn) => ({
  "GET /api/repos/connections": signedIn(({ state }) => ({
    body: { items: state.repos.connections.map((one) => shown(state, one)), next_cursor: null },
  })),
  "POST /api/repos/connections": signedIn(({ state, body }) => {
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
  }),
  "DELETE /api/repos/connections/:id": signedIn(({ state, params }) => {
    const { connections, repos } = state.repos;
    find(connections, params.id);
    state.repos.connections = connections.filter((one) => one.id !== params.id);
    state.repos.repos = repos.filter((one) => one.connection_id !== params.id);
    return { status: 204 };
  }),
  "POST /api/repos/connections/:id/sync": signedIn(({ state, params }) => {
    const one = find(state.repos.connections, params.id);
    one.sync = "running";
    return { status: 202, body: shown(state, one) };
  }),
  "GET /api/repos": signedIn(({ state, query }) => {
    const q = (query.get("q") ?? "").toLowerCase();
    const there = state.repos.repos.filter((repo) => !repo.gone_at && repo.full_name.includes(q));
    return { body: there.slice(0, 500) };
  }),
  "PUT /api/repos/:id/mirror": signedIn(({ state, params }) => {
    const repo = find(state.repos.repos, params.id);
    repo.mirror = { ...makeMirror(repo.mirror ?? {}), state: "waiting" };
    return { status: 202, body: repo };
  }),
  "DELETE /api/repos/:id/mirror": signedIn(({ state, params }) => {
    const repo = find(state.repos.repos, params.id);
    repo.mirror = { ...repo.mirror, state: "removing" };
    return { status: 202, body: repo };
  }),
  "GET /api/repos/:id": signedIn(({ state, params }) => ({ body: find(state.repos.repos, params.id) })),
});
