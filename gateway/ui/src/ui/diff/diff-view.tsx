import { useMemo } from "react";
import { changedLines } from "./diff";
import { DiffLines } from "./file-diff";

/** Two texts as one, with what was taken out and what was put in. */
export function DiffView({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => changedLines(before, after), [before, after]);
  if (before === after) return <p className="px-4 py-3 text-fg-2">The two are the same.</p>;
  return (
    // It scrolls, so it can be reached by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="region" aria-label={label} tabIndex={0} className="max-h-[60vh] overflow-auto px-4 py-3">
      <DiffLines lines={lines} />
    </div>
  );
}
