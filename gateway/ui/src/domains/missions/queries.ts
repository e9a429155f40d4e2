import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { MissionArtifact, MissionDetail, MissionStatus, NewMission } from "~/api/missions";
import { renew } from "~/live/renew";

export { missionQuery, missionsQuery } from "~/api/missions";

// Below the key of the mission, so that each change of the mission asks for them again.
export const planQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.mission(id), "plan"],
    queryFn: ({ signal }) => api.get("/api/missions/{id}/launch-plan", { path: { id }, signal }),
  });

/** An attempt that ends writes another card. */
export const summaryQuery = (id: string, phase: string, attempt: number) =>
  queryOptions({
    queryKey: [...keys.mission(id), "card", phase, attempt],
    queryFn: ({ signal }) =>
      api.get("/api/missions/{id}/phases/{phase_id}/summary", { path: { id, phase_id: phase }, signal }),
  });

/** The content of a ready artifact never changes. */
export const artifactQuery = (mission: string, { id, updated_at }: MissionArtifact) =>
  queryOptions({
    queryKey: ["mission_artifact", id, updated_at],
    queryFn: ({ signal }) =>
      api.get("/api/missions/{id}/artifacts/{artifact_id}", {
        path: { id: mission, artifact_id: id },
        signal,
      }),
    staleTime: Infinity,
  });

export const createMission = (body: NewMission, key: string) =>
  api.post("/api/missions", { body, idempotencyKey: key });

export const setStatus = (id: string, status: MissionStatus, accept_lacks = false) =>
  api.post("/api/missions/{id}/status", {
    path: { id },
    body: { status, ...(accept_lacks && { accept_lacks }) },
  });

export const retryPhase = (id: string, phase_id: string) =>
  api.post("/api/missions/{id}/phases/{phase_id}/retry", { path: { id, phase_id } });

export const skipPhase = (id: string, phase_id: string) =>
  api.post("/api/missions/{id}/phases/{phase_id}/skip", { path: { id, phase_id } });

/** Puts the answer of a command where the page reads it. What stands below it is asked for again. */
export function useTake() {
  const client = useQueryClient();
  return (mission: MissionDetail) => {
    client.setQueryData(keys.mission(mission.id), mission);
    void renew(client, { queryKey: keys.missions });
    void renew(client, { queryKey: [...keys.mission(mission.id), "plan"] });
  };
}
