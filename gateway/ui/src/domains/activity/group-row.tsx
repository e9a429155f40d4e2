import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { cx, textLink } from "~/ui/class";
import { inlineCode } from "~/ui/inline-code";
import { EntryRow, Figures, grid, Results, Sentence, text, type Known } from "./entry-row";
import { isFailed, type Group } from "./model";

/** How many things of a run are shown before a person asks for all. */
const FIRST = 3;

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

/** The run that the lines below belong to. */
function Head({ group, known }: { group: Group & { run: NonNullable<Group["run"]> }; known: Known }) {
  const { id, entry } = group.run;
  if (!entry)
    return (
      <div className={grid}>
        <span className="text-fg-3">Run</span>
        <p className={text}>
          For{" "}
          <Link to="/runs/$id" params={{ id }} className={cx(textLink, "font-[550]")}>
            a run
          </Link>
        </p>
      </div>
    );
  return (
    <div className={grid}>
      <Results results={entry.results} />
      <div className={text}>
        <Sentence entry={entry} known={known} />
        {entry.detail && <p className="line-clamp-3 break-words text-fg-2">{inlineCode(entry.detail)}</p>}
      </div>
      <Figures entry={entry} />
    </div>
  );
}

/** A run with what was done for it, or one thing alone. */
export function GroupRow({ group, known }: { group: Group; known: Known }) {
  const [all, setAll] = useState(false);
  const { run, lines } = group;
  const look = "border-b border-line last:border-0";
  if (!run) {
    const [line] = lines;
    return <li className={look}>{line && <EntryRow line={line} known={known} />}</li>;
  }
  const bad = lines.filter(({ entry }) => isFailed(entry)).length;
  const first = new Set(lines.slice(0, FIRST));
  const shown = all
    ? lines
    : lines.filter((line) => first.has(line) || isFailed(line.entry)).slice(0, 2 * FIRST);
  const hidden = lines.length > shown.length;
  return (
    <li className={look}>
      <Head group={{ ...group, run }} known={known} />
      {lines.length > 0 && (
        <div className="mb-1 ml-4 border-l border-line">
          <ul aria-label="What was done for this run">
            {shown.map((line) => (
              <li key={line.id}>
                <EntryRow line={line} known={known} />
              </li>
            ))}
          </ul>
          {(hidden || all) && lines.length > FIRST && (
            <p className="px-4 pb-1.5">
              <button
                type="button"
                aria-expanded={all}
                onClick={() => setAll(!all)}
                className={cx(textLink, "text-small text-fg-2 pointer-coarse:min-h-11")}
              >
                {all ? "Show fewer" : `Show all ${counted(lines.length, "line")}`}
                {!all && bad > 0 && `, ${bad} failed`}
              </button>
            </p>
          )}
        </div>
      )}
    </li>
  );
}
