// Who used what: cost, tokens, time and runs of a time range, by team, template, mission or person.
import type { RunSummary } from "~/api/runs";

export type Counted = Pick<
  RunSummary,
  | "id"
  | "agent_id"
  | "team_id"
  | "mission_id"
  | "created_by"
  | "created_at"
  | "started_at"
  | "ended_at"
  | "cost_microusd"
  | "tokens_in"
  | "tokens_out"
>;

export type By = "team" | "template" | "mission" | "person";
export type Measure = "cost" | "tokens" | "time" | "runs";
export const MEASURES: readonly Measure[] = ["cost", "tokens", "time", "runs"];

export interface Sums {
  cost: number;
  tokens: number;
  /** In ms. */
  time: number;
  runs: number;
}

/** Where a row of the table leads. */
export type Way = { to: "team" | "template" | "mission"; id: string };

export interface Row extends Sums {
  key: string;
  name: string;
  way: Way | undefined;
  /** The measure of each day, the oldest first. */
  days: number[];
}

/** The names of what runs only have the ids of. Nothing for what was deleted. */
export interface Names {
  team: (id: string) => { name: string; template: string | undefined } | undefined;
  template: (id: string) => string | undefined;
  mission: (id: string) => string | undefined;
}

type Group = Pick<Row, "key" | "name" | "way">;

/** Work that no team did. */
const ALONE: Group = { key: "alone", name: "Agents without a team", way: undefined };

function groupOf(run: Counted, by: By, names: Names): Group {
  if (by === "person") {
    const person = run.created_by;
    return person
      ? { key: person.id, name: person.name || person.email, way: undefined }
      : { key: "nobody", name: "Nobody any more", way: undefined };
  }
  if (by === "mission") {
    const { mission_id: id } = run;
    if (!id) return { key: "none", name: "Without a mission", way: undefined };
    const name = names.mission(id);
    return name === undefined
      ? { key: "gone", name: "Deleted missions", way: undefined }
      : { key: id, name, way: { to: "mission", id } };
  }
  const { team_id: id } = run;
  if (!id) return ALONE;
  const team = names.team(id);
  if (!team) return { key: "gone", name: "Deleted teams", way: undefined };
  if (by === "team") return { key: id, name: team.name, way: { to: "team", id } };
  if (!team.template) return { key: "own", name: "Teams without a template", way: undefined };
  const name = names.template(team.template);
  return name === undefined
    ? { key: "gone-template", name: "Deleted templates", way: undefined }
    : { key: team.template, name, way: { to: "template", id: team.template } };
}

const DAY_MS = 86_400_000;

/** The first moment of the day so many days before that of `now`. */
export function sinceOf(days: number, now: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - days + 1).getTime();
}

/** What one run adds. One that did not begin took no time. */
function valuesOf(run: Counted, now: number): Sums {
  const begin = run.started_at ? Date.parse(run.started_at) : undefined;
  const end = run.ended_at ? Date.parse(run.ended_at) : now;
  return {
    cost: run.cost_microusd,
    tokens: run.tokens_in + run.tokens_out,
    time: begin === undefined ? 0 : Math.max(0, end - begin),
    runs: 1,
  };
}

/** The rows of the table: the highest of the measure first. What has no room is one row at the end. */
export function rowsOf(
  runs: readonly Counted[],
  { by, measure, days }: { by: By; measure: Measure; days: number },
  names: Names,
  now: number,
): Row[] {
  const since = sinceOf(days, now);
  const rows = new Map<string, Row>();
  for (const run of runs) {
    const at = Date.parse(run.created_at);
    if (!(at >= since)) continue;
    const group = groupOf(run, by, names);
    let row = rows.get(group.key);
    if (!row) {
      row = { ...group, cost: 0, tokens: 0, time: 0, runs: 0, days: Array.from({ length: days }, () => 0) };
      rows.set(group.key, row);
    }
    const values = valuesOf(run, now);
    for (const one of MEASURES) row[one] += values[one];
    // An hour off at a change of the clock does not move a run to another day of the picture that matters.
    const day = Math.min(days - 1, Math.floor((at - since) / DAY_MS));
    row.days[day] = (row.days[day] ?? 0) + values[measure];
  }
  const sorted = [...rows.values()].toSorted((a, b) => b[measure] - a[measure] || (a.name < b.name ? -1 : 1));
  return sorted.length <= MOST ? sorted : [...sorted.slice(0, MOST - 1), othersOf(sorted.slice(MOST - 1))];
}

const MOST = 15;

function othersOf(rows: readonly Row[]): Row {
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    key: "others",
    name: `${rows.length} others`,
    way: undefined,
    cost: sum((row) => row.cost),
    tokens: sum((row) => row.tokens),
    time: sum((row) => row.time),
    runs: sum((row) => row.runs),
    days: rows[0]?.days.map((_, day) => sum((row) => row.days[day] ?? 0)) ?? [],
  };
}

export const totalOf = (rows: readonly Row[]): Sums => {
  const sum = (of: Measure) => rows.reduce((total, row) => total + row[of], 0);
  return { cost: sum("cost"), tokens: sum("tokens"), time: sum("time"), runs: sum("runs") };
};

/** The points of a line in a box of 100 by 100. The highest day is at its top. */
export function linePoints(days: readonly number[]): string {
  const high = Math.max(...days, 0);
  const step = 100 / Math.max(1, days.length - 1);
  return days
    .map(
      (value, at) => `${(at * step).toFixed(2)},${(high > 0 ? 100 - (value / high) * 100 : 100).toFixed(2)}`,
    )
    .join(" ");
}
