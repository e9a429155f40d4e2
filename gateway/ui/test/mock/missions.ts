// Missions of the mock: one at work, one that a failed phase paused, one that is over, and a draft.
import { ago, newId } from "./ids.ts";
import { must } from "./refusal.ts";
import { DIFF, makeDoneRun, makeRun } from "./runs.ts";
import type { Run, Schemas, Team } from "./schema.ts";
import type { State } from "./state.ts";
import { makeTeam } from "./teams.ts";
import { FINDINGS, MEASURED } from "./probes.ts";

export type Mission = Schemas["MissionDetail"];
type Phase = Schemas["MissionPhase"];
type Kind = Schemas["MissionPhaseKind"];
type Task = Schemas["MissionTask"];
type Artifact = Schemas["MissionArtifactText"];

export const GOAL = `# Parse a schedule twice as fast

The parser copies each line before it reads it. Find out where the time goes, and mend it.

- the tests stay as they are
- no new dependency
`;

const INPUT = `# Faster parser

Make the parser twice as fast.

## Your phase

This is phase 2 of 3: coding. The repository ada/parser is checked out in your sandbox.

## Open tasks

- INT-01 (created): Copy less
`;

export const makePhase = (kind: Kind, position: number, more: Partial<Phase> = {}): Phase => ({
  id: newId(),
  // The id of its mission is set when it is made.
  mission_id: "",
  position,
  kind,
  status: "pending",
  attempt: 0,
  dropped_tasks: 0,
  has_card: false,
  runs: [],
  ...more,
});

const briefs = (phases: Phase[]) =>
  phases.map(({ id, position, kind, status }) => ({ id, position, kind, status }));

export function makeMission(state: State, more: Partial<Mission> = {}): Mission {
  const id = more.id ?? newId();
  const made = more.phase_details ?? [makePhase("research", 0), makePhase("coding", 1)];
  const phases = made.map((phase) => Object.assign(phase, { mission_id: id }));
  return {
    id,
    title: "Faster parser",
    goal: GOAL,
    template_kind: "development",
    status: "draft",
    config: {},
    runtime_kind: "standard",
    created_by: state.user,
    created_at: ago(4000),
    updated_at: ago(4000),
    version: 1,
    cost_microusd: 0,
    teams: [],
    tasks: [],
    artifacts: [],
    ...more,
    phase_details: phases,
    phases: briefs(phases),
  };
}

/** Keeps the list of phases as the details are. */
export function settle(mission: Mission): Mission {
  mission.phases = briefs(mission.phase_details);
  mission.version += 1;
  mission.updated_at = ago(0);
  return mission;
}

export const missionRun = (run: Run, team: Team, attempt = 1): Schemas["MissionRun"] => ({
  run_id: run.id,
  attempt,
  team_id: team.id,
  team_name: team.name,
  status: run.status,
  outcome: run.outcome ?? null,
  is_paused: false,
  cancelling: false,
  steps_done: run.steps_done,
  steps_most: run.steps_most,
  cost_microusd: run.cost_microusd,
  created_at: run.created_at,
  ended_at: run.ended_at ?? null,
});

/** A run of the first attempt that was deleted: the mission knows that there was one, and nothing more. */
const deletedRun = (team: Team): Schemas["MissionRun"] => ({
  run_id: newId(),
  attempt: 1,
  team_id: team.id,
  team_name: team.name,
  status: null,
  is_paused: false,
  cancelling: false,
  steps_done: 0,
  steps_most: 0,
  cost_microusd: 0,
});

export function makeMark(
  run: Run,
  marker: Schemas["TaskMarker"],
  step: string,
  more: Partial<Schemas["MissionTaskMark"]> = {},
): Schemas["MissionTaskMark"] {
  const agent = run.graph.nodes.find(({ id }) => id === step)?.attributes?.["agent"];
  return {
    marker,
    run_id: run.id,
    step,
    agent_id: agent ?? null,
    agent_name: step[0].toUpperCase() + step.slice(1),
    applied: true,
    at: ago(60),
    ...more,
  };
}

export const makeTask = (
  mission: string,
  phase: string,
  number: number,
  title: string,
  more: Partial<Task> = {},
): Task => ({
  id: newId(),
  mission_id: mission,
  phase_id: phase,
  external_id: `INT-${String(number).padStart(2, "0")}`,
  title,
  body: "",
  status: "created",
  ignored_marks: 0,
  marks: [],
  created_at: ago(600),
  updated_at: ago(60),
  ...more,
});

/** Adds an artifact with its content. */
export function leave(
  state: State,
  mission: Mission,
  more: Partial<Artifact> & Pick<Artifact, "kind" | "title">,
): Artifact {
  const whole: Artifact = {
    id: newId(),
    phase_id: mission.phase_details[0].id,
    attempt: 1,
    status: "ready",
    created_at: ago(300),
    updated_at: ago(300),
    ...more,
  };
  const { content: _content, ...rest } = whole;
  mission.artifacts.push(rest);
  state.missions.contents.set(whole.id, whole);
  return whole;
}

export function makeCard(
  phase: Phase,
  metrics: Schemas["PhaseMetrics"],
  more: Partial<Schemas["PhaseSummary"]> = {},
): Schemas["PhaseSummary"] {
  return {
    phase_id: phase.id,
    attempt: phase.attempt,
    narrative_is_due: false,
    narrative:
      "The research phase completed after 3 minutes. Archeologists worked on it. 0 of 2 tasks are complete.",
    metrics,
    sources: ["https://example.org/parsing.pdf", "src/parse.rs:12", "javascript:alert(1)"],
    tooling: [
      { kind: "model", name: "scripted", calls: 8, failed: 0, tokens: 55_826, cost_microusd: 18_342 },
      { kind: "tool", name: "shell", calls: 5, failed: 1 },
    ],
    next_actions: ["Continue INT-01: Copy less.", "Continue INT-02: Measure it."],
    created_at: ago(300),
    ...more,
  };
}

const REPORT = `# What takes the time

The copy in \`src/parse.rs:12\` costs 40 %.

## Insights

- One copy a line
- See <https://example.org/parsing.pdf>
`;

/** A mission in its second phase: two teams have done the research, one works on the code. */
function makeRunning(state: State): Mission {
  const [coder, reader] = state.templates;
  const readers = makeTeam(state, reader, { name: "Archeologists: Faster parser" });
  const coders = makeTeam(state, coder, { name: "Rust: Faster parser" });
  state.teams.list.push(readers, coders);
  const research = makePhase("research", 0, {
    status: "completed",
    attempt: 1,
    reason: "All verdicts accept the work.",
    input: INPUT.replace("2 of 3: coding", "1 of 3: research"),
    has_card: true,
    started_at: ago(900),
    ended_at: ago(700),
  });
  const coding = makePhase("coding", 1, {
    status: "running",
    attempt: 1,
    input: INPUT,
    dropped_tasks: 2,
    started_at: ago(690),
  });
  const bench = makePhase("benchmark", 2);
  const mission = makeMission(state, {
    template_kind: "custom",
    status: "running",
    repo_id: state.repos.repos[0].id,
    repo_full_name: state.repos.repos[0].full_name,
    base_ref: "main",
    budget_usd: 5,
    cost_microusd: 1_240_000,
    launched_at: ago(905),
    team_id: readers.id,
    config: { phases: ["research", "coding", "benchmark"] },
    phase_details: [research, coding, bench],
  });
  const origin = (phase: Phase): Run["origin"] => ({
    type: "mission_phase",
    mission: mission.id,
    phase: phase.id,
  });
  const of = (phase: Phase, team: Team) => ({
    title: mission.title,
    team_id: team.id,
    origin: origin(phase),
    mission_id: mission.id,
    mission_phase_id: phase.id,
  });
  const read = makeDoneRun(state, { ...of(research, readers), created_at: ago(900) });
  const code = makeRun(state, {
    ...of(coding, coders),
    created_at: ago(690),
    started_at: ago(689),
    steps_done: 2,
    steps_most: 8,
    cost_microusd: 640_000,
  });
  state.runs.list.push(read.run, code);
  state.runs.calls.set(read.run.id, read.calls);
  research.runs = [missionRun(read.run, readers)];
  coding.runs = [missionRun(code, coders)];
  mission.tasks = [
    makeTask(mission.id, research.id, 1, "Copy less", {
      body: "The loop in `src/parse.rs` copies each line.",
      marks: [makeMark(read.run, "TASK", "planner", { at: ago(720) })],
    }),
    makeTask(mission.id, coding.id, 1, "Copy less", {
      body: "The loop in `src/parse.rs` copies each line.\nRead it in place.",
      status: "validating",
      ignored_marks: 1,
      marks: [
        makeMark(code, "WORK", "coder", { at: ago(500) }),
        makeMark(code, "HANDOFF", "coder", { at: ago(200) }),
        makeMark(code, "WORK", "tester", { at: ago(90), applied: false }),
      ],
    }),
    makeTask(mission.id, coding.id, 2, "Measure it", { status: "created" }),
    makeTask(mission.id, coding.id, 3, "Mend the clock", {
      status: "failed",
      marks: [makeMark(code, "TEST_FAIL", "tester")],
    }),
    makeTask(mission.id, coding.id, 4, "INT-04", { status: "working" }),
    makeTask(mission.id, coding.id, 5, "Remove the old loop", {
      status: "complete",
      marks: [makeMark(code, "COMPLETED", "committer")],
    }),
  ];
  leave(state, mission, {
    kind: "markdown",
    title: "Result of Archeologists",
    content: REPORT,
    run_id: read.run.id,
  });
  leave(state, mission, {
    kind: "diff",
    title: "Changes of Archeologists",
    content: DIFF,
    run_id: read.run.id,
  });
  leave(state, mission, { kind: "benchmark", title: "Measurements", content: MEASURED });
  leave(state, mission, { kind: "security", title: "Findings", content: FINDINGS });
  leave(state, mission, {
    kind: "diff",
    title: "Changes of Rust",
    status: "failed",
    error: "The broker did not answer in time. Retry the phase.",
  });
  state.missions.cards.set(
    research.id,
    makeCard(research, { insights: 2, sources: 3, int_cards: 1, artifacts: 2 }),
  );
  return mission;
}

/** A mission that waits for a person, because its coding failed in the second attempt. */
function makeStuck(state: State): Mission {
  const [team] = state.teams.list;
  const coding = makePhase("coding", 0, {
    status: "failed",
    attempt: 2,
    reason: "The work of Rust was rejected. `TEST_FAIL: INT-01` of the step tester.",
    has_card: true,
    started_at: ago(3000),
    ended_at: ago(2800),
  });
  const scan = makePhase("security_scan", 1);
  const mission = makeMission(state, {
    title: "Mend the clock",
    goal: "The clock is an hour late in March.",
    template_kind: "custom",
    status: "paused",
    status_reason: "phase_failed",
    status_detail: coding.reason ?? null,
    launched_at: ago(3600),
    cost_microusd: 320_000,
    phase_details: [coding, scan],
  });
  const run = makeRun(state, {
    status: "completed",
    outcome: "rejected",
    title: mission.title,
    created_at: ago(3000),
    ended_at: ago(2800),
    origin: { type: "mission_phase", mission: mission.id, phase: coding.id },
    mission_id: mission.id,
    mission_phase_id: coding.id,
  });
  coding.runs = [missionRun(run, team, 2), deletedRun(team)];
  state.missions.cards.set(
    coding.id,
    makeCard(
      coding,
      { cards_picked_up: 1, commits: 1, tests: 4, issues: 2 },
      {
        narrative: "The coding phase failed in attempt 2. The test of March does not pass.",
        narrative_model: "openai/gpt-large",
      },
    ),
  );
  return mission;
}

/** Fills the list. Only a test that asks for missions has them, because they are told on the first page. */
export function fillMissions(state: State): void {
  const done = makePhase("research", 0, {
    status: "completed",
    attempt: 1,
    started_at: ago(90_000),
    ended_at: ago(88_000),
  });
  state.missions.list.push(
    makeRunning(state),
    makeStuck(state),
    makeMission(state, {
      title: "Compare three databases",
      goal: "Which database fits?",
      template_kind: "research",
      budget_usd: 2,
      phase_details: [makePhase("research", 0)],
      config: { phase_teams: { research: [state.templates[1].id] } },
      created_at: ago(120),
    }),
    makeMission(state, {
      title: "Read the old code",
      goal: "What does it do?",
      template_kind: "research",
      status: "completed",
      created_at: ago(91_000),
      launched_at: ago(90_500),
      ended_at: ago(88_000),
      cost_microusd: 410_000,
      phase_details: [done],
    }),
  );
}

export const missionNamed = (state: State, title: string): Mission =>
  must(state.missions.list.find((one) => one.title === title));
