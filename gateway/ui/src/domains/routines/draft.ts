// The form of a new routine: what was typed, and the request that it makes.
import type { NewRoutine, RoutineSchedule } from "~/api/routines";

export interface Draft {
  name: string;
  kind: "cron" | "loop";
  expression: string;
  zone: string;
  minutes: string;
  times: string;
  starts: "team" | "mission";
  template: string;
  goal: string;
  missed: "once" | "skip";
  overlap: "skip" | "allow";
  accepts: boolean;
}

export const EMPTY: Draft = {
  name: "",
  kind: "cron",
  expression: "0 9 * * 1",
  zone: "UTC",
  minutes: "60",
  times: "",
  starts: "team",
  template: "",
  goal: "",
  missed: "once",
  overlap: "skip",
  accepts: false,
};

const whole = (text: string): number => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : 0);

export function scheduleOf(draft: Draft): RoutineSchedule {
  if (draft.kind === "cron")
    return { kind: "cron", expression: draft.expression.trim(), time_zone: draft.zone.trim() };
  const times = draft.times.trim() === "" ? {} : { times: whole(draft.times) };
  return { kind: "loop", every_minutes: whole(draft.minutes), ...times };
}

export function bodyOf(draft: Draft): NewRoutine {
  const accept_lacks = draft.accepts;
  const goal = draft.goal.trim();
  return {
    name: draft.name.trim(),
    schedule: scheduleOf(draft),
    recipe:
      draft.starts === "team"
        ? { kind: "team", template_id: draft.template, goal, accept_lacks }
        : {
            kind: "mission",
            mission: { template_kind: "research", goal, team_template_id: draft.template },
            accept_lacks,
          },
    missed: draft.missed,
    overlap: draft.overlap,
  };
}

/** What is missing before the form can be sent. */
export function mistakesOf({ name, template, goal }: Draft): {
  name?: string;
  template?: string;
  goal?: string;
} {
  return {
    ...(name.trim() === "" && { name: "Give it a name." }),
    ...(template === "" && { template: "Choose a team template." }),
    ...(goal.trim() === "" && { goal: "Say what the work is for." }),
  };
}
