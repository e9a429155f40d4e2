import { queryOptions } from "@tanstack/react-query";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import { Problem } from "~/api/problem";
import type {
  Node,
  NodeSandbox,
  Operation,
  Paired,
  Page,
  Placement,
  ToolReport,
  VerifyReport,
} from "~/api/types";

const at = (id: string, rest = "") => `/api/nodes/${encodeURIComponent(id)}${rest}`;

export const nodesQuery = queryOptions({
  queryKey: keys.nodes,
  queryFn: ({ signal }) => all<Node>("/api/nodes", {}, signal),
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

export const placementQuery = queryOptions({
  queryKey: keys.placement,
  queryFn: async ({ signal }): Promise<Placement> => {
    try {
      return await api.get<Placement>("/api/fleet/placement", { signal });
    } catch (error) {
      // Nothing was ever chosen: new sandboxes run on the gateway's own machine.
      if (error instanceof Problem && error.status === 404) return { target: "local" };
      throw error;
    }
  },
});

export const nodes = {
  pair: (name: string) => api.post<Paired>("/api/nodes/pair", name === "" ? {} : { name }),
  rename: (id: string, name: string) => api.patch<Node>(at(id), { name }),
  remove: (id: string) => api.delete<unknown>(at(id)),
  drain: (id: string) => api.post<Node>(at(id, "/drain")),
  undrain: (id: string) => api.post<Node>(at(id, "/undrain")),
  verify: (id: string) => api.post<VerifyReport>(at(id, "/exec-test")),
  place: (placement: Placement) =>
    placement.target === "local"
      ? api.delete<unknown>("/api/fleet/placement")
      : api.put<unknown>("/api/fleet/placement", placement),
};
