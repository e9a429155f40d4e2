// Runs of teams: what several pages show of them.
import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type RunSummary = Schemas["RunSummary"];
export type Run = Schemas["Run"];
export type RunCheck = Schemas["RunCheck"];
export type RunStep = Schemas["RunStep"];
export type FilesAt = Schemas["FilesAt"];
export type StartFiles = Schemas["StartFiles"];
export type NewRun = Schemas["RunTeam"];
export type RunStatus = Schemas["RunStatus"];
export type RunEvidence = Schemas["RunEvidence"];
export type RunOutcome = Schemas["RunOutcome"];
export type RunCall = Omit<Schemas["RunCall"], "content"> & { content: Record<string, unknown> };

export type RunOrigin = Schemas["RunOrigin"];
export type RunsWanted = {
  team_id?: string;
  agent_id?: string;
  mission_id?: string;
  template_id?: string;
  /** The name of a model that it used. */
  model?: string;
  status?: RunStatus;
  /** Only runs that wait. Their status is `running`. */
  waiting?: boolean;
  parent_run_id?: string;
  all?: boolean;
  /** Words of the title. */
  q?: string;
  outcome?: RunOutcome;
  /** The person who started it. */
  created_by?: string;
  /** Of when it was created: from a moment, until before a moment. */
  from?: string;
  until?: string;
  sort?: "-created_at" | "created_at" | "-cost" | "-duration";
};

/**
 * Runs of the workspace, of one team, of one agent, or those that one run started; page by page, newest first where no
 * `sort` says otherwise. Without `all` and without an agent they are the work of people, teams and missions.
 */
export const runsQuery = (wanted: RunsWanted = {}) =>
  infiniteQueryOptions({
    queryKey: [...keys.runs, wanted],
    queryFn: ({ pageParam, signal }) =>
      api.get("/api/topology-runs", {
        query: { ...wanted, limit: 50, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });

export const startAgent = (agent: string, body: NewRun, key: string) =>
  api.post("/api/claws/{id}/run", { path: { id: agent }, body, idempotencyKey: key });
export const startRun = (team: string, body: NewRun, key: string) =>
  api.post("/api/teams/{id}/run", { path: { id: team }, body, idempotencyKey: key });
export const cancel = (id: string) => api.post("/api/topology-runs/{id}/cancel", { path: { id } });
