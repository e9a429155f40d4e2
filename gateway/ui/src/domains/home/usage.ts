// Cost, tokens and runs of each day, of the runs that began on it.
import type { RunSummary } from "~/api/runs";

/** As many as the workspace's ceiling of spending counts. */
export const DAYS = 30;

export interface Day {
  /** Its first moment, in the time zone of the browser. */
  at: number;
  cost: number;
  tokens: number;
  runs: number;
  /** Runs that failed, or whose result was rejected. */
  bad: number;
  /** False: more runs began then than were read, so the sums are not known. */
  known: boolean;
}

export type Counted = Pick<
  RunSummary,
  "created_at" | "cost_microusd" | "tokens_in" | "tokens_out" | "status" | "outcome"
>;

export const isBad = (run: Pick<RunSummary, "status" | "outcome">) =>
  run.status === "failed" || (run.status === "completed" && run.outcome === "rejected");

/** The first moment of a day, so many days before the one of `now`. A day may have 23 or 25 hours. */
function dayStart(now: number, before: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - before).getTime();
}

/** The last days, the oldest first. `cut`: runs older than the oldest of these were left out. */
export function daysOf(runs: readonly Counted[], cut: boolean, now: number): Day[] {
  const begin = runs.map((run) => Date.parse(run.created_at)).filter(Number.isFinite);
  const oldest = cut && begin.length > 0 ? Math.min(...begin) : -Infinity;
  const days = Array.from({ length: DAYS }, (_, index): Day => {
    const at = dayStart(now, DAYS - 1 - index);
    return { at, cost: 0, tokens: 0, runs: 0, bad: 0, known: at >= oldest };
  });
  for (const run of runs) {
    const at = Date.parse(run.created_at);
    const day = days.findLast((one) => one.at <= at);
    if (!day) continue;
    day.cost += run.cost_microusd;
    day.tokens += run.tokens_in + run.tokens_out;
    day.runs += 1;
    if (isBad(run)) day.bad += 1;
  }
  return days;
}

export interface Total {
  cost: number;
  tokens: number;
  runs: number;
  bad: number;
  /** Runs with a price that is not known: a model thought, and it cost nothing. */
  unpriced: number;
}

export function totalOf(days: readonly Day[], runs: readonly Counted[]): Total {
  const first = days[0]?.at ?? 0;
  const sum = (of: (day: Day) => number) => days.reduce((total, day) => total + of(day), 0);
  return {
    cost: sum((day) => day.cost),
    tokens: sum((day) => day.tokens),
    runs: sum((day) => day.runs),
    bad: sum((day) => day.bad),
    unpriced: runs.filter(
      (run) => Date.parse(run.created_at) >= first && run.cost_microusd === 0 && run.tokens_in > 0,
    ).length,
  };
}
