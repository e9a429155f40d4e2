import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { Brain, BrainVersion, Page } from "~/api/types";

const at = (id: string, rest = "") => `/api/claws/${encodeURIComponent(id)}/brain${rest}`;

export const brainQuery = (id: string) =>
  queryOptions({ queryKey: keys.brain(id), queryFn: ({ signal }) => api.get<Brain>(at(id), { signal }) });

export const historyQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: keys.brainHistory(id),
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<BrainVersion>>(at(id, "/history"), { query: { limit: 20, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });

/** A version never changes. */
export const versionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: keys.brainVersion(id, version),
    queryFn: ({ signal }) => api.get<Brain>(at(id, `/history/${version}`), { signal }),
    staleTime: Infinity,
  });

const over = (version: number) => ({ headers: { "if-match": `"${version}"` } });

export const brains = {
  write: (id: string, agent_md: string, base: number) => api.put<Brain>(at(id), { agent_md }, over(base)),
  restore: (id: string, version: number, base: number) =>
    api.post<Brain>(at(id, `/history/${version}/restore`), undefined, over(base)),
};
