import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type {
  FleetHistory,
  FleetMetric,
  HistorySpan,
  Node,
  NodeHistory,
  NodeSandbox,
  Operation,
  Paired,
  Page,
  Placement,
  ReservedOn,
  ToolReport,
  VerifyReport,
} from "~/api/types";

export { nodesQuery, placementQuery } from "~/api/nodes";

const at = (id: string, rest = "") => `/api/nodes/${encodeURIComponent(id)}${rest}`;

/** What sandboxes were promised of each machine, by its id. */
export const reservedQuery = queryOptions({
  queryKey: keys.reserved,
  queryFn: async ({ signal }) => {
    const { items } = await api.get<{ items: ReservedOn[] }>("/api/fleet/reserved", { signal });
    return new Map(items.map((one) => [one.node_id, one]));
  },
});

export const historyQuery = (id: string, span: HistorySpan) =>
  queryOptions({
    queryKey: keys.nodeHistory(id, span),
    queryFn: ({ signal }) => api.get<NodeHistory>(at(id, "/history"), { query: { span }, signal }),
    refetchOnMount: "always",
    // Another span of the same machine stays on screen until the new one is there; another machine's does not.
    placeholderData: (before, query) => (query?.queryKey[1] === id ? before : undefined),
  });

const MINUTE_MS = 60_000;

/** Averages of a minute change once a minute, for all machines at once; no event says so. */
export const fleetHistoryQuery = (metric: FleetMetric, span: HistorySpan) =>
  queryOptions({
    queryKey: keys.fleetHistory(metric, span),
    queryFn: ({ signal }) => api.get<FleetHistory>("/api/nodes/history", { query: { metric, span }, signal }),
    refetchOnMount: "always",
    refetchInterval: MINUTE_MS,
  });

export const nodeQuery = (id: string) =>
  queryOptions({ queryKey: keys.node(id), queryFn: ({ signal }) => api.get<Node>(at(id), { signal }) });

export const toolsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.nodeTools(id),
    queryFn: ({ signal }) => api.get<ToolReport>(at(id, "/tools"), { signal }),
  });

export const operationsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.nodeOperations(id),
    queryFn: async ({ signal }) =>
      (await api.get<Page<Operation>>(at(id, "/operations"), { query: { limit: 20 }, signal })).items,
  });

export const sandboxesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.nodeSandboxes(id),
    queryFn: async ({ signal }) =>
      (await api.get<{ items: NodeSandbox[] }>(at(id, "/sandboxes"), { signal })).items,
  });

export const nodes = {
  pair: (name: string) => api.post<Paired>("/api/nodes/pair", name === "" ? {} : { name }),
  describe: (id: string, change: { name?: string; labels?: string[] }) => api.patch<Node>(at(id), change),
  remove: (id: string) => api.delete<unknown>(at(id)),
  drain: (id: string) => api.post<Node>(at(id, "/drain")),
  undrain: (id: string) => api.post<Node>(at(id, "/undrain")),
  verify: (id: string) => api.post<VerifyReport>(at(id, "/exec-test")),
  place: (placement: Placement) =>
    placement.target === "local"
      ? api.delete<unknown>("/api/fleet/placement")
      : api.put<unknown>("/api/fleet/placement", placement),
};
