// What routines and their firings are called, and what each means.
import type { Routine, RoutineFiring } from "~/api/routines";
import type { Tone } from "~/ui/status";

interface State {
  tone: Tone;
  word: string;
}

const STATES: Record<Routine["state"], State> = {
  scheduled: { tone: "idle", word: "Scheduled" },
  running: { tone: "running", word: "Running" },
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

export const CAUSES: Record<RoutineFiring["cause"], string> = {
  schedule: "on schedule",
  catch_up: "afterwards",
  manual: "by hand",
};

export const MISSED = {
  once: "The newest due time fires once, when it is at most seven days old. The others are noted in the journal.",
  skip: "Due times at which no gateway worked are only noted in the journal.",
};

export const OVERLAP = {
  skip: "While an earlier firing works, a due time is only noted in the journal.",
  allow: "Firings may overlap, up to five at once.",
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
