// A run that was forked from another one: what it took over, and what it did itself.
import type { Run, RunStep } from "~/api/runs";
import { visible } from "~/ui/visible";
import { PURPOSES, purposeWord, stepName } from "./words";

/** Taken over with what it handed over: it was done, said and paid for in the run before, so it is older than this one. */
export const isKept = (
  { forked_from, created_at }: Pick<Run, "forked_from" | "created_at">,
  { started_at }: RunStep,
) => forked_from != null && Date.parse(started_at) < Date.parse(created_at);

export const KEPT = "Kept from the run that this one was forked from";

/** The steps that this run took itself. */
export const ownSteps = (run: Run) => run.steps.filter((step) => !isKept(run, step));

/** When this run's own work began. */
export function beginOf(run: Run): number {
  const starts = ownSteps(run).map((step) => step.started_at);
  if (run.started_at) starts.push(run.started_at);
  return Math.min(...(starts.length > 0 ? starts : [run.created_at]).map((at) => Date.parse(at)));
}

/** The step from which it did everything anew, as people call it. */
export function forkedAt(run: Pick<Run, "forked_step" | "steps" | "graph">): string {
  if (!run.forked_step) return "its beginning";
  const [, key = "", lap = "1"] = /^(.*)#(\d+)$/.exec(run.forked_step) ?? ["", run.forked_step];
  const step = run.steps.find((one) => stepName(one) === run.forked_step);
  const [, before = "", suffix = ""] = /^(.*)\/([a-z]+)$/.exec(key) ?? [];
  const purpose = step?.purpose ?? (suffix in PURPOSES ? suffix : "work");
  const id = step?.node ?? (suffix in PURPOSES ? before : key);
  const name = run.graph.nodes.find((node) => node.id === id)?.label || id;
  return [
    visible(name),
    purpose !== "work" && `where it ${purposeWord(purpose)}`,
    lap !== "1" && `lap ${lap}`,
  ]
    .filter(Boolean)
    .join(", ");
}
