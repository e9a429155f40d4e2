// Whose commands a list shows. The gateway lists commands by the owner of the sandbox, so each owner is a request.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { clawsQuery } from "~/api/claws";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { RunSummary } from "~/api/runs";
import type { Owner } from "~/api/sandboxes";
import { teamsQuery, type Team } from "~/api/teams";
import type { Claw } from "~/api/types";

/** Owners that are asked at once. A person may add as many again. */
export const MOST_AT_ONCE = 12;

type Agent = Pick<Claw, "id" | "sandbox">;

/** Agents that have a sandbox now come first. */
export const busyFirst = (ids: readonly string[], agents: readonly Agent[]): string[] => {
  const busy = new Set<string>(agents.filter(({ sandbox }) => sandbox).map(({ id }) => id));
  return [...ids.filter((id) => busy.has(id)), ...ids.filter((id) => !busy.has(id))];
};

type Worked = Pick<RunSummary, "mission_id" | "team_id" | "agent_id">;

/** The owners of a workspace: first those of the newest runs, then those that have a sandbox, then the others. */
export function ownersOf(
  runs: readonly Worked[],
  teams: readonly Pick<Team, "id" | "shared_sandbox" | "members">[],
  agents: readonly Agent[],
): Owner[] {
  const found = new Map<string, Owner>();
  const add = (kind: Owner["kind"], id: string) => void (found.has(id) || found.set(id, { kind, id }));
  const known = new Set<string>(agents.map(({ id }) => id));
  const addAgent = (id: string) => void (known.has(id) && add("claw", id));
  for (const { mission_id, team_id, agent_id } of runs) {
    if (mission_id) add("mission", mission_id);
    const team = teams.find(({ id }) => id === team_id);
    if (team?.shared_sandbox) add("team", team.id);
    else for (const member of team?.members ?? []) addAgent(member.agent_id);
    if (agent_id) addAgent(agent_id);
  }
  for (const { id, shared_sandbox } of teams) if (shared_sandbox) add("team", id);
  for (const id of busyFirst([...known], agents)) addAgent(id);
  return [...found.values()];
}

/** How many sandboxes a list has the commands of, and how a person adds more. */
export interface Covered {
  shown: number;
  all: number;
  more: () => void;
}

/** The first of `all` in an order that does not depend on who works, so that the list is not asked again for that. */
function useFirst<T>(all: readonly T[], name: (one: T) => string): [chosen: T[], covered: Covered] {
  const [most, setMost] = useState(MOST_AT_ONCE);
  const chosen = all.slice(0, most).toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
  const more = () => setMost(most + MOST_AT_ONCE);
  return [chosen, { shown: chosen.length, all: all.length, more }];
}

/** The members of a team whose own sandboxes are asked for commands. */
export function useMembers(ids: readonly string[]) {
  const agents = useQuery({ ...clawsQuery, enabled: ids.length > MOST_AT_ONCE });
  const [chosen, covered] = useFirst(busyFirst(ids, agents.data ?? []), (id) => id);
  return { chosen, covered, pending: agents.isLoading };
}

/** The sandboxes of the workspace whose commands are asked for, once a person wants to see them. */
export function useWorkspaceSandboxes(wanted: boolean) {
  const agents = useQuery({ ...clawsQuery, enabled: wanted });
  const teams = useQuery({ ...teamsQuery, enabled: wanted });
  const runs = useQuery({
    queryKey: [...keys.runs, "whose commands"],
    queryFn: ({ signal }) => api.get("/api/topology-runs", { query: { all: true, limit: 50 }, signal }),
    enabled: wanted,
  });
  const all = wanted ? ownersOf(runs.data?.items ?? [], teams.data ?? [], agents.data ?? []) : [];
  const [chosen, covered] = useFirst(all, ({ id }) => id);
  const pending = wanted && (agents.isPending || teams.isPending || runs.isPending);
  return { chosen, covered, pending, failed: [agents, teams, runs].find(({ isError }) => isError)?.error };
}
