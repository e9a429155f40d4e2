import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { FleetMetric, HistorySpan, Placement } from "~/api/types";

export { nodesQuery, placementQuery } from "~/api/nodes";

/** What sandboxes were promised of each machine, by its id. */
export const reservedQuery = queryOptions({
  queryKey: keys.reserved,
  queryFn: async ({ signal }) => {
    const { items } = await api.get("/api/fleet/reserved", { signal });
    return new Map(items.map((one) => [one.node_id, one]));
  },
});

export const historyQuery = (id: string, span: HistorySpan) =>
  queryOptions({
    queryKey: keys.nodeHistory(id, span),
    queryFn: ({ signal }) => api.get("/api/nodes/{id}/history", { path: { id }, query: { span }, signal }),
    refetchOnMount: "always",
    // Another span of the same machine stays on screen until the new one is there; another machine's does not.
    placeholderData: (before, query) => (query?.queryKey[1] === id ? before : undefined),
  });

const MINUTE_MS = 60_000;

/** Averages of a minute change once a minute, for all machines at once; no event says so. */
export const fleetHistoryQuery = (metric: FleetMetric, span: HistorySpan) =>
  queryOptions({
    queryKey: keys.fleetHistory(metric, span),
    queryFn: ({ signal }) => api.get("/api/nodes/history", { query: { metric, span }, signal }),
    refetchOnMount: "always",
    refetchInterval: MINUTE_MS,
  });

export const toolsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.nodeTools(id),
    queryFn: ({ signal }) => api.get("/api/nodes/{id}/tools", { path: { id }, signal }),
  });

export const sandboxesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.nodeSandboxes(id),
    queryFn: async ({ signal }) =>
      (await api.get("/api/nodes/{id}/sandboxes", { path: { id }, signal })).items,
  });

const DRAIN_MS = 3_000;

/** What is left on a draining machine. Each sandbox has events of its own, so it is asked again while it changes. */
export const drainQuery = (id: string) =>
  queryOptions({
    queryKey: keys.nodeDrain(id),
    queryFn: ({ signal }) => api.get("/api/nodes/{id}/drain-progress", { path: { id }, signal }),
    refetchOnMount: "always",
    refetchInterval: DRAIN_MS,
  });

export const nodes = {
  pair: (name: string) => api.post("/api/nodes/pair", { body: name === "" ? {} : { name } }),
  describe: (id: string, change: { name?: string; labels?: string[] }, version: number) =>
    api.patch("/api/nodes/{id}", { path: { id }, body: change, ifMatch: version }),
  remove: (id: string) => api.delete("/api/nodes/{id}", { path: { id } }),
  drain: (id: string, move = false) => api.post("/api/nodes/{id}/drain", { path: { id }, body: { move } }),
  undrain: (id: string) => api.post("/api/nodes/{id}/undrain", { path: { id } }),
  verify: (id: string) => api.post("/api/nodes/{id}/exec-test", { path: { id } }),
  place: (placement: Placement) =>
    placement.target === "local"
      ? api.delete("/api/fleet/placement")
      : api.put("/api/fleet/placement", { body: placement }),
};
