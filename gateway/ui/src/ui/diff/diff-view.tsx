import { useMemo } from "react";
import { cx } from "~/ui/class";
import { diffLines, folded } from "./diff";

const LOOKS = {
  same: { sign: " ", said: "", look: "text-fg-2" },
  added: { sign: "+", said: "added: ", look: "text-done" },
  removed: { sign: "-", said: "removed: ", look: "text-failed line-through decoration-failed/60" },
};

/** Two texts as one, with what was taken out and what was put in; told by sign, colour and, unseen, by word. */
export function DiffView({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => folded(diffLines(before, after)), [before, after]);
  if (before === after) return <p className="px-4 py-3 text-fg-2">The two are the same.</p>;
  return (
    // It scrolls, so it can be reached by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="region" aria-label={label} tabIndex={0} className="max-h-[60vh] overflow-auto px-4 py-3">
      <ol className="font-mono text-small">
        {lines.map((line, index) =>
          line.kind === "skip" ? (
            <li key={index} className="my-1 text-fg-3">
              … {line.count} {line.count === 1 ? "line" : "lines"} unchanged
            </li>
          ) : (
            // An empty line that did not change has neither a sign nor a letter to give it its height.
            <li key={index} className={cx("grid min-h-[1lh] grid-cols-[2ch_1fr]", LOOKS[line.kind].look)}>
              <span aria-hidden>{LOOKS[line.kind].sign}</span>
              <span className="min-w-0 break-words whitespace-pre-wrap">
                <span className="sr-only">{LOOKS[line.kind].said}</span>
                {line.text}
              </span>
            </li>
          ),
        )}
      </ol>
    </div>
  );
}
