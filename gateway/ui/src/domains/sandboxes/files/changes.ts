// What differs between two snapshots, as a list of files.
import type { FileChange } from "~/api/types";

export type Difference = FileChange["difference"];

export const DIFFERENCES: readonly Difference[] = ["added", "changed", "removed"];

/** How many files are of each kind. */
export function counted(changes: readonly FileChange[]): Record<Difference, number> {
  const counts = { added: 0, changed: 0, removed: 0 };
  for (const { difference } of changes) counts[difference] += 1;
  return counts;
}

/** A text for a comparison: the newline at its end is not a line of its own. */
export const comparable = (text: string): string => text.replace(/\r?\n$/, "");
