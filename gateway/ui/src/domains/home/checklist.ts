// The first steps in a workspace, each ticked by what the gateway has.
export interface Has {
  models: number;
  repos: number;
  /** The newest run works on files that a person uploaded, or on a repository. */
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

export function stepsOf({ models, repos, files, team, runs }: Has): Step[] {
  return [
    {
      id: "model",
      title: "Add a model",
      why: "Agents think with it. A key of a provider, or a model on your own machine.",
      done: models > 0,
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

/** The step to take next. */
export const nextOf = (steps: readonly Step[]) => steps.find(({ done }) => !done)?.id;
