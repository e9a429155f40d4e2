import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { Problem } from "~/api/problem";
import type { Claw, ClawChange, Limits, NewClaw, Sandbox } from "~/api/types";

export { clawsQuery } from "~/api/claws";

export const clawPath = (id: string, rest = "") => `/api/claws/${encodeURIComponent(id)}${rest}`;

export const clawQuery = (id: string) =>
  queryOptions({ queryKey: keys.claw(id), queryFn: ({ signal }) => api.get<Claw>(clawPath(id), { signal }) });

/** The sandbox of an agent, or null where it has none. */
export const sandboxQuery = (id: string) =>
  queryOptions({
    queryKey: keys.sandbox(id),
    queryFn: async ({ signal }): Promise<Sandbox | null> => {
      try {
        return (await api.get<Sandbox | undefined>(clawPath(id, "/sandbox"), { signal })) ?? null;
      } catch (error) {
        if (error instanceof Problem && (error.code === "no-sandbox" || error.status === 404)) return null;
        throw error;
      }
    },
  });

export interface ProvisionBody {
  image?: string;
  limits?: Limits;
}

export const claws = {
  create: (body: NewClaw) => api.post<Claw>("/api/claws", body),
  change: (id: string, body: ClawChange) => api.patch<Claw>(clawPath(id), body),
  remove: (id: string, purge: boolean) =>
    api.delete<unknown>(clawPath(id), purge ? { query: { purge: true } } : undefined),
  provision: (id: string, body: ProvisionBody) => api.post<Sandbox>(clawPath(id, "/sandbox"), body),
  destroy: (id: string) => api.delete<unknown>(clawPath(id, "/sandbox")),
};
