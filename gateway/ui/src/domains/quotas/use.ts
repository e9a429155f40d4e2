// Who used what: sums of the gateway as rows of a chart and of a table.
import type { components } from "~/api/schema";
import { number } from "~/ui/bytes";
import { money } from "~/ui/run-state";
import { duration } from "~/ui/time";

type Schemas = components["schemas"];
export type RunsUse = Schemas["RunsUse"];
export type By = Schemas["UseBy"];
type Sums = Pick<Schemas["UseSums"], "runs" | "input_tokens" | "output_tokens" | "cost_microusd" | "seconds">;

export type Measure = "cost" | "tokens" | "time" | "runs";
export const MEASURES: readonly Measure[] = ["cost", "tokens", "time", "runs"];
export const MEASURE_NAMES: Record<Measure, string> = {
  cost: "Cost",
  tokens: "Tokens",
  time: "Time",
  runs: "Runs",
};

/** What is compared, and how one of them is called. */
export const BY: Record<By, { several: string; one: string; without: string; gone: string }> = {
  day: { several: "Days", one: "Day", without: "", gone: "" },
  team: { several: "Teams", one: "Team", without: "Without a team", gone: "Deleted team" },
  template: {
    several: "Templates",
    one: "Template",
    without: "Without a template",
    gone: "Deleted template",
  },
  mission: { several: "Missions", one: "Mission", without: "Without a mission", gone: "Deleted mission" },
  person: { several: "People", one: "Person", without: "Nobody any more", gone: "Deleted person" },
  model: { several: "Models", one: "Model", without: "Without a model", gone: "Deleted model" },
};

export interface Row {
  key: string;
  /** The id, the name of the model, or the day. Absent in the row of all without one, and in that of the others. */
  id: string | undefined;
  name: string;
  cost: number;
  tokens: number;
  /** The output tokens among them. */
  output: number;
  /** In ms. */
  time: number;
  runs: number;
}

const row = (sums: Sums, key: string, name: string, id?: string): Row => ({
  key,
  id,
  name,
  cost: sums.cost_microusd,
  tokens: sums.input_tokens + sums.output_tokens,
  output: sums.output_tokens,
  time: sums.seconds * 1000,
  runs: sums.runs,
});

/** The rows, the highest of the measure first; the others are at the end. */
export function rowsOf(use: RunsUse, measure: Measure): Row[] {
  const { without, gone } = BY[use.by];
  const rows = use.rows.map((one) => {
    const { key } = one;
    if (key == null) return row(one, "without", without);
    // A model has its name as key. One that is deleted here is still called so.
    return row(one, key, one.name ?? (use.by === "model" ? key : gone), key);
  });
  const sorted = rows.toSorted((a, b) => b[measure] - a[measure] || (a.name < b.name ? -1 : 1));
  return use.others ? [...sorted, row(use.others, "others", "All others")] : sorted;
}

export type Sum = Omit<Row, "key" | "id" | "name">;

export function totalOf(rows: readonly Row[]): Sum {
  const sum = (of: keyof Sum) => rows.reduce((total, one) => total + one[of], 0);
  return {
    cost: sum("cost"),
    tokens: sum("tokens"),
    output: sum("output"),
    time: sum("time"),
    runs: sum("runs"),
  };
}

/** The first rows, and what has no room as one row. */
export function cutTo(rows: readonly Row[], most: number): Row[] {
  if (rows.length <= most) return [...rows];
  const rest = rows.slice(most - 1);
  return [
    ...rows.slice(0, most - 1),
    { key: "rest", id: undefined, name: `${rest.length} others`, ...totalOf(rest) },
  ];
}

const DAY_MS = 86_400_000;

/** The begin of the first of so many days up to today. The gateway counts the days of UTC. */
export const sinceOf = (days: number, now: number): number =>
  Math.floor(now / DAY_MS) * DAY_MS - (days - 1) * DAY_MS;

const NOTHING: Sums = { runs: 0, input_tokens: 0, output_tokens: 0, cost_microusd: 0, seconds: 0 };

/** Each day of the range, also those without a run, the oldest first. */
export function daysOf(use: RunsUse, since: number, days: number): Row[] {
  const found = new Map(use.rows.map((one) => [one.key, one]));
  return Array.from({ length: days }, (_, at) => {
    const day = new Date(since + at * DAY_MS).toISOString().slice(0, 10);
    return row(found.get(day) ?? NOTHING, day, day, day);
  });
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const FORMATS: Record<Measure, (value: number) => string> = {
  cost: (value) => (value >= 10_000 ? `$${(value / 1e6).toFixed(2)}` : money(value)),
  tokens: (value) => compact.format(value),
  time: duration,
  runs: (value) => number(value, Number.isInteger(value) ? 0 : 1),
};

/** All of a row but its measure, small beside it. */
export const moreOf = (one: Sum, measure: Measure): string =>
  MEASURES.filter((other) => other !== measure)
    .map((other) => {
      const value = FORMATS[other](one[other]);
      if (other === "tokens") return `${value} tokens`;
      if (other === "runs") return `${value} ${one.runs === 1 ? "run" : "runs"}`;
      return value;
    })
    .join(", ");

/** Everything of a row, in a line. */
export const allOf = (one: Sum): string => `${FORMATS.cost(one.cost)}, ${moreOf(one, "cost")}`;

/** How a measure is a part of all. */
export const partOf = (value: number, whole: number): string =>
  whole > 0 ? `${Math.round((value / whole) * 100)}%` : "0%";
