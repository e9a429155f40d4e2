// A comparison that is being put together, and how its candidates stand beside each other.
import type { Run, RunSummary } from "~/api/runs";
import type { components } from "~/api/schema";
import type { TopologyKind } from "~/api/teams";
import { microusdOf, typedOf } from "~/ui/dollars";
import { isPace, limitsOf, noPace, paceOf, type Pace } from "~/ui/pace";
import { isOver, took } from "~/ui/run-state";

type Schemas = components["schemas"];
export type Comparison = Schemas["RunComparison"];
export type FilesFrom = Schemas["ComparisonFilesFrom"];
export type Compared = Schemas["RunComparedCandidate"];

export const MOST = 8;

export interface Draft extends Pace {
  title: string;
  input: string;
  candidates: { id: number; team: string; kind: TopologyKind | "" }[];
  judge: string;
  most: string;
  /** What the sandboxes begin with. `step` needs a run and a step. */
  files: FilesFrom;
  run: string;
  step: string;
}

export const emptyDraft = (): Draft => ({
  title: "",
  input: "",
  candidates: [0, 1].map((id) => ({ id, team: "", kind: "" })),
  judge: "",
  most: "",
  files: "empty",
  run: "",
  step: "",
  ...noPace,
});

/** A run beside another way to the same goal: its own team is the first candidate, and its first files are those of all. */
export function draftOf(run: Run): Draft {
  const draft = emptyDraft();
  const begun = run.steps.find(({ files, lap }) => lap === 1 && files?.began.snapshot_id);
  const [first, ...others] = draft.candidates;
  return {
    ...draft,
    ...paceOf(run.limits),
    input: run.input,
    candidates: first ? [{ ...first, team: run.team_id ?? "" }, ...others] : others,
    // Each candidate may spend an equal part.
    most:
      run.cost_ceiling_microusd == null ? "" : typedOf(run.cost_ceiling_microusd * draft.candidates.length),
    ...(begun && { files: "step", run: run.id, step: begun.key }),
  };
}

export const isWhole = ({ input, candidates, ...pace }: Draft) =>
  isPace(pace) &&
  input.trim() !== "" &&
  candidates.length >= 2 &&
  candidates.every(({ team }) => team !== "") &&
  (pace.files !== "step" || sharesTeam({ candidates }) || (pace.run !== "" && pace.step !== ""));

/** Whether a team is selected twice: what one writes into the sandbox, the other sees. */
export const sharesTeam = ({ candidates }: Pick<Draft, "candidates">) => {
  const teams = candidates.map(({ team }) => team).filter(Boolean);
  return new Set(teams).size < teams.length;
};

/** The same team works in the same sandboxes, so there is nothing to choose. */
const filesOf = (draft: Pick<Draft, "candidates" | "files" | "run" | "step">): Schemas["ComparisonFiles"] =>
  sharesTeam(draft)
    ? { from: "own" }
    : draft.files === "step"
      ? { from: "step", run_id: draft.run, step: draft.step }
      : { from: draft.files };

export function bodyOf({
  title,
  input,
  candidates,
  judge,
  most,
  files,
  run,
  step,
  ...pace
}: Draft): Schemas["NewComparison"] {
  const ceiling = microusdOf(most);
  return {
    input: input.trim(),
    candidates: candidates.map(({ team, kind }) => ({ team_id: team, ...(kind && { topology: kind }) })),
    ...(title.trim() && { title: title.trim() }),
    ...(judge && { judge_agent_id: judge }),
    ...(ceiling !== undefined && { cost_ceiling_microusd: ceiling }),
    files: filesOf({ candidates, files, run, step }),
    ...limitsOf(pace),
  };
}

/** In the order of their letters. Those are drawn at random, so the gateway's order, that of the request, is another one. */
export const byLabel = (candidates: readonly Compared[]): Compared[] =>
  candidates.toSorted((a, b) => (a.label < b.label ? -1 : 1));

/** A candidate at work, with what its own run has done by now. */
export function caughtUp(one: Compared, child: RunSummary | undefined, now: number): Compared {
  if (!child || isOver(one.status)) return one;
  return {
    ...one,
    status: child.status,
    cost_microusd: child.cost_microusd,
    tokens_in: child.tokens_in,
    tokens_out: child.tokens_out,
    steps: child.steps_done,
    took_ms: took(child.started_at, child.ended_at, now) ?? null,
  };
}

/** The figures of a candidate; as long as nothing of it was counted, nothing is known, which is not the same as 0. */
export function figures({ cost_microusd, tokens_in, tokens_out, steps, took_ms }: Compared) {
  const tokens = tokens_in + tokens_out;
  if (steps === 0 && tokens === 0 && cost_microusd === 0) return { took: took_ms };
  return { cost: cost_microusd, tokens, steps, took: took_ms };
}

/** How long each bar is beside the longest, in percent; what is not known has none. */
export function bars(values: readonly (number | null | undefined)[]): (number | undefined)[] {
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  return values.map((value) => (value == null ? undefined : most === 0 ? 0 : (value / most) * 100));
}
