import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { Problem } from "~/api/problem";
import type { components } from "~/api/schema";
import type { ClawChange, NewClaw, Sandbox } from "~/api/types";

export { clawsQuery } from "~/api/claws";

export const clawQuery = (id: string) =>
  queryOptions({
    queryKey: keys.claw(id),
    queryFn: ({ signal }) => api.get("/api/claws/{id}", { path: { id }, signal }),
  });

/** The sandbox of an agent, or null where it has none. */
export const sandboxQuery = (id: string) =>
  queryOptions({
    queryKey: keys.sandbox(id),
    queryFn: async ({ signal }): Promise<Sandbox | null> => {
      try {
        return (await api.get("/api/claws/{id}/sandbox", { path: { id }, signal })) ?? null;
      } catch (error) {
        if (error instanceof Problem && (error.code === "no-sandbox" || error.status === 404)) return null;
        throw error;
      }
    },
  });

/** The latest snapshots of an agent's files. */
export const snapshotsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.snapshots(id),
    queryFn: ({ signal }) =>
      api.get("/api/claws/{id}/snapshots", { path: { id }, query: { limit: 20 }, signal }),
  });

export type ProvisionBody = components["schemas"]["NewSandbox"];

export const claws = {
  create: (body: NewClaw) => api.post("/api/claws", { body }),
  change: (id: string, body: ClawChange) => api.patch("/api/claws/{id}", { path: { id }, body }),
  remove: (id: string, purge: boolean) =>
    api.delete("/api/claws/{id}", { path: { id }, query: { purge: purge || undefined } }),
  provision: (id: string, body: ProvisionBody) => api.post("/api/claws/{id}/sandbox", { path: { id }, body }),
  destroy: (id: string) => api.delete("/api/claws/{id}/sandbox", { path: { id } }),
};
