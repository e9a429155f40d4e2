import { queryOptions } from "@tanstack/react-query";
import { all, api } from "./client";
import { keys } from "./keys";
import type { AppConnection, AppOptions } from "./types";

/** What can be connected here. A change of the configuration tells nobody, so it is asked each time it matters. */
export const appOptionsQuery = queryOptions({
  queryKey: keys.appOptions,
  queryFn: ({ signal }) => api.get<AppOptions>("/api/apps/options", { signal }),
  staleTime: 0,
});

export const CONNECTIONS = "/api/apps/connections";

/** What one agent is connected to. */
export const connectionsOf = (agent: string) =>
  queryOptions({
    queryKey: keys.connectionsOf(agent),
    queryFn: ({ signal }) => all<AppConnection>(CONNECTIONS, { agent_id: agent }, signal),
  });
