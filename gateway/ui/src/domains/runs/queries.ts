import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { components } from "~/api/schema";
import type { Run, RunCall, RunSummary } from "~/api/runs";

export { runsQuery } from "~/api/runs";

const at = (id: string, rest = "") => `/api/topology-runs/${encodeURIComponent(id)}${rest}`;

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: keys.run(id),
    queryFn: ({ signal }) => api.get<Run>(at(id), { signal }),
  });

export const callsKey = (id: string) => [...keys.run(id), "calls"] as const;
/** What happened inside the steps. It is kept, so it is there long after the run. */
export const callsQuery = (id: string) =>
  queryOptions({
    queryKey: callsKey(id),
    queryFn: ({ signal }) => api.get<{ items: RunCall[] }>(at(id, "/calls"), { signal }),
    select: ({ items }) => items,
  });

export const compare = (body: components["schemas"]["NewComparison"], key: string) =>
  api.post<RunSummary>("/api/topology-runs/compare", body, { headers: { "idempotency-key": key } });
export const cancel = (id: string) => api.post<RunSummary>(at(id, "/cancel"));
export const fork = (id: string, step: string, lap: number, key: string) =>
  api.post<RunSummary>(at(id, "/fork"), { step, lap }, { headers: { "idempotency-key": key } });
