// Whether the team of a run is still there. Its runs stay when it is deleted.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { asProblem } from "~/api/problem";
import type { Run } from "~/api/runs";
import { teamQuery, teamsQuery } from "~/api/teams";

/** True once the gateway has answered that it is gone. Until then, and while the page asks again, nothing changes. */
export function useTeamGone({ team_id: id }: Pick<Run, "team_id">): boolean {
  const team = useQuery({ ...teamQuery(id ?? ""), enabled: id != null });
  const [gone, setGone] = useState<string>();
  // A query without data forgets its error as soon as it is sent again, so the answer is kept here.
  const answer = team.isError && asProblem(team.error).status === 404 ? (id ?? undefined) : undefined;
  if (!team.isPending && answer !== gone) setGone(answer);
  return id != null && gone === id;
}

/** Which of several teams are gone. */
export function useTeamsGone(ids: readonly string[]): ReadonlySet<string> {
  const teams = useQuery(teamsQuery);
  if (!teams.data) return new Set();
  const here = new Set<string>(teams.data.map(({ id }) => id));
  return new Set(ids.filter((id) => !here.has(id)));
}
