import { useState } from "react";
import { cx } from "~/ui/class";
import { useNarrow } from "~/ui/list/narrow";
import { visible } from "~/ui/visible";

const look = (on: boolean) =>
  cx(
    "inline-flex min-h-6 items-center gap-1 rounded-control border px-1.5 text-small pointer-coarse:min-h-11 pointer-coarse:px-3",
    on
      ? "border-accent bg-accent/10 font-[550] text-fg"
      : "border-line-strong/60 text-fg-2 hover:border-line-strong hover:text-fg",
  );

/** As many fit in one row. */
const ONE_ROW = { wide: 8, narrow: 3 };

/** The tags of most skills, and the others at a press. One that is chosen is always there. */
export function Tags({
  tags,
  chosen,
  choose,
}: {
  tags: [string, number][];
  chosen: string;
  choose: (tag: string) => void;
}) {
  const [all, setAll] = useState(false);
  const room = ONE_ROW[useNarrow() ? "narrow" : "wide"];
  const shown = tags.filter(([tag], at) => all || at < room || tag === chosen);
  const more = tags.length - shown.length;
  return (
    <div role="group" aria-label="Tags" className="flex flex-wrap gap-1.5">
      {shown.map(([tag, count]) => (
        <button
          key={tag}
          type="button"
          aria-pressed={tag === chosen}
          onClick={() => choose(tag === chosen ? "" : tag)}
          className={look(tag === chosen)}
        >
          <bdi>{visible(tag)}</bdi>
          <span className="text-fg-3">{count}</span>
        </button>
      ))}
      {(all || more > 0) && tags.length > room && (
        <button type="button" aria-expanded={all} onClick={() => setAll(!all)} className={look(false)}>
          {all ? "Fewer tags" : `${more} more ${more === 1 ? "tag" : "tags"}`}
        </button>
      )}
    </div>
  );
}
