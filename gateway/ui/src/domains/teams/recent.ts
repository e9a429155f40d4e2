// What a team used on each of the last days.
import type { components } from "~/api/schema";

export const DAYS = 30;
const DAY_MS = 86_400_000;

export type Day = components["schemas"]["UseRow"];

/** A value for each day, the oldest first. */
export interface Recent {
  runs: number[];
  cost: number[];
  tokens: number[];
  /** In ms. */
  time: number[];
}

/** The first moment of the range. The gateway counts the days of UTC. */
export const sinceOf = (now: number): number => Math.floor(now / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS;

export function recentOf(rows: readonly Day[], since: number): Recent {
  const found = new Map(rows.map((row) => [row.key, row]));
  const days = Array.from({ length: DAYS }, (_, at) =>
    found.get(new Date(since + at * DAY_MS).toISOString().slice(0, 10)),
  );
  const line = (of: (day: Day) => number) => days.map((day) => (day ? of(day) : 0));
  return {
    runs: line((day) => day.runs),
    cost: line((day) => day.cost_microusd),
    tokens: line((day) => day.input_tokens + day.output_tokens),
    time: line((day) => day.seconds * 1000),
  };
}

export const sum = (line: readonly number[]) => line.reduce((total, one) => total + one, 0);
