// Whether the team of a run is still there. Its runs stay when it is deleted.
import { useQuery } from "@tanstack/react-query";
import { asProblem } from "~/api/problem";
import type { Run } from "~/api/runs";
import { teamQuery, teamsQuery } from "~/api/teams";

/** True once the gateway has said that it is gone; until then it counts as there. */
export function useTeamGone({ team_id }: Pick<Run, "team_id">): boolean {
  const team = useQuery({ ...teamQuery(team_id ?? ""), enabled: team_id != null });
  return team.isError && asProblem(team.error).status === 404;
}

/** Which of several teams are gone. */
export function useTeamsGone(ids: readonly string[]): ReadonlySet<string> {
  const teams = useQuery(teamsQuery);
  if (!teams.data) return new Set();
  const here = new Set<string>(teams.data.map(({ id }) => id));
  return new Set(ids.filter((id) => !here.has(id)));
}
