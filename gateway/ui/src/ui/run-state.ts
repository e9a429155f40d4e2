import type { RunOrigin, RunOutcome, RunSummary } from "~/api/runs";
import { DASH } from "./bytes";
import { withoutTicks } from "./inline-code";
import type { Tone } from "./status";
import { visible } from "./visible";

const STATES: Record<string, { tone: Tone; word: string }> = {
  queued: { tone: "waiting", word: "Queued" },
  running: { tone: "running", word: "Running" },
  completed: { tone: "done", word: "Completed" },
  failed: { tone: "failed", word: "Failed" },
  cancelled: { tone: "offline", word: "Cancelled" },
};

export const isOver = (status: string) => !["queued", "running"].includes(status);

type Standing = Pick<RunSummary, "status"> &
  Partial<Pick<RunSummary, "cancelling" | "paused_at" | "waits_for" | "waiting_on">>;

/**
 * The state of a run, in a word. The gateway keeps the status `running` of a run that is paused or waits. A run that
 * still ends what it has begun is pausing. A short form of a run does not say what the run waits for.
 */
export function runState(run: Standing): { tone: Tone; word: string; title?: string } {
  const { status, waiting_on: on } = run;
  if (!isOver(status)) {
    if (run.cancelling) return { tone: "moving", word: "Cancelling" };
    if (run.paused_at)
      return status === "queued" || run.waits_for
        ? { tone: "waiting", word: "Paused" }
        : { tone: "moving", word: "Pausing" };
    if (on) return { tone: "waiting", word: "Waiting", title: visible(withoutTicks(on)) };
  }
  return STATES[status] ?? { tone: "idle", word: status };
}

const OUTCOMES: Record<RunOutcome, { tone: Tone; word: string }> = {
  accepted: { tone: "done", word: "Accepted" },
  rejected: { tone: "failed", word: "Rejected" },
  undecided: { tone: "idle", word: "Undecided" },
};

/**
 * Whether the goal was met. It stands beside the status, which says only whether the run came to its end. A run that
 * failed or was cancelled has nothing to add.
 */
export const outcomeState = (run: Pick<RunSummary, "status" | "outcome" | "outcome_reason">) =>
  run.outcome && run.status === "completed"
    ? { ...OUTCOMES[run.outcome], title: run.outcome_reason ? withoutTicks(run.outcome_reason) : undefined }
    : undefined;

/** Where a run comes from, in a word. A person's team has none: it is what people expect. */
const ORIGINS: Record<RunOrigin["type"], string | undefined> = {
  team: undefined,
  company: undefined,
  org: undefined,
  mission_phase: "of a mission",
  routine: "of a routine",
  room: "in a room",
  chat: "one agent",
  a2a: "through A2A",
  planner: "of the planner",
  call: "part of another run",
  compare: "comparison",
  fork: "fork",
};
export const originWord = ({ origin }: Pick<RunSummary, "origin">) => ORIGINS[origin.type];

/** How far it is; once it is over, the bound says nothing any more. */
export function stepsWord(run: Pick<RunSummary, "status" | "steps_done" | "steps_most">): string {
  if (isOver(run.status)) return `${run.steps_done} ${run.steps_done === 1 ? "step" : "steps"}`;
  return `${run.steps_done} of at most ${run.steps_most} steps`;
}

/** Money of models: small sums keep the digits that say something. */
export function money(microusd: number | null | undefined): string {
  if (microusd === null || microusd === undefined) return DASH;
  const dollars = microusd / 1e6;
  if (dollars === 0) return "$0";
  return `$${dollars >= 1 ? dollars.toFixed(2) : dollars >= 0.01 ? dollars.toFixed(3) : dollars.toFixed(6).replace(/0+$/, "")}`;
}

/** From its beginning to its end, or until now. */
export const took = (from: string | null | undefined, to: string | null | undefined, now: number) =>
  from ? Math.max(0, (to ? Date.parse(to) : now) - Date.parse(from)) : undefined;
