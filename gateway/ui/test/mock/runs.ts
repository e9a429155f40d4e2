// Runs of the mock: a pipeline of a coding team, with what its agents said and did.
import { ago, newId } from "./ids.ts";
import type { Run, RunCall, RunStep, Schemas } from "./schema.ts";
import type { State } from "./state.ts";

export const LABEL = "[demonstration: a script speaks here, no model]";
const SLOTS = ["planner", "coder", "tester", "reviewer", "committer"];
const title = (slot: string) => slot[0].toUpperCase() + slot.slice(1);

/** A graph of this kind whose nodes are these slots, each with an agent of its own. */
type Graph = Schemas["TopologyGraph"];
type Topology = Graph["kind"];

export function makeGraph(
  kind: Topology,
  slots: string[],
  agents: string[],
): { graph: Graph & { edges: Schemas["TopologyEdge"][] }; layout: Schemas["TopologyPlaced"][] } {
  const nodes: Graph["nodes"] = slots.map((slot, at) => ({
    id: slot,
    kind: "agent",
    label: title(slot),
    role: slot,
    attributes: agents[at] ? { agent: agents[at] } : {},
  }));
  const hub = kind === "hub_spoke";
  const edges: Schemas["TopologyEdge"][] = slots
    .slice(1)
    .map((slot, at) => ({ from: hub ? slots[0] : slots[at], to: slot, kind: hub ? "parent" : "flow" }));
  const layout = slots.map((node, at) =>
    hub ? { node, tier: at === 0 ? 0 : 1, slot: Math.max(0, at - 1) } : { node, tier: at, slot: 0 },
  );
  return { graph: { kind, nodes, edges, settings: { max_laps: 2, experts: 2 } }, layout };
}

export function makeStep(run: Run, node: string, more: Partial<RunStep> = {}): RunStep {
  const step: RunStep = {
    key: node,
    lap: 1,
    shard: 0,
    position: run.steps.length,
    node,
    purpose: "work",
    agent_id: run.graph.nodes.find(({ id }) => id === node)?.attributes?.agent,
    child_run_ids: [],
    checks: [],
    fork_files: [],
    status: "running",
    attempt: 1,
    started_at: ago(0),
    tokens_in: 0,
    tokens_out: 0,
    cost_microusd: 0,
  };
  return { ...step, ...more };
}

export function makeCall(
  step: string,
  index: number,
  kind: RunCall["kind"],
  name: string,
  content: RunCall["content"],
  more: Partial<RunCall> = {},
): RunCall {
  const call: RunCall = {
    step,
    lap: 1,
    shard: 0,
    index,
    kind,
    name,
    content,
    failed: false,
    started_at: ago(20 - index),
    ended_at: ago(19 - index),
    tokens_in: kind === "model" ? 4990 : 0,
    tokens_out: kind === "model" ? 38 : 0,
    cost_microusd: kind === "model" ? 1530 : 0,
  };
  return { ...call, ...more };
}

/** `kind` is the shape of its graph, whose nodes are the slots. */
export type RunSeed = Partial<Omit<Run, "kind">> & { kind?: Topology; slots?: string[] };

export function makeRun(state: State, more: RunSeed = {}): Run {
  const agents = SLOTS.map((_, at) => state.claws[at]?.id ?? newId());
  const { kind = "pipeline", slots = SLOTS, ...rest } = more;
  const { graph, layout } = makeGraph(kind, slots, agents);
  const run: Run = {
    id: newId(),
    status: "running",
    kind: "team",
    tier: "team",
    origin: { type: "team" },
    title: "Ledger",
    created_by: state.user,
    created_at: ago(30),
    started_at: ago(29),
    updated_at: ago(0),
    steps_done: 0,
    steps_most: slots.length,
    tokens_in: 0,
    tokens_out: 0,
    cost_microusd: 0,
    cancelling: false,
    limits: {},
    input: "The tests fail. Find out why, mend it, and commit.",
    graph,
    graph_sha256: "6c7f".repeat(16),
    layout,
    checkpoint: { outputs: {}, at_work: [] },
    steps: [],
    start_files: [],
    result: null,
    outputs_forgotten: false,
  };
  return { ...run, ...rest };
}

/** One that is over: each step with a turn, a call of a tool, a last turn. */
export function makeDoneRun(state: State, more: RunSeed = {}): { run: Run; calls: RunCall[] } {
  const run = makeRun(state, {
    status: "completed",
    outcome: "accepted",
    outcome_reason:
      "All 2 verdicts accept the work, among them `REVIEW_APPROVE: INT-01` of the step reviewer.",
    outcome_evidence: { step: "reviewer", lap: 1, shard: 0, marker: "REVIEW_APPROVE: INT-01" },
    started_at: ago(60),
    ended_at: ago(10),
    created_at: ago(61),
    steps_done: 5,
    tokens_in: 55_826,
    tokens_out: 259,
    cost_microusd: 18_342,
    result: {
      text: `${LABEL}\n## Mended\n\nThe loop in \`src/parse.rs\` began one too late.\n\n- 4 tests pass\n- committed as \`1f0c9a4\`\n`,
    },
    ...more,
  });
  const calls: RunCall[] = [];
  run.graph.nodes.forEach(({ id }, at) => {
    const [from, to] = [60 - at * 10, 51 - at * 10];
    run.steps.push(
      makeStep(run, id, {
        status: "done",
        started_at: ago(from),
        ended_at: ago(to),
        output: `${LABEL}\nDone.`,
        tokens_in: 11_165,
        tokens_out: 51,
        cost_microusd: 3668,
      }),
    );
    const say = (index: number, text: string, begin: number) =>
      makeCall(
        id,
        index,
        "model",
        "scripted",
        { text: `${LABEL}\n${text}`, calls: [] },
        { started_at: ago(begin), ended_at: ago(begin - 1) },
      );
    const failing = id === "planner";
    calls.push(
      say(0, "I look at the repository and run its tests.", from),
      makeCall(
        id,
        1,
        "tool",
        "shell",
        {
          arguments: { command: "cargo test --offline", timeout_s: 300 },
          text: failing
            ? "test parse::reads_hours ... FAILED\nleft: 5400\nright: 90\n[exit code 101]"
            : "test result: ok. 4 passed\n[exit code 0]",
          exit_code: failing ? 101 : 0,
          is_error: false,
        },
        { started_at: ago(from - 1), ended_at: ago(from - 6) },
      ),
      say(2, "I hand over what I found.", from - 7),
    );
  });
  return { run, calls };
}

/** What a branch of the mock changes. */
export const DIFF = `diff --git a/src/parse.rs b/src/parse.rs
index 5626abf..814f4a4 100644
--- a/src/parse.rs
+++ b/src/parse.rs
@@ -1,2 +1,2 @@
 fn parse() {
-    for at in 1..length {
+    for at in 0..length {
`;

/** Binds a run to the first repository, with one branch that was not pushed. */
export function bindRepo(state: State, run: Run, more: Partial<Schemas["RunRepository"]> = {}) {
  const [repo] = state.repos.repos;
  const branch: Schemas["RunBranch"] = {
    branch: "roost/run-123456789abc/0000000000ff",
    owner_kind: "claw",
    owner_id: state.claws[0].id,
    commit: "814f4a4".padEnd(40, "0"),
    commits: 1,
    newest: [
      { commit: "814f4a4".padEnd(40, "0"), author: "Coder", at: ago(60), subject: "Begin the loop at zero" },
    ],
    files: 1,
    changed: [{ path: "src/parse.rs", added: 1, removed: 1 }],
    received_at: ago(60),
  };
  const bound: Schemas["RunRepository"] = {
    run_id: run.id,
    repo_id: repo.id,
    full_name: repo.full_name,
    html_url: repo.html_url,
    base_commit: "5626abf".padEnd(40, "0"),
    branches: [branch],
    supplies: [],
    steps: [
      {
        run_id: run.id,
        step: "coder#1",
        branch: branch.branch,
        commit: branch.commit,
        uncommitted: 0,
        at: ago(60),
      },
    ],
    version: 1,
    ...more,
  };
  run.repo_run_id = run.id;
  state.runs.repos.set(run.id, bound);
  return bound;
}

export function makeRuns(state: State): State["runs"] {
  const { run, calls } = makeDoneRun(state);
  const failed = makeRun(state, {
    status: "failed",
    title: "Rename the parser",
    created_at: ago(4000),
    started_at: ago(3999),
    ended_at: ago(3900),
    error: "coder: the model answered 500 three times",
    error_code: "step-failed",
    steps_done: 1,
  });
  return { list: [run, failed], calls: new Map([[run.id, calls]]), repos: new Map(), messages: new Map() };
}
