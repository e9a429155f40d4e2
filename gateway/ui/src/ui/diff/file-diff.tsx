import { ChevronDown, ChevronRight } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "~/ui/button";
import { number } from "~/ui/bytes";
import { cx } from "~/ui/class";
import { visible } from "~/ui/visible";
import type { DiffLine, Unshown } from "./diff";
import type { PatchKind } from "./patch";

const LOOKS: Record<PatchKind, { sign: string; said: string; look: string }> = {
  same: { sign: " ", said: "", look: "text-fg-2" },
  added: { sign: "+", said: "added: ", look: "bg-done/8 text-done" },
  removed: { sign: "-", said: "removed: ", look: "bg-failed/8 text-failed" },
  place: { sign: " ", said: "", look: "mt-1 text-fg-3" },
  note: { sign: " ", said: "", look: "text-fg-3" },
};

/** More lines at once would make a page slow that a person cannot read anyway. */
const MOST = 1000;

function One({ line, numbers }: { line: DiffLine; numbers: number }) {
  const { sign, said, look } = LOOKS[line.kind];
  return (
    <li className={cx("flex min-h-[1lh]", look)}>
      {numbers > 0 && (
        <span
          aria-hidden
          className="shrink-0 pr-3 text-right text-fg-3 select-none"
          style={{ width: `calc(${numbers}ch + 12px)` }}
        >
          {line.line}
        </span>
      )}
      <span aria-hidden className="w-[2ch] shrink-0 select-none">
        {sign}
      </span>
      <span className="min-w-0 break-words whitespace-pre-wrap">
        <span className="sr-only">{said}</span>
        {visible(line.text)}
      </span>
    </li>
  );
}

/** The lines of a file that changed, with those around them; told by sign, colour and, unseen, by word. */
export function DiffLines({ lines }: { lines: (DiffLine | Unshown)[] }) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [most, setMost] = useState(MOST);
  const numbers = String(
    Math.max(0, ...lines.map((one) => (one.kind === "unshown" ? 0 : (one.line ?? 0)))),
  ).length;
  const numbered = lines.some((one) => one.kind !== "unshown" && one.line !== undefined);
  const shown = lines.slice(0, most);
  return (
    <>
      <ol className="font-mono text-small">
        {shown.map((one, index) =>
          one.kind !== "unshown" ? (
            <One key={index} line={one} numbers={numbered ? numbers : 0} />
          ) : open.has(index) ? (
            one.lines.map((line, within) => (
              <One key={`${index}-${within}`} line={line} numbers={numbered ? numbers : 0} />
            ))
          ) : (
            <li key={index}>
              <button
                type="button"
                onClick={() => setOpen((before) => new Set([...before, index]))}
                className="my-1 w-full rounded-control bg-line/40 px-2 py-0.5 text-left text-fg-2 hover:text-fg pointer-coarse:min-h-11"
              >
                Show {number(one.lines.length)} unchanged {one.lines.length === 1 ? "line" : "lines"}
              </button>
            </li>
          ),
        )}
      </ol>
      {lines.length > most && (
        <Button className="mt-2" onClick={() => setMost((now) => now + MOST)}>
          Show more of {number(lines.length - most)} further lines
        </Button>
      )}
    </>
  );
}

interface Props {
  path: string;
  /** How many lines came and went, where that is known. */
  added?: number | undefined;
  removed?: number | undefined;
  /** More about the file, beside its path. */
  note?: ReactNode;
  open: boolean;
  onToggle: () => void;
  children: ReactNode;
}

/** A file of a diff. It folds: its path stays, with the count of its lines. */
export function FileDiff({ path, added, removed, note, open, onToggle, children }: Props) {
  const Icon = open ? ChevronDown : ChevronRight;
  const counted = added !== undefined && removed !== undefined;
  return (
    <section aria-label={visible(path)}>
      <h3>
        <button
          type="button"
          aria-expanded={open}
          onClick={onToggle}
          className="flex min-h-8 w-full items-center gap-x-2 gap-y-0.5 rounded-control py-1 text-left hover:bg-line/40 focus-visible:-outline-offset-2 max-sm:flex-wrap pointer-coarse:min-h-11"
        >
          <Icon size={14} aria-hidden className="shrink-0 text-fg-3" />
          <bdi className="min-w-0 font-mono text-small font-[550] break-all">{visible(path)}</bdi>
          <span className="ml-auto flex shrink-0 items-center gap-3 pl-2 text-small">
            {note}
            {counted && (
              <>
                <span className="text-done">
                  +{number(added)}
                  <span className="sr-only"> lines added</span>
                </span>
                <span className="text-failed">
                  −{number(removed)}
                  <span className="sr-only"> lines removed</span>
                </span>
              </>
            )}
          </span>
        </button>
      </h3>
      {open && <div className="pt-1 pb-2">{children}</div>}
    </section>
  );
}
