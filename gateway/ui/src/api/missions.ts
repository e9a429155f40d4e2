// Missions: what several pages show of them.
import { queryOptions } from "@tanstack/react-query";
import { all, api } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Mission = Schemas["Mission"];
export type MissionDetail = Schemas["MissionDetail"];
export type MissionPhase = Schemas["MissionPhase"];
export type MissionRun = Schemas["MissionRun"];
export type MissionTask = Schemas["MissionTask"];
export type MissionArtifact = Schemas["MissionArtifact"];
export type MissionStatus = Schemas["MissionStatus"];
export type PhaseKind = Schemas["MissionPhaseKind"];
export type PhaseStatus = Schemas["MissionPhaseStatus"];
export type TemplateKind = Schemas["MissionTemplateKind"];
export type TaskStatus = Schemas["TaskStatus"];
export type LaunchPlan = Schemas["LaunchPlan"];
export type NewMission = Schemas["NewMission"];
export type PhaseSummary = Schemas["PhaseSummary"];

/** The missions of the workspace, newest first; without a status, all of them. */
export const missionsQuery = (status?: MissionStatus) =>
  queryOptions({
    queryKey: [...keys.missions, status ?? ""],
    queryFn: ({ signal }) => all("/api/missions", { query: { limit: 200, status }, signal }),
  });

export const missionQuery = (id: string) =>
  queryOptions({
    queryKey: keys.mission(id),
    queryFn: ({ signal }) => api.get("/api/missions/{id}", { path: { id }, signal }),
  });
