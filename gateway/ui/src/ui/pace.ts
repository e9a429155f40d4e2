// Limits of turns and of time as people type them, and as the gateway keeps them.
import type { components } from "~/api/schema";

export type RunLimits = components["schemas"]["RunLimits"];

/** As typed. Empty is no limit. */
export interface Pace {
  turns: string;
  /** Minutes. */
  time: string;
}

export const noPace: Pace = { turns: "", time: "" };

/** For the fields. A limit of seconds becomes minutes with a fraction. */
export const paceOf = (limits: RunLimits): Pace => ({
  turns: limits.turns == null ? "" : String(limits.turns),
  time: limits.time_s == null ? "" : String(Math.round((limits.time_s / 60) * 100) / 100),
});

const MOST_TURNS = 100_000;
/** Thirty days. */
const MOST_MINUTES = 30 * 24 * 60;

export const turnsMistake = (typed: string): string | undefined => {
  const text = typed.trim();
  const fits = /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_TURNS;
  return text === "" || fits ? undefined : "A whole number from 1 to 100,000.";
};

export const timeMistake = (typed: string): string | undefined => {
  const text = typed.trim().replace(",", ".");
  const minutes = /^\d+(\.\d*)?$|^\.\d+$/.test(text) ? Number(text) : Number.NaN;
  const fits = minutes * 60 >= 10 && minutes <= MOST_MINUTES;
  return text === "" || fits ? undefined : "Minutes, such as 30. At least 10 seconds, at most 30 days.";
};

export const isPace = ({ turns, time }: Pace): boolean =>
  turnsMistake(turns) === undefined && timeMistake(time) === undefined;

/** The limits of a request; without any, nothing. */
export function limitsOf({ turns, time }: Pace): { limits?: RunLimits } {
  const limits: RunLimits = {
    ...(turns.trim() && { turns: Number(turns.trim()) }),
    ...(time.trim() && { time_s: Math.round(Number(time.trim().replace(",", ".")) * 60) }),
  };
  return Object.keys(limits).length > 0 ? { limits } : {};
}
