// Asks again for what has changed, without breaking off what a person has just asked for.
import type { InvalidateQueryFilters, Query, QueryClient } from "@tanstack/react-query";

/** Fetching a further page of its list. To begin anew would drop that page, and the press of "Show older ones" with it. */
const growing = ({ state }: Query) =>
  state.fetchStatus === "fetching" && state.fetchMeta?.fetchMore !== undefined;

/** As `invalidateQueries`; a list that is growing is asked again when it has grown. */
export function renew(client: QueryClient, filters: InvalidateQueryFilters = {}): Promise<void> {
  for (const query of client.getQueryCache().findAll(filters).filter(growing)) {
    const later = () => client.invalidateQueries({ queryKey: query.queryKey, exact: true });
    query.promise?.then(later, later);
  }
  return client.invalidateQueries({ ...filters, predicate: (query) => !growing(query) });
}
