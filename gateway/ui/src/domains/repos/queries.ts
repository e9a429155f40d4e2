import { queryOptions } from "@tanstack/react-query";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import type { NewRepoConnection } from "~/api/types";

export { MOST_REPOS as MOST, repoQuery, reposFoundQuery as reposQuery } from "~/api/repos";

export const connectionsQuery = queryOptions({
  queryKey: keys.repoConnections,
  queryFn: ({ signal }) => all("/api/repos/connections", { signal }),
});

export const wantMirror = (id: string) => api.put("/api/repos/{id}/mirror", { path: { id } });
export const dropMirror = (id: string) => api.delete("/api/repos/{id}/mirror", { path: { id } });

export const connect = (body: NewRepoConnection) => api.post("/api/repos/connections", { body });
export const sync = (id: string) => api.post("/api/repos/connections/{id}/sync", { path: { id } });
export const disconnect = (id: string) => api.delete("/api/repos/connections/{id}", { path: { id } });
