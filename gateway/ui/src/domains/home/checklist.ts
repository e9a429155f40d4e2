// The first steps in a workspace, each ticked by what the gateway has.
import { SCRIPTED } from "~/api/models";
import type { RunSummary } from "~/api/runs";
import type { Team } from "~/api/teams";

export interface Has {
  models: number;
  /** The demonstration ran: its script speaks in place of a model. */
  demonstrated: boolean;
  repos: number;
  /** The newest run of a person's own work has files that a person uploaded, or a repository. */
  files: boolean;
  /** The newest team, where there is one. */
  team: string | undefined;
  runs: number;
}

export interface Step {
  id: "model" | "code" | "team" | "run";
  title: string;
  why: string;
  done: boolean;
}

export function stepsOf({ models, demonstrated, repos, files, team, runs }: Has): Step[] {
  return [
    {
      id: "model",
      title: "Add a model, or run the demonstration",
      why: "Agents think with a model: a key of a provider, or a model on your own machine. In the demonstration, a script speaks in its place.",
      done: models > 0 || demonstrated,
    },
    {
      id: "code",
      title: "Bring your code",
      why: "Connect a code host, or upload files together with the goal of a run.",
      done: repos > 0 || files,
    },
    {
      id: "team",
      title: "Create a team",
      why: "A template gives it roles that work together, such as planner, coder and reviewer.",
      done: team !== undefined,
    },
    {
      id: "run",
      title: "Give the team a goal",
      why: "Each agent works in a sandbox. You see every step and its result.",
      done: runs > 0,
    },
  ];
}

/** The runs of teams whose model is the demonstration's script. */
export function ofDemonstration(
  runs: readonly Pick<RunSummary, "id" | "team_id">[],
  teams: readonly Pick<Team, "id" | "model_binding">[],
): Set<string> {
  const scripted = new Set(teams.flatMap((team) => (team.model_binding === SCRIPTED ? [team.id] : [])));
  return new Set(runs.flatMap(({ id, team_id }) => (team_id && scripted.has(team_id) ? [id] : [])));
}

/** The step to take next. */
export const nextOf = (steps: readonly Step[]) => steps.find(({ done }) => !done)?.id;
