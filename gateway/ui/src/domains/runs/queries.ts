import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { components } from "~/api/schema";

export { cancel, runsQuery } from "~/api/runs";

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: keys.run(id),
    queryFn: ({ signal }) => api.get("/api/topology-runs/{id}", { path: { id }, signal }),
  });

export const callsKey = (id: string) => [...keys.run(id), "calls"] as const;
/** What happened inside the steps. It is kept, so it is there long after the run. */
export const callsQuery = (id: string) =>
  queryOptions({
    queryKey: callsKey(id),
    queryFn: ({ signal }) => api.get("/api/topology-runs/{id}/calls", { path: { id }, signal }),
  });

/** The repository belongs to the first run of a tree. The live stream calls its kind so. */
export const runRepoKey = keys.runRepo;
export const runRepoQuery = (id: string) =>
  queryOptions({
    queryKey: runRepoKey(id),
    queryFn: ({ signal }) => api.get("/api/runs/{id}/repo", { path: { id }, signal }),
  });
export const push = (id: string, body: components["schemas"]["PushRun"]) =>
  api.post("/api/runs/{id}/repo/push", { path: { id }, body });

export const compare = (body: components["schemas"]["NewComparison"], key: string) =>
  api.post("/api/topology-runs/compare", { body, idempotencyKey: key });
export const pause = (id: string) => api.post("/api/topology-runs/{id}/pause", { path: { id } });
export const resume = (id: string) => api.post("/api/topology-runs/{id}/resume", { path: { id } });

export const stopStep = (id: string, { key, lap, shard }: { key: string; lap: number; shard: number }) =>
  api.post("/api/topology-runs/{id}/steps/{step}/stop", { path: { id, step: key }, query: { lap, shard } });

export type RunMessage = components["schemas"]["RunMessage"];
export type NewRunMessage = components["schemas"]["NewRunMessage"];
/** Below the run's key, so a change of the run asks for them again. */
export const messagesKey = (id: string) => [...keys.run(id), "messages"] as const;
export const messagesQuery = (id: string) =>
  queryOptions({
    queryKey: messagesKey(id),
    queryFn: ({ signal }) => api.get("/api/topology-runs/{id}/messages", { path: { id }, signal }),
  });
export const say = (id: string, body: NewRunMessage, key: string) =>
  api.post("/api/topology-runs/{id}/messages", { path: { id }, body, idempotencyKey: key });

/** The runs that were forked from one. */
export const forksQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.runs, "forks", id],
    queryFn: ({ signal }) =>
      api.get("/api/topology-runs", { query: { forked_from: id, all: true, limit: 10 }, signal }),
  });

export type ForkFrom = components["schemas"]["ForkFrom"];
export const fork = (id: string, body: ForkFrom, key: string) =>
  api.post("/api/topology-runs/{id}/fork", { path: { id }, body, idempotencyKey: key });
