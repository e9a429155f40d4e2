// Runs of the mock, over HTTP.
import { ago, newId } from "./ids.ts";
import { must, Refusal } from "./refusal.ts";
import { keyOf, type Routes } from "./route.ts";
import { DIFF, makeRun, type RunSeed } from "./runs.ts";
import type { Run, Schemas } from "./schema.ts";
import type { State } from "./state.ts";
import { useOf } from "./use.ts";

/** A run as a line of the list: without what only its own page shows. */
export function summaryOf(run: Run): Schemas["RunSummary"] {
  const { input: _i, graph: _g, graph_sha256: _s, layout: _l, checkpoint: _c, steps: _t, ...rest } = run;
  const { result: _r, comparison: _o, outputs_forgotten: _f, repo_run_id: _b, ...summary } = rest;
  return summary;
}

/** The origins that a list shows without being asked for all. */
const LISTED: Run["origin"]["type"][] = ["team", "company", "org", "mission_phase", "compare", "fork"];

const tookOf = ({ started_at, ended_at }: Run) =>
  started_at ? (ended_at ? Date.parse(ended_at) : Date.now()) - Date.parse(started_at) : -1;

const SORTS: Record<string, (a: Run, b: Run) => number> = {
  created_at: (a, b) => Date.parse(a.created_at) - Date.parse(b.created_at),
  "-cost": (a, b) => b.cost_microusd - a.cost_microusd,
  "-duration": (a, b) => tookOf(b) - tookOf(a),
};

/** The runs that a request asks for, in its order. Without one, they are in the order of the mock. */
function listed({ runs: { list: runs }, teams }: State, query: URLSearchParams): Run[] {
  const fits = (run: Run, name: "status" | "team_id" | "agent_id" | "mission_id" | "outcome") =>
    !query.get(name) || run[name] === query.get(name);
  const parent = query.get("parent_run_id") ?? undefined;
  const belongs = (run: Run) =>
    parent
      ? run.parent_run_id === parent
      : query.has("origin")
        ? run.origin.type === query.get("origin")
        : query.get("all") === "true" || query.has("agent_id") || LISTED.includes(run.origin.type);
  const words = (query.get("q") ?? "").toLowerCase().split(/\s+/);
  const [from, until, by] = [query.get("from"), query.get("until"), query.get("created_by")];
  const found = runs.filter(
    (run) =>
      belongs(run) &&
      (query.get("waiting") !== "true" || Boolean(run.waiting_on)) &&
      (!query.get("forked_from") || run.forked_from === query.get("forked_from")) &&
      (["status", "team_id", "agent_id", "mission_id", "outcome"] as const).every((name) =>
        fits(run, name),
      ) &&
      (!query.has("template_id") ||
        teams.list.find(({ id }) => id === run.team_id)?.template_id === query.get("template_id")) &&
      (query.get("model") ?? "scripted") === "scripted" &&
      words.every((word) => run.title.toLowerCase().includes(word)) &&
      (!by || run.created_by?.id === by) &&
      (!from || Date.parse(run.created_at) >= Date.parse(from)) &&
      (!until || Date.parse(run.created_at) < Date.parse(until)),
  );
  const sort = SORTS[query.get("sort") ?? ""];
  return sort ? found.toSorted(sort) : found;
}

export const runOf = (state: State, id: string): Run =>
  must(
    state.runs.list.find((one) => one.id === id),
    "There is no such run",
  );

/** Puts a run into the list, newest first. */
export function begin(state: State, more: RunSeed): Run {
  const run = makeRun(state, { status: "queued", started_at: null, created_at: ago(0), ...more });
  state.runs.list.unshift(run);
  return run;
}

const boundOf = (state: State, id: string): Schemas["RunRepository"] =>
  must(state.runs.repos.get(id), "There is no such repository of this run");

export const runRoutes = {
  "GET /api/runs/{id}/repo": ({ state, params }) => ({ body: boundOf(state, params.id) }),
  "GET /api/runs/{id}/repo/diff": ({ state, params, query }) => {
    const { base_commit, branches } = boundOf(state, params.id);
    const branch = must(branches.find((one) => !query.has("branch") || one.branch === query.get("branch")));
    return {
      body: { branch: branch.branch, base: base_commit ?? "", commit: branch.commit, text: DIFF, cut: false },
    };
  },
  "POST /api/runs/{id}/repo/push": ({ mock, state, params, body }) => {
    const repo = boundOf(state, params.id);
    const branch = must(repo.branches.find((one) => one.branch === body.branch));
    if (branch.commit !== body.commit)
      throw new Refusal(409, "conflict", "This conflicts with the present state", {
        detail: `The branch is at ${branch.commit} now. Look at its commits again, then push.`,
      });
    branch.pushed_at = ago(0);
    mock.hub.changed("run_repo", params.id, (repo.version += 1));
    const { commit } = branch;
    return { body: { branch: branch.branch, commit, unchanged: false, pushed_at: branch.pushed_at } };
  },
  "GET /api/runs/use": ({ state, query }) => ({ body: useOf(state, query) }),
  "GET /api/topology-runs": ({ state, query }) => {
    const all = listed(state, query);
    const from = Number(query.get("cursor") ?? 0);
    const most = Number(query.get("limit") ?? 50);
    const next_cursor = from + most < all.length ? String(from + most) : null;
    return { body: { items: all.slice(from, from + most).map(summaryOf), next_cursor } };
  },
  "POST /api/topology-runs/compare": ({ state, body, request }) => {
    state.compared = { ...body, key: keyOf(request) };
    if (body.input === "refused")
      throw new Refusal(400, "validation", "The request is not valid", {
        errors: [{ pointer: "/candidates/1/topology", detail: "does not fit its agents" }],
      });
    const candidates: Schemas["RunComparedCandidate"][] = body.candidates.map(
      ({ team_id, topology }, at) => ({
        label: "BACDEFGH"[at],
        name: must(state.teams.list.find(({ id }) => id === team_id)).name,
        team_id,
        topology: topology ?? "pipeline",
        run_id: state.runs.list[0].id,
        status: "running",
        cost_microusd: 0,
        tokens_in: 0,
        tokens_out: 0,
        steps: 0,
        took_ms: null,
      }),
    );
    const run = begin(state, {
      kind: "compare",
      origin: { type: "compare" },
      title: body.title ?? "Comparison",
      input: body.input,
      slots: candidates.map(({ label }) => label.toLowerCase()),
      comparison: { candidates },
    });
    return { status: 202, body: summaryOf(run) };
  },
  "GET /api/topology-runs/{id}": ({ state, params }) => ({ body: runOf(state, params.id) }),
  "GET /api/topology-runs/{id}/calls": ({ state, params }) => {
    runOf(state, params.id);
    return { body: { items: state.runs.calls.get(params.id) ?? [], left_out: 0 } };
  },
  "POST /api/topology-runs/{id}/cancel": ({ mock, state, params }) => {
    const run = runOf(state, params.id);
    run.cancelling = true;
    mock.hub.changed("run", run.id, 7);
    return { body: summaryOf(run) };
  },
  "POST /api/topology-runs/{id}/pause": ({ mock, state, params }) => {
    const run = runOf(state, params.id);
    run.paused_at = ago(0);
    run.paused_by = state.user;
    mock.hub.changed("run", run.id, 7);
    return { body: summaryOf(run) };
  },
  "POST /api/topology-runs/{id}/steps/{step}/stop": ({ mock, state, params }) => {
    const run = runOf(state, params.id);
    const step = must(run.steps.find(({ key }) => key === params.step));
    step.stop_asked_at = ago(0);
    step.stopped_by = state.user;
    step.status = "cancelled";
    step.error = "A person stopped the agent before the end of this step.";
    step.ended_at = ago(0);
    mock.hub.changed("run", run.id, 9);
    return { body: summaryOf(run) };
  },
  "POST /api/topology-runs/{id}/resume": ({ mock, state, params }) => {
    const run = runOf(state, params.id);
    run.paused_at = null;
    run.paused_by = null;
    run.waits_for = null;
    run.waiting_on = null;
    mock.hub.changed("run", run.id, 8);
    return { body: summaryOf(run) };
  },
  "GET /api/topology-runs/{id}/messages": ({ state, params }) => {
    runOf(state, params.id);
    return { body: state.runs.messages.get(params.id) ?? [] };
  },
  "POST /api/topology-runs/{id}/messages": ({ mock, state, params, body }) => {
    const run = runOf(state, params.id);
    if (!["queued", "running"].includes(run.status))
      throw new Refusal(409, "conflict", "This conflicts with the present state", {
        detail: "The run has ended. Fork it from one of its steps, and change what its agents hear there.",
      });
    const message = {
      id: newId(),
      run_id: run.id,
      text: body.text,
      agent_id: body.agent_id ?? null,
      by: state.user,
      created_at: ago(0),
      heard: [],
    };
    state.runs.messages.set(run.id, [...(state.runs.messages.get(run.id) ?? []), message]);
    mock.hub.changed("run", run.id, 9);
    return { status: 201, body: message };
  },
  "POST /api/topology-runs/{id}/fork": ({ state, params, body, request }) => {
    const from = runOf(state, params.id);
    state.forked = { ...body, key: keyOf(request) };
    const run = begin(state, {
      title: from.title,
      origin: { type: "fork", of: from.id },
      forked_from: from.id,
      forked_step: `${body.step}#${body.lap}`,
    });
    return { status: 202, body: summaryOf(run) };
  },
} satisfies Routes;
