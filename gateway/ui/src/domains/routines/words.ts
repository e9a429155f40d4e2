// What routines and their starts are called, and what each means. The gateway calls a start a firing.
import type { Routine, RoutineFiring } from "~/api/routines";
import { money } from "~/ui/run-state";
import type { Tone } from "~/ui/status";

interface State {
  tone: Tone;
  word: string;
}

const STATES: Record<Routine["state"], State> = {
  scheduled: { tone: "idle", word: "Scheduled" },
  running: { tone: "running", word: "Running" },
  door: { tone: "warning", word: "Waits for approval" },
  paused: { tone: "paused", word: "Paused" },
  done: { tone: "done", word: "Ended" },
};
export const routineState = ({ state }: Pick<Routine, "state">): State => STATES[state];

const FIRINGS: Record<RoutineFiring["state"], State> = {
  started: { tone: "running", word: "Running" },
  done: { tone: "done", word: "Done" },
  failed: { tone: "failed", word: "Failed" },
  skipped: { tone: "offline", word: "Skipped" },
  missed: { tone: "warning", word: "Missed" },
};
export const firingState = ({ state }: Pick<RoutineFiring, "state">): State => FIRINGS[state];

const CAUSES: Record<RoutineFiring["cause"], string> = {
  schedule: "on schedule",
  catch_up: "after a downtime",
  manual: "by hand",
};
/** What started it. A due time that was missed or skipped started nothing. */
export const causeWord = ({ cause, state }: Pick<RoutineFiring, "cause" | "state">): string =>
  state === "missed" || state === "skipped" ? "not started" : CAUSES[cause];

type Recipe = Routine["recipe"];

export const startsWord = ({ kind }: Recipe): string =>
  kind === "team" ? "A team that works once and is then deleted" : "A mission, which is launched at once";
export const goalOf = (recipe: Recipe): string =>
  recipe.kind === "team" ? recipe.goal : (recipe.mission.goal ?? recipe.mission.title ?? "");
export const modelOf = (recipe: Recipe): string | null | undefined =>
  recipe.kind === "team" ? recipe.model_binding : recipe.mission.model;
/** What one start may cost. */
export function limitOf(recipe: Recipe): string {
  const usd = recipe.kind === "mission" ? recipe.mission.budget_usd : undefined;
  const most = recipe.kind === "team" ? recipe.cost_ceiling_microusd : usd == null ? usd : usd * 1e6;
  return most == null ? "no limit" : money(most);
}

export const MISSED = {
  once: "It starts once for the newest due time, when that is at most seven days old. The others are noted in the journal.",
  skip: "Due times at which no gateway worked are only noted in the journal.",
};

export const OVERLAP = {
  skip: "While earlier work goes on, a due time is only noted in the journal.",
  allow: "It starts although earlier work goes on, up to five times at once.",
};

const time = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
/** A due time in the time zone of the browser. */
export const dueTime = (at: string): string => time.format(new Date(at));
