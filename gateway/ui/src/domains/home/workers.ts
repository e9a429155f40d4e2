// Who can be given work.
import type { Claw } from "~/api/types";
import type { RunRepo } from "~/api/repos";
import type { RunSummary } from "~/api/runs";
import type { Team } from "~/api/teams";

export type Worker = { key: string; id: string; name: string } & (
  { kind: "team"; team: Team } | { kind: "agent"; agent: Claw }
);

const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);

/** Teams, then the agents that work in none of them, each by name. */
export function workers(teams: readonly Team[], agents: readonly Claw[]): Worker[] {
  const seated = new Set<string>(teams.flatMap((team) => team.members.map((member) => member.agent_id)));
  const ready = teams.filter((team) => team.state === "ready" || team.state === undefined);
  return [
    ...ready
      .map((team) => ({ kind: "team" as const, key: `team:${team.id}`, id: team.id, name: team.name, team }))
      .toSorted(byName),
    ...agents
      .filter((agent) => !seated.has(agent.id) && !agent.deleted_at)
      .map((agent) => ({
        kind: "agent" as const,
        key: `agent:${agent.id}`,
        id: agent.id,
        name: agent.name,
        agent,
      }))
      .toSorted(byName),
  ];
}

/** The chosen one; before a choice the one that worked last, and otherwise the first. */
export function whoIs(
  all: readonly Worker[],
  chosen: string | undefined,
  last: Pick<RunSummary, "team_id" | "agent_id"> | undefined,
): Worker | undefined {
  const find = (key: string) => all.find((one) => one.key === key);
  return (
    (chosen === undefined ? undefined : find(chosen)) ??
    find(`team:${last?.team_id ?? ""}`) ??
    find(`agent:${last?.agent_id ?? ""}`) ??
    all[0]
  );
}

/** The repository of a team, which its runs work on unless they name another one. */
export function ownRepo(who: Worker): RunRepo | undefined {
  const repo = who.kind === "team" ? who.team.repo : undefined;
  return repo ? { repo_id: repo.repo_id, ...(repo.base && { base: repo.base }) } : undefined;
}
