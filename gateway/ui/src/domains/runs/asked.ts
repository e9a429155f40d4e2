// What the address of the list of runs asks for, and the request that it becomes.
import type { RunOutcome, RunStatus, RunsWanted } from "~/api/runs";
import type { Option } from "~/ui/list/select";
import { boundsOf, SPANS } from "~/ui/list/range";
import { cleared, type Filters, type View } from "~/ui/list/saved";

export const STATES: readonly (Option & { value: RunStatus | "waiting" | "" })[] = [
  { value: "", label: "Any" },
  { value: "running", label: "Running" },
  { value: "waiting", label: "Waiting" },
  { value: "queued", label: "Queued" },
  { value: "completed", label: "Completed" },
  { value: "failed", label: "Failed" },
  { value: "cancelled", label: "Cancelled" },
];
export const OUTCOMES: readonly (Option & { value: RunOutcome | "" })[] = [
  { value: "", label: "Any" },
  { value: "accepted", label: "Accepted" },
  { value: "rejected", label: "Rejected" },
  { value: "undecided", label: "Undecided" },
];
const SORTS = ["created_at", "-cost", "-duration"] as const;
/** The order without a choice. */
export const NEWEST = "-created_at";

export const BUILT: readonly View[] = [
  { name: "In progress", filters: { state: "running" } },
  { name: "Failed", filters: { state: "failed" } },
  { name: "Rejected", filters: { outcome: "rejected" } },
];

export interface Asked {
  q?: string | undefined;
  state?: string | undefined;
  outcome?: string | undefined;
  team?: string | undefined;
  by?: string | undefined;
  mission?: string | undefined;
  template?: string | undefined;
  /** The name of a model. */
  model?: string | undefined;
  /** A day of UTC, as the comparison of use has them. It goes before the time range. */
  day?: string | undefined;
  when?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
  sort?: string | undefined;
  /** `all`: also the runs that belong to something else. */
  shown?: string | undefined;
}

const known = <T extends { value: string }>(options: readonly T[], value: string | undefined) =>
  options.find((one) => one.value !== "" && one.value === value)?.value;

const DAY_MS = 86_400_000;

/** The bounds of a day of UTC, or nothing where the text is no day. */
function utcDay(day: string | undefined): { from: string; until: string } | undefined {
  const at = /^\d{4}-\d\d-\d\d$/.test(day ?? "") ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  return { from: new Date(at).toISOString(), until: new Date(at + DAY_MS).toISOString() };
}

/** The address without what the list does not know. */
export function readAsked(search: Asked): Filters {
  const { q, team, by, mission, template, model, when, from, until, sort, shown } = search;
  return cleared({
    q,
    state: known(STATES, search.state),
    outcome: known(OUTCOMES, search.outcome),
    team,
    by,
    mission,
    template,
    model,
    day: utcDay(search.day) && search.day,
    when: SPANS.some(([one]) => one === when) ? when : undefined,
    from: when ? undefined : from,
    until: when ? undefined : until,
    sort: SORTS.find((one) => one === sort),
    shown: shown === "all" ? shown : undefined,
  });
}

/** Whether something narrows the list. Its order does not. */
export const narrows = ({ sort: _sort, shown: _shown, ...filters }: Filters): boolean =>
  Object.keys(filters).length > 0;

/** What the gateway reads of the words. */
const MOST_OF_Q = 200;

/** The request. `words` of the title are those that were there when the person stopped typing. */
export function wantedOf(asked: Filters, words: string, today: string): RunsWanted {
  const { state, outcome, team, by, mission, template, model, sort, shown } = asked;
  return {
    ...(words.trim() && { q: words.trim().slice(0, MOST_OF_Q) }),
    // A run that waits has the status `running`.
    ...(state && (state === "waiting" ? { waiting: true } : { status: state as RunStatus })),
    ...(outcome && { outcome: outcome as RunOutcome }),
    ...(team && { team_id: team }),
    ...(by && { created_by: by }),
    ...(mission && { mission_id: mission }),
    ...(template && { template_id: template }),
    ...(model && { model }),
    ...(sort && { sort: sort as NonNullable<RunsWanted["sort"]> }),
    ...(shown && { all: true }),
    ...(utcDay(asked["day"]) ?? boundsOf(asked, today)),
  };
}
