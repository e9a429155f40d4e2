import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import type { NewRepoConnection, Repo, RepoConnection } from "~/api/types";

/** How many the gateway lists at most; where there may be more, it searches. */
export const MOST = 500;

const at = (id: string, rest = "") => `/api/repos/connections/${encodeURIComponent(id)}${rest}`;

export const connectionsQuery = queryOptions({
  queryKey: keys.repoConnections,
  queryFn: ({ signal }) => all<RepoConnection>("/api/repos/connections", {}, signal),
});

export const reposQuery = (q: string) =>
  queryOptions({
    queryKey: keys.repoList(q),
    queryFn: ({ signal }) => api.get<Repo[]>("/api/repos", { query: { q: q || undefined }, signal }),
    placeholderData: keepPreviousData,
  });

export const repoQuery = (id: string) =>
  queryOptions({
    queryKey: keys.repo(id),
    queryFn: ({ signal }) => api.get<Repo>(`/api/repos/${encodeURIComponent(id)}`, { signal }),
  });

const mirror = (id: string) => `/api/repos/${encodeURIComponent(id)}/mirror`;
export const wantMirror = (id: string) => api.put<Repo>(mirror(id), undefined);
export const dropMirror = (id: string) => api.delete<Repo>(mirror(id));

export const connect = (body: NewRepoConnection) => api.post<RepoConnection>("/api/repos/connections", body);
export const sync = (id: string) => api.post<RepoConnection>(at(id, "/sync"));
export const disconnect = (id: string) => api.delete<void>(at(id));
