// The lists that an item changes, as two texts: an agent's skills and a team's roles. Pure code.
import type { LevelUpItem } from "~/api/levelups";
import type { components } from "~/api/schema";
import type { Team } from "~/api/teams";

type Skills = components["schemas"]["ClawSkills"];
type RosterChange = NonNullable<LevelUpItem["roster"]>;

/** Two texts. A list that does not permit the change has a sentence instead. */
export type ListChange = { before: string; after: string } | { note: string };

const textOf = (lines: readonly string[]) => lines.join("\n");
// Each entry has exactly one line.
const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** An agent's skills by name, without and with the one that is added. */
export function skillsWith(has: Pick<Skills, "items">, added: string): ListChange {
  const names = has.items.map(({ name }) => oneLine(name)).toSorted();
  if (names.includes(oneLine(added))) return { note: "The agent has this skill now." };
  return { before: textOf(names), after: textOf([...names, oneLine(added)].toSorted()) };
}

/** A role's slot, title and agent, as far as they are known. */
function roleLine({ topology }: Team, { node, slot, name }: Team["members"][number]): string {
  const title = topology.nodes.find(({ id }) => id === node)?.label;
  const rest = [...(title ? [oneLine(title)] : []), name == null ? "agent deleted" : oneLine(name)];
  return `${oneLine(slot)}: ${rest.join(", ")}`;
}

/** What a person makes of a role. The proposal names its slot, and never a title or an agent. */
const madeLine = ({ action, slot }: RosterChange) =>
  action === "add" ? `${oneLine(slot)}: new role` : `${oneLine(slot)}: as "What to do" says`;

/** A team's roles, as they are and after the change. */
export function rolesWith(team: Team, change: RosterChange): ListChange {
  const { action, slot } = change;
  const lines = (of: Team["members"]) => of.map((member) => roleLine(team, member));
  const has = team.members.some((member) => member.slot === slot);
  const before = textOf(lines(team.members));
  if (action === "add")
    return has
      ? { note: "The team has this role now." }
      : { before, after: textOf([...lines(team.members), madeLine(change)]) };
  if (!has) return { note: "The team has no role with this slot now." };
  if (action === "remove")
    return { before, after: textOf(lines(team.members.filter((member) => member.slot !== slot))) };
  const after = team.members.map((member) =>
    member.slot === slot ? madeLine(change) : roleLine(team, member),
  );
  return { before, after: textOf(after) };
}

/** The change of one entry alone. The gateway does not keep the list that a decided proposal was about. */
export function changeAlone(item: LevelUpItem): { before: string; after: string } | undefined {
  if (item.kind === "skill_add") return { before: "", after: oneLine(item.skill_name ?? "") };
  if (!item.roster) return undefined;
  const { action, slot } = item.roster;
  return {
    before: action === "add" ? "" : oneLine(slot),
    after: action === "remove" ? "" : madeLine(item.roster),
  };
}
