// The model that an agent uses: its own, else its team's, else the default model of the workspace.
import { defaultModel, type ModelBinding } from "~/api/models";
import type { Team } from "~/api/teams";
import type { Claw } from "~/api/types";

export interface UsedModel {
  name: string;
  /** Where it comes from, when it is not the agent's own. */
  from?: "team" | "workspace";
}

/** The models of each agent's teams. A team without one has an empty text. */
export type TeamModels = ReadonlyMap<string, ReadonlySet<string>>;

export function teamModels(teams: readonly Pick<Team, "members" | "model_binding">[]): TeamModels {
  const found = new Map<string, Set<string>>();
  for (const { members, model_binding } of teams)
    for (const { agent_id } of members)
      found.set(agent_id, (found.get(agent_id) ?? new Set()).add(model_binding ?? ""));
  return found;
}

/** Undefined while it is not known, and for an agent whose teams use different models. */
export function usedModel(
  { id, model_binding }: Pick<Claw, "id" | "model_binding">,
  teams: TeamModels | undefined,
  models: readonly ModelBinding[] | undefined,
): UsedModel | undefined {
  if (model_binding) return { name: model_binding };
  if (!teams) return undefined;
  const [first = "", ...others] = teams.get(id) ?? [];
  if (others.length > 0) return undefined;
  if (first) return { name: first, from: "team" };
  return models && { name: defaultModel(models), from: "workspace" };
}
