import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";

export const brainQuery = (id: string) =>
  queryOptions({
    queryKey: keys.brain(id),
    queryFn: ({ signal }) => api.get("/api/claws/{id}/brain", { path: { id }, signal }),
  });

export const historyQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: keys.brainHistory(id),
    queryFn: ({ pageParam, signal }) =>
      api.get("/api/claws/{id}/brain/history", {
        path: { id },
        query: { limit: 20, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });

/** A version never changes. */
export const versionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: keys.brainVersion(id, version),
    queryFn: ({ signal }) =>
      api.get("/api/claws/{id}/brain/history/{version}", { path: { id, version }, signal }),
    staleTime: Infinity,
  });

export const brains = {
  write: (id: string, agent_md: string, base: number) =>
    api.put("/api/claws/{id}/brain", { path: { id }, body: { agent_md }, ifMatch: base }),
  restore: (id: string, version: number, base: number) =>
    api.post("/api/claws/{id}/brain/history/{version}/restore", { path: { id, version }, ifMatch: base }),
};
