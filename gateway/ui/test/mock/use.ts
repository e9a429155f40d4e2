// The sums of runs that the mock gateway makes, as `GET /api/runs/use` answers them.
import type { Run, Schemas } from "./schema.ts";
import type { State } from "./state.ts";

type Use = Schemas["RunsUse"];
type Row = Use["rows"][number];

const MONTH_MS = 30 * 86_400_000;
const MOST = 500;

/** The key of a run's row, and what people call it. */
function keyOf(state: State, by: Use["by"], run: Run): [string | null, string | null] {
  const team = state.teams.list.find(({ id }) => id === run.team_id);
  const named = (id: string | null | undefined, name: string | undefined): [string | null, string | null] => [
    id ?? null,
    name ?? null,
  ];
  if (by === "day") return [run.created_at.slice(0, 10), null];
  if (by === "person") return named(run.created_by?.id, run.created_by?.name);
  if (by === "team") return named(run.team_id, team?.name);
  if (by === "mission")
    return named(run.mission_id, state.missions.list.find(({ id }) => id === run.mission_id)?.title);
  if (by === "model") return ["scripted", "scripted"];
  const template = state.templates.find(({ id }) => id === team?.template_id);
  return named(team?.template_id, template?.name);
}

function add(row: Schemas["UseSums"], run: Run) {
  const end = run.ended_at ? Date.parse(run.ended_at) : Date.now();
  row.runs += 1;
  row.input_tokens += run.tokens_in;
  row.output_tokens += run.tokens_out;
  row.cost_microusd += run.cost_microusd;
  row.seconds += run.started_at ? Math.max(0, Math.floor((end - Date.parse(run.started_at)) / 1000)) : 0;
}

const none = () => ({ runs: 0, input_tokens: 0, output_tokens: 0, cost_microusd: 0, seconds: 0 });

export function useOf(state: State, query: URLSearchParams): Use {
  const by = (query.get("by") ?? "team") as Use["by"];
  const to = query.get("to") ?? new Date().toISOString();
  const from = query.get("from") ?? new Date(Date.parse(to) - MONTH_MS).toISOString();
  const rows = new Map<string | null, Row>();
  for (const run of state.runs.list) {
    const at = Date.parse(run.created_at);
    if (run.parent_run_id || at < Date.parse(from)) continue;
    if (query.has("team_id") && run.team_id !== query.get("team_id")) continue;
    const [key, name] = keyOf(state, by, run);
    const row = rows.get(key) ?? { key, name, ...none() };
    rows.set(key, row);
    add(row, run);
  }
  const sorted = [...rows.values()].toSorted((a, b) =>
    by === "day" ? ((a.key ?? "") < (b.key ?? "") ? -1 : 1) : b.cost_microusd - a.cost_microusd,
  );
  return { by, from, to, rows: sorted.slice(0, MOST), others: null };
}
