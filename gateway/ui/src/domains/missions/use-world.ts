// What the map of a mission is drawn of: its teams, where their agents work, and what the live stream tells.
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { MissionDetail } from "~/api/missions";
import { nodesQuery } from "~/api/nodes";
import { asProblem } from "~/api/problem";
import { sandboxQuery } from "~/api/sandboxes";
import type { Team } from "~/api/teams";
import { useNow } from "~/ui/time";
import { teamsOf, worldOf, type Place, type World } from "./world";
import { useHeard } from "./world-live";

/** What is there, or nothing where the gateway says that it is not. */
async function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    const { code, status } = asProblem(error);
    if (code === "no-sandbox" || status === 404) return undefined;
    throw error;
  }
}

const teamsOfQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: [...keys.teams, "some", ...ids],
    queryFn: async ({ signal }) => {
      const asked = ids.map((id) => ifThere(api.get("/api/teams/{id}", { path: { id }, signal })));
      return (await Promise.all(asked)).filter((team) => team !== undefined);
    },
    placeholderData: keepPreviousData,
  });

/** Where the agents of teams work: in the sandbox that their team shares, or each in its own. */
const placesQuery = (teams: readonly Team[]) =>
  queryOptions({
    queryKey: [
      ...keys.teamSandboxes,
      "places",
      ...teams.map(({ id, shared_sandbox: one }) => `${id} ${one}`),
    ],
    queryFn: async ({ signal }): Promise<[string, Place][]> => {
      const place = async (agents: string[], asked: Promise<Place | null | undefined>) => {
        const found = await ifThere(asked);
        return found ? agents.map((agent): [string, Place] => [agent, found]) : [];
      };
      const ownOf = async (id: string) =>
        (await api.get("/api/claws/{id}", { path: { id }, signal })).sandbox;
      const asked = teams.flatMap(({ id, shared_sandbox, members }) => {
        const agents = [
          ...new Set(members.flatMap(({ agent_id, name }) => (name == null ? [] : [agent_id]))),
        ];
        return shared_sandbox
          ? [place(agents, api.get("/api/teams/{id}/sandbox", { path: { id }, signal }))]
          : agents.map((agent) => place([agent], ownOf(agent)));
      });
      return (await Promise.all(asked)).flat();
    },
    placeholderData: keepPreviousData,
  });

/** What the page knows of the mission's teams, their agents and machines, and what happens there. */
export function useWorld(mission: MissionDetail): World | undefined {
  const at = useMemo(() => teamsOf(mission), [mission]);
  const teams = useQuery(teamsOfQuery([...at.keys()])).data;
  const busy = (teams ?? []).filter(({ id }) => at.get(id));
  const places = useQuery({ ...placesQuery(busy), enabled: busy.length > 0 }).data;
  const nodes = useQuery(nodesQuery).data;
  const own = useQuery(sandboxQuery({ kind: "mission", id: mission.id })).data;
  const heard = useHeard();
  const now = useNow();
  return useMemo(() => {
    if (!teams) return undefined;
    const known = { teams, nodes: nodes ?? [], places: new Map(places), own: own ?? undefined };
    return worldOf(mission, known, heard, now);
  }, [mission, teams, nodes, places, own, heard, now]);
}
