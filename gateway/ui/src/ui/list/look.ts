// What the address of a list has: its filters, its order and its dialog.
import { cleared } from "./saved";
import { type Keys, knownOrder, type Sorting } from "./sort";

type Search = Record<string, string | undefined>;

/** A route of a list, as `getRouteApi` has it. */
interface Route<S> {
  useSearch: () => S;
  useNavigate: () => (to: { search: never; replace: boolean }) => unknown;
}

export interface Look<S> {
  /** The address. An order that the list does not know is none. */
  asked: S;
  /** Changes the address. An empty text removes its part. A dialog is a step of its own to go back from. */
  look: (change: { [Name in keyof S]?: string }) => void;
  sorting: Sorting;
}

export function useLook<S extends Search, T>(route: Route<S>, keys: Keys<T>): Look<S> {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const by = knownOrder(search["sort"], keys);
  const asked = { ...search, sort: by };
  const look = (change: Search) =>
    void navigate({
      search: cleared({ ...asked, ...change }) as never,
      replace: change["dialog"] === undefined,
    });
  return { asked, look, sorting: { by, onSort: (sort) => look({ sort }) } };
}
