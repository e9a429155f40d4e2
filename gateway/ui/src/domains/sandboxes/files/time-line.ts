// The history of saved files as marks on a line of time.
import type { Snapshot } from "~/api/types";

export interface Mark {
  snapshot: Snapshot;
  /** The first mark of its day has the day's name above it. */
  day: string | undefined;
  /** Milliseconds to the next earlier snapshot; undefined for the first snapshot that is known. */
  gap: number | undefined;
  /** How it differs from the next earlier one. */
  files: number | undefined;
  bytes: number | undefined;
  /** Its size beside the largest one, 0 to 1. */
  share: number;
}

const days = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
});

const moments = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** `25 Nov 2026, 07:12:42`. */
export const momentOf = ({ taken_at }: Pick<Snapshot, "taken_at">): string =>
  moments.format(new Date(taken_at));

/** The marks of snapshots, which are ordered newest first. */
export function marksOf(snapshots: readonly Snapshot[]): Mark[] {
  const largest = Math.max(1, ...snapshots.map(({ bytes }) => bytes));
  const dayOf = ({ taken_at }: Snapshot) => days.format(new Date(taken_at));
  return snapshots.map((snapshot, index) => {
    const later = snapshots[index - 1];
    const earlier = snapshots[index + 1];
    const day = dayOf(snapshot);
    return {
      snapshot,
      day: later && dayOf(later) === day ? undefined : day,
      gap: earlier && Math.max(0, Date.parse(snapshot.taken_at) - Date.parse(earlier.taken_at)),
      files: earlier && snapshot.files - earlier.files,
      bytes: earlier && snapshot.bytes - earlier.bytes,
      share: snapshot.bytes / largest,
    };
  });
}

const MINUTE = 60_000;

/** How long the line between two marks is, in steps. A day is not drawn a thousand times as long as a minute. */
export function stretch(gap: number | undefined): 0 | 1 | 2 | 3 {
  if (gap === undefined || gap < 10 * MINUTE) return 0;
  if (gap < 60 * MINUTE) return 1;
  return gap < 1440 * MINUTE ? 2 : 3;
}

/** The snapshot that a page without a choice shows: the newest that the gateway has, else the newest. */
export const firstShown = (snapshots: readonly Snapshot[]): Snapshot | undefined =>
  snapshots.find(({ uploaded }) => uploaded) ?? snapshots[0];

/** The snapshot before this one, which a comparison begins with. */
export function beforeOf(snapshots: readonly Snapshot[], id: string): Snapshot | undefined {
  const at = snapshots.findIndex((one) => one.id === id);
  return at < 0 ? undefined : snapshots.slice(at + 1).find(({ uploaded }) => uploaded);
}
