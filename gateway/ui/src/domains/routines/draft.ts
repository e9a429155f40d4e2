// The form of a routine: what was typed, and the request that it makes.
import { textOf as text } from "~/ui/clash/same";
import type { NewMission } from "~/api/missions";
import type { NewRoutine, Routine, RoutineChange, RoutineSchedule } from "~/api/routines";

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
  /** What the routine creates when it starts a mission, and whether nothing is missing in it. */
  mission: { body: NewMission; complete: boolean } | undefined;
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
  mission: undefined,
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

type Recipe = NewRoutine["recipe"];

/** The recipe of a draft. What the form does not show stays as it was. */
export function recipeOf(draft: Draft, before?: Recipe): Recipe {
  const accept_lacks = draft.accepts;
  if (draft.starts === "team")
    return {
      ...(before?.kind === "team" && before),
      kind: "team",
      template_id: draft.template,
      goal: draft.goal.trim(),
      accept_lacks,
    };
  return { kind: "mission", mission: draft.mission?.body ?? { template_kind: "development" }, accept_lacks };
}

export const bodyOf = (draft: Draft): NewRoutine => ({
  name: draft.name.trim(),
  schedule: scheduleOf(draft),
  recipe: recipeOf(draft),
  missed: draft.missed,
  overlap: draft.overlap,
});

/** The form of a routine that is there. */
export function draftOf({ name, schedule, recipe, missed, overlap }: Routine): Draft {
  const of = schedule.kind === "cron" ? schedule : undefined;
  const loop = schedule.kind === "loop" ? schedule : undefined;
  return {
    name,
    kind: schedule.kind,
    expression: of?.expression ?? EMPTY.expression,
    zone: of?.time_zone ?? EMPTY.zone,
    minutes: loop ? String(loop.every_minutes) : EMPTY.minutes,
    times: loop?.times == null ? "" : String(loop.times),
    starts: recipe.kind,
    template: recipe.kind === "team" ? recipe.template_id : "",
    goal: recipe.kind === "team" ? recipe.goal : "",
    mission: recipe.kind === "mission" ? { body: recipe.mission, complete: true } : undefined,
    missed,
    overlap,
    accepts: recipe.accept_lacks ?? false,
  };
}

/** The fields that a person can change, by the names of a change. */
export const PARTS = ["name", "schedule", "recipe", "missed", "overlap"] as const;
export type Part = (typeof PARTS)[number];

/** The parts of a routine that are not as they were. A start changes none of them. */
export const partsChanged = (before: Routine, now: Routine): Part[] =>
  PARTS.filter((part) => text(before[part]) !== text(now[part]));

/** What the form changes of a routine. What was not touched is not sent. */
export function changeOf(draft: Draft, routine: Routine): RoutineChange {
  const opened = draftOf(routine);
  const scheduled = scheduleOf(draft);
  const { schedule, recipe } = routine;
  // An end that the form does not show stays.
  const until = scheduled.kind === "loop" && schedule.kind === "loop" && schedule.until;
  const differs = (...names: (keyof Draft)[]) =>
    names.some((name) => text(draft[name]) !== text(opened[name]));
  return {
    ...(draft.name.trim() !== routine.name && { name: draft.name.trim() }),
    ...(text(scheduled) !== text(scheduleOf(opened)) && {
      schedule: { ...scheduled, ...(until && { until }) } as RoutineSchedule,
    }),
    ...(differs("starts", "template", "goal", "mission", "accepts") && { recipe: recipeOf(draft, recipe) }),
    ...(draft.missed !== routine.missed && { missed: draft.missed }),
    ...(draft.overlap !== routine.overlap && { overlap: draft.overlap }),
  };
}

/** What is missing before the form can be sent. */
export function mistakesOf({ name, starts, template, goal, mission }: Draft): {
  name?: string;
  template?: string;
  goal?: string;
  mission?: string;
} {
  return {
    ...(name.trim() === "" && { name: "Give it a name." }),
    ...(starts === "team" && template === "" && { template: "Choose a team template." }),
    ...(starts === "team" && goal.trim() === "" && { goal: "Say what the work is for." }),
    ...(starts === "mission" && !mission?.complete && { mission: "Something of the mission is missing." }),
  };
}
