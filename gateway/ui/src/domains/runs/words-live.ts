// What is said of a run at work, beyond its status.
import type { Run, RunSummary } from "~/api/runs";
import { isOver, runState } from "~/ui/run-state";
import type { Tone } from "~/ui/status";

/** The state of a run, with a pause in its place. A run that still ends what it has begun is pausing. */
export function pauseState(run: Pick<RunSummary, "status" | "cancelling" | "paused_at" | "waits_for">): {
  tone: Tone;
  word: string;
} {
  if (run.paused_at == null || run.cancelling || isOver(run.status)) return runState(run);
  const rests = run.status === "queued" || run.waits_for != null;
  return rests ? { tone: "waiting", word: "Paused" } : { tone: "moving", word: "Pausing" };
}

/** The node whose step is at work; the one that began last, where there are several. */
export const workingNode = (run: Pick<Run, "steps">) =>
  run.steps.findLast((step) => step.status === "running")?.node;
