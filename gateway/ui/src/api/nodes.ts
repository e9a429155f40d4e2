// The machines of the workspace: what several pages show of them.
import { queryOptions } from "@tanstack/react-query";
import { all, api } from "./client";
import { keys } from "./keys";
import { Problem } from "./problem";
import type { Placement } from "./types";

export const nodesQuery = queryOptions({
  queryKey: keys.nodes,
  queryFn: ({ signal }) => all("/api/nodes/lines", { query: { limit: undefined }, signal }),
});

export const nodeQuery = (id: string) =>
  queryOptions({
    queryKey: keys.node(id),
    queryFn: ({ signal }) => api.get("/api/nodes/{id}", { path: { id }, signal }),
  });

export const placementQuery = queryOptions({
  queryKey: keys.placement,
  queryFn: async ({ signal }): Promise<Placement> => {
    try {
      return await api.get("/api/fleet/placement", { signal });
    } catch (error) {
      // Nothing was ever chosen: new sandboxes run on the gateway's own machine.
      if (error instanceof Problem && error.status === 404) return { target: "local" };
      throw error;
    }
  },
});
