import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";

/** What the address asks for. */
export interface Wanted {
  actor?: string;
  action?: string;
  /** `<kind>:<id>` of what it was done to. */
  thing?: string;
  /** Days, as `2026-01-31`. */
  from?: string;
  until?: string;
  /** `at` for the oldest first. */
  sort?: string;
}

/** Whether anything is left out. */
export const narrows = (wanted: Wanted) =>
  Object.entries(wanted).some(([name, value]) => name !== "sort" && value);

/** All of the log, in the same order. */
export const whole = ({ sort }: Wanted): Wanted => (sort ? { sort } : {});

/** The first moment of a day here, or of a day after it. */
function moment(day: string | undefined, later = 0): string | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? "");
  if (!parts) return undefined;
  return new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]) + later).toISOString();
}

/** The gateway's parameters for it; "until" a day means with that day. */
export function asked({ actor, action, thing, from, until, sort }: Wanted): Record<string, string> {
  const [kind, id] = thing?.includes(":")
    ? [thing.slice(0, thing.indexOf(":")), thing.slice(thing.indexOf(":") + 1)]
    : [];
  const all = {
    actor,
    action,
    entity_kind: kind,
    entity_id: id,
    from: moment(from),
    until: moment(until, 1),
    sort,
  };
  return Object.fromEntries(
    Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined && one[1] !== ""),
  );
}

export const logQuery = (wanted: Wanted) => {
  const query = asked(wanted);
  return infiniteQueryOptions({
    queryKey: keys.auditLog(query),
    queryFn: ({ pageParam, signal }) =>
      api.get("/api/audit", { query: { ...query, limit: 20, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });
};

export const chainQuery = queryOptions({
  queryKey: keys.auditChain,
  queryFn: ({ signal }) => api.get("/api/audit/chain", { signal }),
});
