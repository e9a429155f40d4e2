// Which agents the list shows, in which order, and below which team.
import type { Team } from "~/api/teams";
import type { Claw } from "~/api/types";
import { agentStates, agentWord, type AgentWord } from "~/ui/agent-state";
import { compareNames } from "~/ui/list/sort";
import { cleared, type Filters } from "~/ui/list/saved";

export interface TeamName {
  id: string;
  name: string;
}
/** The teams of each agent, by name. */
export type Teams = ReadonlyMap<string, readonly TeamName[]>;

export function teamsOf(teams: readonly Pick<Team, "id" | "name" | "members">[]): Teams {
  const found = new Map<string, TeamName[]>();
  for (const { id, name, members } of teams.toSorted((a, b) => compareNames(a.name, b.name)))
    for (const agent of new Set(members.map((member) => member.agent_id)))
      found.set(agent, [...(found.get(agent) ?? []), { id, name }]);
  return found;
}

/** Those that a person looks for first come first. */
const STATES = Object.keys(agentStates) as AgentWord[];
/** What a saved view or a link of before may have. */
const BEFORE: Record<string, AgentWord> = { online: "ready", idle: "ready", offline: "ready" };

type WordOf = (claw: Claw) => AgentWord;
const plainly: WordOf = (claw) => agentWord(claw, false);

const ORDERS: Record<string, (a: Claw, b: Claw, wordOf: WordOf) => number> = {
  name: (a, b) => compareNames(a.name, b.name),
  state: (a, b, wordOf) => STATES.indexOf(wordOf(a)) - STATES.indexOf(wordOf(b)),
  changed: (a, b) => Date.parse(a.updated_at) - Date.parse(b.updated_at),
};
/** The order without a choice. */
export const OWN = "name";

/** The address without what the list does not know. */
export function readAsked({ q, state, team, group, sort }: { [name: string]: string | undefined }): Filters {
  return cleared({
    q,
    state: STATES.find((one) => one === (BEFORE[state ?? ""] ?? state)),
    team,
    group: group === "team" ? group : undefined,
    sort: sort !== undefined && sort.replace(/^-/, "") in ORDERS ? sort : undefined,
  });
}

export const narrows = ({ q, state, team }: Filters): boolean => Boolean(q ?? state ?? team);

/** Equal ones keep the order of their names, so that a live value never moves one among its likes. */
export function sorted(agents: readonly Claw[], by: string, wordOf = plainly): Claw[] {
  const down = by.startsWith("-") ? -1 : 1;
  const order = ORDERS[by.replace(/^-/, "")];
  return agents.toSorted(
    (a, b) => down * (order?.(a, b, wordOf) ?? 0) || compareNames(a.name, b.name) || (a.id < b.id ? -1 : 1),
  );
}

export function shown(
  agents: readonly Claw[],
  { q = "", state, team }: Filters,
  teams: Teams,
  wordOf = plainly,
): Claw[] {
  const parts = q.toLowerCase().split(/\s+/).filter(Boolean);
  return agents.filter(
    (claw) =>
      (!state || wordOf(claw) === state) &&
      (!team || (teams.get(claw.id) ?? []).some(({ id }) => id === team)) &&
      parts.every((part) =>
        [claw.name, claw.role, wordOf(claw), claw.sandbox?.node_name].some((text) =>
          text?.toLowerCase().includes(part),
        ),
      ),
  );
}

export interface TeamGroup {
  /** Empty for agents of no team. */
  id: string;
  name: string;
  rows: Claw[];
}

/** Each agent once, below the first of its teams; agents of no team come last. */
export function grouped(agents: readonly Claw[], teams: Teams): TeamGroup[] {
  const groups = new Map<string, TeamGroup>();
  for (const claw of agents) {
    const { id, name } = teams.get(claw.id)?.[0] ?? { id: "", name: "No team" };
    const group = groups.get(id) ?? { id, name, rows: [] };
    group.rows.push(claw);
    groups.set(id, group);
  }
  return [...groups.values()].toSorted(
    (a, b) =>
      Number(a.id === "") - Number(b.id === "") || compareNames(a.name, b.name) || (a.id < b.id ? -1 : 1),
  );
}
