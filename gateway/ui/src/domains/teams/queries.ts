import { api } from "~/api/client";
import type { NewTeam, Team } from "~/api/teams";

const at = (id: string, rest = "") => `/api/teams/${encodeURIComponent(id)}${rest}`;

export { teamQuery, teamsQuery } from "~/api/teams";

export const create = (body: NewTeam, key: string) =>
  api.post<Team>("/api/teams", body, { headers: { "idempotency-key": key } });
export const remove = (id: string, withAgents: boolean) =>
  api.delete<void>(`${at(id)}${withAgents ? "?with_agents=true" : ""}`);
export const setMachine = (team: Team, machine: string | null) =>
  api.patch<Team>(at(team.id), { machine_id: machine }, { headers: { "if-match": `"${team.version}"` } });
export const setProfile = (team: Team, profile: string) =>
  api.patch<Team>(
    at(team.id, "/runtime-config"),
    { risk_profile: profile || null },
    { headers: { "if-match": `"${team.version}"` } },
  );
