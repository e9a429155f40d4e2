// Which routines the list shows, and in which order.
import type { Routine } from "~/api/routines";
import { cleared, type Filters } from "~/ui/list/saved";
import { compareNames } from "~/ui/list/sort";
import { firingState, routineState } from "./words";

/** The order without a choice. */
export const OWN = "name";

const SORTS = ["-name", "state", "-state", "due", "-due"];

/** The address without what the list does not know. */
export const readAsked = ({ q, sort }: { [name: string]: string | undefined }): Filters =>
  cleared({ q, sort: SORTS.find((one) => one === sort) });

/** When it starts next. A paused routine does not start. */
export const nextDue = ({ next_due: [next], enabled }: Routine): string | undefined =>
  enabled ? next : undefined;

/** Routines that start no more come last, whichever way the others are sorted. */
export function sorted(routines: readonly Routine[], by: string): Routine[] {
  const down = by.startsWith("-") ? -1 : 1;
  const names = (a: Routine, b: Routine) => compareNames(a.name, b.name) || (a.id < b.id ? -1 : 1);
  const key = by.replace(/^-/, "");
  if (key === "state")
    return routines.toSorted(
      (a, b) => down * routineState(a).word.localeCompare(routineState(b).word) || names(a, b),
    );
  if (key !== "due") return routines.toSorted((a, b) => down * names(a, b));
  return routines.toSorted((a, b) => {
    const [x, y] = [nextDue(a), nextDue(b)];
    if (x === undefined || y === undefined)
      return Number(x === undefined) - Number(y === undefined) || names(a, b);
    return down * (Date.parse(x) - Date.parse(y)) || names(a, b);
  });
}

/** Every word must be found in the name, the schedule, the state, or how it started last. */
export function shown(routines: readonly Routine[], q: string): Routine[] {
  const parts = q.toLowerCase().split(/\s+/).filter(Boolean);
  return routines.filter((routine) => {
    const last = routine.last ? firingState(routine.last).word : "";
    const text = `${routine.name} ${routine.words} ${routineState(routine).word} ${last}`.toLowerCase();
    return parts.every((part) => text.includes(part));
  });
}
