// What a team's runs of the last days add up to.
import type { RunSummary } from "~/api/runs";

export const DAYS = 30;

export type Counted = Pick<
  RunSummary,
  "created_at" | "started_at" | "ended_at" | "cost_microusd" | "tokens_in" | "tokens_out"
>;

/** A value for each day, the oldest first. */
export interface Recent {
  runs: number[];
  cost: number[];
  tokens: number[];
  /** In ms. */
  time: number[];
}

/** The first moment of the range, in the time zone of the browser. */
export function sinceOf(now: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - DAYS + 1).getTime();
}

export function recentOf(runs: readonly Counted[], now: number): Recent {
  const since = sinceOf(now);
  const zeros = () => Array.from({ length: DAYS }, () => 0);
  const recent: Recent = { runs: zeros(), cost: zeros(), tokens: zeros(), time: zeros() };
  for (const run of runs) {
    const at = Date.parse(run.created_at);
    if (!(at >= since)) continue;
    const day = Math.min(DAYS - 1, Math.floor((at - since) / 86_400_000));
    const put = (line: number[], value: number) => (line[day] = (line[day] ?? 0) + value);
    put(recent.runs, 1);
    put(recent.cost, run.cost_microusd);
    put(recent.tokens, run.tokens_in + run.tokens_out);
    const end = run.ended_at ? Date.parse(run.ended_at) : now;
    if (run.started_at) put(recent.time, Math.max(0, end - Date.parse(run.started_at)));
  }
  return recent;
}

export const sum = (line: readonly number[]) => line.reduce((total, one) => total + one, 0);
