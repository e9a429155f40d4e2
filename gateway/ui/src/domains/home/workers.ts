// Who can be given work.
import type { Claw } from "~/api/types";
import type { RunRepo } from "~/api/repos";
import type { RunSummary } from "~/api/runs";
import type { Team, TemplateBrief } from "~/api/teams";

const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);

export type Worker = { key: string; id: string; name: string } & (
  { kind: "team"; team: Team } | { kind: "agent"; agent: Claw }
);
/** A template works as well: a team is created from it first. */
export type Choosable =
  Worker | { kind: "template"; key: string; id: string; name: string; template: TemplateBrief };

export const templateKey = (id: string) => `template:${id}`;
/** The templates as choices, by name. */
export const asChoices = (templates: readonly TemplateBrief[]): Choosable[] =>
  templates
    .map((template) => ({
      kind: "template" as const,
      key: templateKey(template.id),
      id: template.id,
      name: template.name,
      template,
    }))
    .toSorted(byName);

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
  all: readonly Choosable[],
  chosen: string | undefined,
  last: Pick<RunSummary, "team_id" | "agent_id"> | undefined,
): Choosable | undefined {
  const find = (key: string) => all.find((one) => one.key === key);
  return (
    (chosen === undefined ? undefined : find(chosen)) ??
    find(`team:${last?.team_id ?? ""}`) ??
    find(`agent:${last?.agent_id ?? ""}`) ??
    all[0]
  );
}

/** The repository of a team, which its runs work on unless they name another one. */
export function ownRepo(who: Choosable): RunRepo | undefined {
  const repo = who.kind === "team" ? who.team.repo : undefined;
  return repo ? { repo_id: repo.repo_id, ...(repo.base && { base: repo.base }) } : undefined;
}
