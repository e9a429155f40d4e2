import { useState } from "react";
import { number } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { visible } from "~/ui/visible";
import { beginning } from "./words";

/** Text that an agent wrote, letter by letter: nothing of it is markup, and what nobody would see is written out. */
export function ForeignText({ text, whole, what }: { text: string; whole: boolean; what: string }) {
  const [open, setOpen] = useState(false);
  const short = whole ? undefined : beginning(text);
  const folded = short !== undefined && !open;
  if (text === "") return <span className="text-fg-3">empty</span>;
  return (
    <>
      <span dir="auto" className="block font-mono text-small break-words whitespace-pre-wrap">
        {visible(folded ? short : text)}
        {folded && " …"}
      </span>
      {short !== undefined && (
        <Button
          className="mt-1 h-6"
          aria-expanded={open}
          aria-label={`${open ? "Fold" : "Show all of"} ${what}`}
          onClick={() => setOpen(!open)}
        >
          {open ? "Fold" : `Show all ${number([...text].length)} characters`}
        </Button>
      )}
    </>
  );
}
