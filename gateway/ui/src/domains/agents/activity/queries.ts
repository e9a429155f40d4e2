import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { ActivitySource } from "~/api/types";

export const SOURCES: ActivitySource[] = ["operation", "event", "audit"];

/** What an address says; all of them when it says nothing. */
export function sourcesOf(text: string | undefined): ActivitySource[] {
  const words = text?.split(",") ?? [];
  const chosen = SOURCES.filter((source) => words.includes(source));
  return chosen.length > 0 ? chosen : SOURCES;
}

/** With a source more or less; when none is left, all of them. */
export function toggled(now: ActivitySource[], source: ActivitySource): ActivitySource[] {
  const next = SOURCES.filter((one) => (one === source) !== now.includes(one));
  return next.length > 0 ? next : SOURCES;
}

const LIMIT = 50;

/** The history of an agent, newest first, a page at a time. */
export const activityQuery = (id: string, sources: ActivitySource[]) =>
  infiniteQueryOptions({
    queryKey: keys.activity(id, sources.join(",")),
    queryFn: ({ pageParam, signal }) =>
      api.get("/api/claws/{id}/activity", {
        path: { id },
        query: { limit: LIMIT, sources: sources.join(","), cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    refetchOnMount: "always",
  });
