// The work of people: the list's usual runs, and the goals that a person gave to one agent alone. The gateway counts the
// latter as chats and leaves them out of its usual list, so they are a second list. Both are shown as one.
import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { RunSummary, RunsWanted } from "~/api/runs";
import { took } from "~/ui/run-state";

const LIMIT = 50;

/** How far a list was read. */
interface Source {
  /** Without one, the list is read to its end. */
  cursor: string | undefined;
  /** Runs that were read and are not shown yet. */
  left: RunSummary[];
}

export interface WorkPage {
  items: RunSummary[];
  next: Source[] | undefined;
}

type Order = (a: RunSummary, b: RunSummary) => number;

const lasted = ({ started_at, ended_at, updated_at }: RunSummary) =>
  took(started_at, ended_at ?? updated_at, 0) ?? -1;

const ORDERS: Record<NonNullable<RunsWanted["sort"]>, Order> = {
  "-created_at": (a, b) => Date.parse(b.created_at) - Date.parse(a.created_at),
  created_at: (a, b) => Date.parse(a.created_at) - Date.parse(b.created_at),
  "-cost": (a, b) => b.cost_microusd - a.cost_microusd,
  "-duration": (a, b) => lasted(b) - lasted(a),
};

/** The lists as one, until the first of them has to be read on. Each keeps the order that the gateway gave it. */
export function merge(sources: readonly Source[], sort: RunsWanted["sort"]): WorkPage {
  const order = ORDERS[sort ?? "-created_at"];
  const items: RunSummary[] = [];
  const rest = sources.map(({ cursor, left }) => ({ cursor, left: [...left] }));
  while (rest.every(({ cursor, left }) => cursor === undefined || left.length > 0)) {
    const full = rest.filter(({ left }) => left.length > 0);
    const [first] = full.toSorted((a, b) => order(a.left[0]!, b.left[0]!));
    if (!first) return { items, next: undefined };
    items.push(first.left.shift()!);
  }
  return { items, next: rest };
}

/** The runs of people, teams and missions, and those of single agents; page by page. */
export const workQuery = (wanted: RunsWanted) => {
  const read = async (list: { origin?: "chat" }, before: Source | undefined, signal: AbortSignal) => {
    if (before && (before.left.length > 0 || before.cursor === undefined)) return before;
    const query = { ...wanted, ...list, limit: LIMIT, cursor: before?.cursor };
    const { items, next_cursor } = await api.get("/api/topology-runs", { query, signal });
    return { cursor: next_cursor ?? undefined, left: items };
  };
  return infiniteQueryOptions({
    queryKey: [...keys.runs, "work", wanted],
    queryFn: async ({ pageParam, signal }) => {
      const items: RunSummary[] = [];
      let before = pageParam;
      // One list may go on for a moment before the other: a page is not a few rows.
      for (;;) {
        const page = merge(
          await Promise.all([read({}, before?.[0], signal), read({ origin: "chat" }, before?.[1], signal)]),
          wanted.sort,
        );
        items.push(...page.items);
        if (!page.next || items.length >= LIMIT) return { items, next: page.next };
        before = page.next;
      }
    },
    initialPageParam: undefined as Source[] | undefined,
    getNextPageParam: (last) => last.next,
  });
};
