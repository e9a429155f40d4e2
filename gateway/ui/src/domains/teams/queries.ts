import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { NewTeam, RiskProfile, Team, TeamChange, TeamRepo } from "~/api/teams";

export { teamQuery, teamsQuery } from "~/api/teams";

/** The mission that made a team, or null. */
export const minterQuery = (team: string) =>
  queryOptions({
    queryKey: [...keys.missions, "minted", team],
    queryFn: async ({ signal }) =>
      (await api.get("/api/missions", { query: { team_id: team, limit: 1 }, signal })).items[0] ?? null,
  });

/** The routine that launched a mission, as far as it is still there. */
export { routineQuery } from "~/api/routines";

export const create = (body: NewTeam, key: string) => api.post("/api/teams", { body, idempotencyKey: key });
export const remove = (id: string, withAgents: boolean) =>
  api.delete("/api/teams/{id}", { path: { id }, query: { with_agents: withAgents || undefined } });
/** Of every change of a team. Each is made to the version that was read, so that two at once would refuse each other. */
export const changeKey = ({ id }: Team) => ["team-change", id] as const;
export const setMachine = (team: Team, machine: string | null) =>
  api.patch("/api/teams/{id}", {
    path: { id: team.id },
    body: { machine_id: machine },
    ifMatch: team.version,
  });
/** Its image or its limits; null and an empty object go back to what its template and the machines say. */
export const setSandbox = (team: Team, body: Pick<TeamChange, "image" | "limits" | "shared_sandbox">) =>
  api.patch("/api/teams/{id}", { path: { id: team.id }, body, ifMatch: team.version });
export const setName = (team: Team, name: string) =>
  api.patch("/api/teams/{id}", { path: { id: team.id }, body: { name }, ifMatch: team.version });
/** The repository of runs that name none; null removes it. */
export const setRepo = (team: Team, repo: TeamRepo | null) =>
  api.patch("/api/teams/{id}", { path: { id: team.id }, body: { repo }, ifMatch: team.version });
export const setProfile = (team: Team, profile: RiskProfile | "") =>
  api.patch("/api/teams/{id}/runtime-config", {
    path: { id: team.id },
    body: { risk_profile: profile || null },
    ifMatch: team.version,
  });
