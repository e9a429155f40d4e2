import { useId, useState } from "react";
import { Button } from "./button";
import { number } from "./bytes";
import { visible } from "./visible";

/** A text of this size is shown whole: a fold would hide little. */
const WHOLE = { lines: 16, characters: 1600 };
/** What a fold shows of a longer one. */
const BEGIN = { lines: 10, characters: 1000 };

/** The begin of a long text, at the end of a line where one is near; nothing for a text that is short. */
export function beginOf(text: string): string | undefined {
  const lines = text.split("\n");
  if (lines.length <= WHOLE.lines && text.length <= WHOLE.characters) return undefined;
  const begin = lines.slice(0, BEGIN.lines).join("\n");
  if (begin.length <= BEGIN.characters) return begin.trimEnd();
  const cut = begin.slice(0, BEGIN.characters);
  const end = Math.max(cut.lastIndexOf("\n"), cut.lastIndexOf(" "));
  return (end > BEGIN.characters / 2 ? cut.slice(0, end) : cut).trimEnd();
}

/** A text that a person wrote, as it is. A long one is folded, so that the page stays short. */
export function FoldedText({ text, what }: { text: string; what: string }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const begin = beginOf(text);
  const folded = begin !== undefined && !open;
  return (
    <>
      <p id={id} className="max-w-[72ch] break-words whitespace-pre-wrap">
        {visible(folded ? begin : text)}
        {folded && " …"}
      </p>
      {begin !== undefined && (
        <Button
          look="quiet"
          className="mt-1 -ml-2.5"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          {open ? `Fold ${what}` : `Show all ${number(text.split("\n").length)} lines of ${what}`}
        </Button>
      )}
    </>
  );
}
