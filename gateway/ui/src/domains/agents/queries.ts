import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { ClawChange, NewClaw } from "~/api/types";

export { clawsQuery } from "~/api/claws";

export const clawQuery = (id: string) =>
  queryOptions({
    queryKey: keys.claw(id),
    queryFn: ({ signal }) => api.get("/api/claws/{id}", { path: { id }, signal }),
  });

export const claws = {
  create: (body: NewClaw) => api.post("/api/claws", { body }),
  change: (id: string, body: ClawChange, version: number) =>
    api.patch("/api/claws/{id}", { path: { id }, body, ifMatch: version }),
  remove: (id: string, purge: boolean) =>
    api.delete("/api/claws/{id}", { path: { id }, query: { purge: purge || undefined } }),
};
