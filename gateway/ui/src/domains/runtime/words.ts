// Why an agent runs with what it runs with, in words.
import type { SkillBrief } from "~/api/skills";
import type { ClawSkills, RuntimeConfig } from "./queries";

const SOURCES: Record<string, string> = {
  foundation: "for every agent",
  role: "from its role",
  agent: "added to this agent",
};
export const sourceWord = (source: string) => SOURCES[source] ?? source;

const SKIPPED: Record<string, string> = {
  missing: "there is no skill of this name",
  deleted: "the skill was deleted",
  excluded: "excluded for this agent",
};
export const skippedWord = (why: string) => SKIPPED[why] ?? why;

/** Where its model comes from. */
export function modelWhy({ model, model_binding, team_id }: RuntimeConfig): string {
  if (!model) return "The workspace has no model of this name, so the agent cannot work.";
  if (model_binding) return "Set for this agent.";
  return team_id ? "From its team, or else the workspace's default." : "The workspace's default.";
}

/** What decides what a step of it may use. */
export const rightWhy = ({ team_id }: RuntimeConfig): string =>
  team_id
    ? "Its team sets its permissions. If the team sets none, its template does, and then its own apply."
    : "It is in no team, so its own permissions apply.";

/** What was left out for this agent alone, with names where the catalogue has them. */
export const leftOut = ({ overrides }: ClawSkills, catalogue: readonly SkillBrief[]) =>
  overrides
    .filter(({ include }) => !include)
    .map(({ skill_id }) => ({
      id: skill_id,
      name: catalogue.find(({ id }) => id === skill_id)?.name ?? skill_id,
    }));

/** What can still be added: what it has is not offered again. */
export function addable({ items, overrides }: ClawSkills, catalogue: readonly SkillBrief[]): SkillBrief[] {
  const has = new Set<string>([...items.map(({ id }) => id), ...overrides.map(({ skill_id }) => skill_id)]);
  return catalogue
    .filter(({ id, namesake, visibility }) => !has.has(id) && !(namesake && visibility === "builtin"))
    .toSorted((a, b) => a.name.localeCompare(b.name));
}
