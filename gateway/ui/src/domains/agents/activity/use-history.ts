// The lines of an agent's history that tell a person something, newest first.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { Activity, ActivitySource } from "~/api/types";
import { activityQuery } from "./queries";
import { told, type Told } from "./words";

export type Line = Activity & Told;

/** Ids of different sources may be the same; a row needs an id of its own. */
export const linesOf = (pages: { items: Activity[] }[]): Line[] => {
  const seen = new Map<string, Line>();
  for (const one of pages.flatMap((page) => page.items)) {
    const id = `${one.source}:${one.id}`;
    const words = told(one);
    // While pages are asked again something new may push a line from one page to the next: it is shown once.
    if (words && !seen.has(id)) seen.set(id, { ...one, ...words, id });
  }
  return [...seen.values()];
};

/** Most pages that are asked for without a press. */
const MOST_PAGES = 4;

/** A page may hold little that has a line. Then the next one is asked for, until there are `least` lines. */
export function useHistory(id: string, sources: ActivitySource[], least: number) {
  const history = useInfiniteQuery(activityQuery(id, sources));
  const lines = useMemo(() => linesOf(history.data?.pages ?? []), [history.data]);
  const pages = history.data?.pages.length ?? 0;
  const short = lines.length < least && pages > 0 && pages < MOST_PAGES && history.hasNextPage;
  const { fetchNextPage, isFetching, isError } = history;
  useEffect(() => {
    if (short && !isFetching && !isError) void fetchNextPage();
  }, [short, isFetching, isError, fetchNextPage]);
  return { history, lines, filling: short && !isError };
}
