// What an agent runs with: its tab shows it, and the sandbox tab must know whose sandbox it works in.
import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";

export type RuntimeConfig = components["schemas"]["AgentRuntimeConfig"];

// A change of its team or of a skill is not told as a change of the agent, so each visit asks.
export const configQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.claw(id), "runtime-config"],
    queryFn: ({ signal }) => api.get("/api/claws/{id}/runtime-config", { path: { id }, signal }),
    staleTime: 0,
  });
