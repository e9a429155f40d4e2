// Runs of the mock, over HTTP.
import { ago } from "./ids.mjs";
import { makeRun } from "./runs.mjs";
import { Refusal } from "./server.mjs";

const LONG = ["input", "graph", "graph_sha256", "layout", "checkpoint", "steps", "result", "comparison"];
const brief = (run) => Object.fromEntries(Object.entries(run).filter(([name]) => !LONG.includes(name)));

export const runOf = (state, id) => {
  const found = state.runs.list.find((one) => one.id === id);
  if (!found) throw new Refusal(404, "not-found", "There is no such run");
  return found;
};

/** Puts a run into the list, newest first. */
export function begin(state, more) {
  const run = makeRun(state, { status: "queued", started_at: null, created_at: ago(0), ...more });
  state.runs.list.unshift(run);
  return run;
}
export const summaryOf = brief;

export const runRoutes = (signedIn) => ({
  "GET /api/topology-runs": signedIn(({ state, query }) => {
    const fits = (run, name, field = name) => !query.get(name) || run[field] === query.get(name);
    const parent = query.get("parent_run_id") ?? undefined;
    const all = state.runs.list.filter(
      (run) => run.parent_run_id === parent && fits(run, "status") && fits(run, "team_id"),
    );
    const from = Number(query.get("cursor") ?? 0);
    const most = Number(query.get("limit") ?? 50);
    const next_cursor = from + most < all.length ? String(from + most) : null;
    return { body: { items: all.slice(from, from + most).map(brief), next_cursor } };
  }),
  "POST /api/topology-runs/compare": signedIn(({ state, body, request }) => {
    state.compared = { ...body, key: request.headers["idempotency-key"] };
    if (body.input === "refused")
      throw new Refusal(400, "validation", "The request is not valid", {
        errors: [{ pointer: "/candidates/1/topology", detail: "does not fit its agents" }],
      });
    const candidates = body.candidates.map(({ team_id, topology }, at) => ({
      label: "BACDEFGH"[at],
      name: state.teams.list.find(({ id }) => id === team_id).name,
      team_id,
      topology: topology ?? "pipeline",
      run_id: state.runs.list[0].id,
      status: "running",
      cost_microusd: 0,
      tokens_in: 0,
      tokens_out: 0,
      steps: 0,
      took_ms: null,
    }));
    const run = begin(state, {
      kind: "compare",
      title: body.title ?? "Comparison",
      input: body.input,
      slots: candidates.map(({ label }) => label.toLowerCase()),
      comparison: { candidates },
    });
    return { status: 202, body: brief(run) };
  }),
  "GET /api/topology-runs/:id": signedIn(({ state, params }) => ({ body: runOf(state, params.id) })),
  "GET /api/topology-runs/:id/calls": signedIn(({ state, params }) => {
    runOf(state, params.id);
    return { body: { items: state.runs.calls.get(params.id) ?? [] } };
  }),
  "POST /api/topology-runs/:id/cancel": signedIn(({ mock, state, params }) => {
    const run = runOf(state, params.id);
    run.cancelling = true;
    mock.hub.changed("run", run.id, 7);
    return { body: brief(run) };
  }),
  "POST /api/topology-runs/:id/fork": signedIn(({ state, params, body, request }) => {
    const from = runOf(state, params.id);
    state.forked = { ...body, key: request.headers["idempotency-key"] };
    const run = begin(state, {
      title: from.title,
      forked_from: from.id,
      forked_step: `${body.step}#${body.lap}`,
    });
    return { status: 202, body: brief(run) };
  }),
});
