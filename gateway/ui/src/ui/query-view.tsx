import type { ReactNode } from "react";
import { Failed } from "./problem";
import { Loading } from "./skeleton";
import { Stale } from "./stale";

interface Props<T> {
  query: {
    data: T | undefined;
    isPending: boolean;
    isError: boolean;
    error: unknown;
    dataUpdatedAt: number;
    refetch: () => unknown;
  };
  /** What is asked for, as in "Loading …". */
  what: string;
  rows?: number;
  children: (data: T) => ReactNode;
}

/** What was asked for: on its way, refused, here, or here and old. */
export function QueryView<T>({ query, what, rows = 3, children }: Props<T>) {
  return (
    <>
      {query.isPending && (
        <Loading what={what} rows={rows} className="rounded-panel border border-line bg-surface" />
      )}
      {query.isError && query.data === undefined && (
        <Failed error={query.error} retry={() => void query.refetch()} className="" />
      )}
      <Stale query={query} />
      {query.data !== undefined && children(query.data)}
    </>
  );
}
