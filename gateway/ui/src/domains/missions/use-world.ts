// What the map of a mission is drawn of: the landmarks and what happens there, and how its agents were when it was opened.
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { MissionDetail } from "~/api/missions";
import { asProblem } from "~/api/problem";
import { sandboxQuery } from "~/api/sandboxes";
import { useNow } from "~/ui/time";
import { bare, isA, type Landmarks } from "./landmarks";
import { teamsOf, worldOf, type Known, type World } from "./world";
import { useWorldStream } from "./world-live";

/** The members of the teams at work. The landmarks do not say how they are. A team that is gone is left out. */
const membersQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: [...keys.teams, "some", ...ids],
    queryFn: async ({ signal }) => {
      const asked = ids.map((id) =>
        api.get("/api/teams/{id}", { path: { id }, signal }).catch((error: unknown) => {
          if (asProblem(error).status === 404) return undefined;
          throw error;
        }),
      );
      return (await Promise.all(asked)).flatMap((team) => team?.members ?? []);
    },
    placeholderData: keepPreviousData,
    enabled: ids.length > 0,
  });

/** What the landmarks say of these teams. */
export function knownOf(
  { names, below, places }: Landmarks,
  teams: Iterable<string>,
  states: ReadonlyMap<string, string>,
): Omit<Known, "own"> {
  const found: Known["teams"][number][] = [];
  const at = new Map<string, { node_id: string; node_name: string }>();
  for (const id of teams) {
    const mark = `team:${id}`;
    const name = names.get(mark);
    if (name === undefined) continue;
    const agents = (below.get(mark) ?? []).filter(isA("agent"));
    const members = agents.map((agent) => ({
      agent_id: bare(agent),
      name: names.get(agent),
      status: states.get(bare(agent)),
    }));
    found.push({ id, name, members });
    for (const agent of agents) {
      const machine = places.get(mark) ?? places.get(agent);
      if (machine) at.set(bare(agent), { node_id: bare(machine), node_name: names.get(machine) ?? "" });
    }
  }
  return { teams: found, places: at };
}

/** The mission's teams, their agents and machines, and what happens there. */
export function useWorld(mission: MissionDetail): World | undefined {
  const at = useMemo(() => teamsOf(mission), [mission]);
  const { marks, heard } = useWorldStream();
  const busy = [...at].flatMap(([id, works]) => (works ? [id] : []));
  const members = useQuery(membersQuery(busy)).data;
  const own = useQuery(sandboxQuery({ kind: "mission", id: mission.id })).data;
  const now = useNow();
  return useMemo(() => {
    if (!marks) return undefined;
    const states = new Map(members?.map(({ agent_id, status }) => [agent_id as string, status ?? "idle"]));
    return worldOf(mission, { ...knownOf(marks, at.keys(), states), own: own ?? undefined }, heard, now);
  }, [mission, at, marks, members, own, heard, now]);
}
