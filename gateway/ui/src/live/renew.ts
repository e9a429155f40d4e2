// Asks again for what has changed, without breaking off what a person has just asked for.
import type { InvalidateQueryFilters, Query, QueryClient } from "@tanstack/react-query";

/** Fetching a further page of its list. To begin anew would drop that page, and the press of "Show older ones" with it. */
const growing = ({ state }: Query) => state.fetchMeta?.fetchMore !== undefined;

/** On its way for the first time. The client would take the answer that is coming, which may be older than the change. */
const first = ({ state }: Query) => state.data === undefined;

const mustSettle = (query: Query) =>
  query.state.fetchStatus === "fetching" && (growing(query) || first(query));

/** Those that are asked again already once they have settled. */
const later = new WeakSet<Query>();

/** As `invalidateQueries`; what has to settle first is asked again when it has. */
export function renew(client: QueryClient, filters: InvalidateQueryFilters = {}): Promise<void> {
  for (const query of client.getQueryCache().findAll(filters).filter(mustSettle)) {
    if (later.has(query)) continue;
    later.add(query);
    const again = () => {
      later.delete(query);
      return client.invalidateQueries({ queryKey: query.queryKey, exact: true });
    };
    query.promise?.then(again, again);
  }
  return client.invalidateQueries({ ...filters, predicate: (query) => !mustSettle(query) });
}
