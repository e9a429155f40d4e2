import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import type { NewRepoConnection } from "~/api/types";

/** How many the gateway lists at most; where there may be more, it searches. */
export const MOST = 500;

export const connectionsQuery = queryOptions({
  queryKey: keys.repoConnections,
  queryFn: ({ signal }) => all("/api/repos/connections", { signal }),
});

export const reposQuery = (q: string) =>
  queryOptions({
    queryKey: keys.repoList(q),
    queryFn: ({ signal }) => api.get("/api/repos", { query: { q: q || undefined }, signal }),
    placeholderData: keepPreviousData,
  });

export const repoQuery = (id: string) =>
  queryOptions({
    queryKey: keys.repo(id),
    queryFn: ({ signal }) => api.get("/api/repos/{id}", { path: { id }, signal }),
  });

export const wantMirror = (id: string) => api.put("/api/repos/{id}/mirror", { path: { id } });
export const dropMirror = (id: string) => api.delete("/api/repos/{id}/mirror", { path: { id } });

export const connect = (body: NewRepoConnection) => api.post("/api/repos/connections", { body });
export const sync = (id: string) => api.post("/api/repos/connections/{id}/sync", { path: { id } });
export const disconnect = (id: string) => api.delete("/api/repos/connections/{id}", { path: { id } });
