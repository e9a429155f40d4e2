// Runs of teams: what several pages show of them.
import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";
import type { Page } from "./types";

type Schemas = components["schemas"];

export type RunSummary = Schemas["RunSummary"];
export type Run = Schemas["Run"];
export type RunStep = Schemas["RunStep"];
export type RunStatus = Schemas["RunStatus"];
export type RunCall = Omit<Schemas["RunCall"], "content"> & { content: Record<string, unknown> };

/** Runs of the workspace or of one team, newest first, page by page. */
export const runsQuery = (wanted: { team_id?: string; status?: string } = {}) =>
  infiniteQueryOptions({
    queryKey: [...keys.runs, wanted],
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<RunSummary>>("/api/topology-runs", {
        query: { ...wanted, limit: 50, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });

export const startRun = (team: string, input: string, ceiling: number | undefined, key: string) =>
  api.post<RunSummary>(
    `/api/teams/${encodeURIComponent(team)}/run`,
    { input, ...(ceiling !== undefined && { cost_ceiling_microusd: ceiling }) },
    { headers: { "idempotency-key": key } },
  );
