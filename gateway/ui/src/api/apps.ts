import { queryOptions } from "@tanstack/react-query";
import { all, api } from "./client";
import { keys } from "./keys";

/** What can be connected here. A change of the configuration tells nobody, so it is asked each time it matters. */
export const appOptionsQuery = queryOptions({
  queryKey: keys.appOptions,
  queryFn: ({ signal }) => api.get("/api/apps/options", { signal }),
  staleTime: 0,
});

/** What one agent is connected to. */
export const connectionsOf = (agent: string) =>
  queryOptions({
    queryKey: keys.connectionsOf(agent),
    queryFn: ({ signal }) => all("/api/apps/connections", { query: { agent_id: agent }, signal }),
  });
