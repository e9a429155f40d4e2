import { useMemo } from "react";
import type { NodeLine } from "~/api/types";
import { cx } from "~/ui/class";
import { nodeState } from "./words";

/** Labels offered; a fleet with more has a filter to type in. */
const MOST = 12;

/** States and labels that there are, with their counts; each is a word of the filter. */
export function FilterWords({
  nodes,
  query,
  onToggle,
}: {
  nodes: NodeLine[];
  query: string;
  onToggle: (word: string) => void;
}) {
  const offered = useMemo(() => {
    const states = new Map<string, number>();
    const labels = new Map<string, number>();
    const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
    for (const node of nodes) {
      // A word of a filter has no blank in it.
      count(states, nodeState(node).word.toLowerCase().split(/\W/)[0] ?? "");
      node.labels?.forEach((label) => count(labels, label));
    }
    const most = [...labels].toSorted(([, a], [, b]) => b - a).slice(0, MOST);
    return [
      ...(states.size > 1 ? [...states].map(([state, n]) => [`state:${state}`, n] as const) : []),
      ...most.map(([label, n]) => [`label:${label}`, n] as const),
    ].toSorted(([a], [b]) => (a < b ? 1 : -1));
  }, [nodes]);
  const chosen = query.split(/\s+/);
  if (offered.length === 0) return null;
  return (
    <div role="group" aria-label="States and labels" className="-mt-2 flex flex-wrap gap-1.5">
      {offered.map(([word, n]) => (
        <button
          key={word}
          type="button"
          aria-pressed={chosen.includes(word)}
          onClick={() => onToggle(word)}
          className={cx(
            "inline-flex h-6 items-center gap-1.5 rounded-control border px-1.5 text-small pointer-coarse:h-11",
            chosen.includes(word)
              ? "border-accent bg-accent/10 text-fg"
              : "border-line text-fg-2 hover:border-line-strong hover:text-fg",
          )}
        >
          {word} <span className="text-fg-3">{n}</span>
        </button>
      ))}
    </div>
  );
}
