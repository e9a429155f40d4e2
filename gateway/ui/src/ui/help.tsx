import { CircleHelp } from "lucide-react";
import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { IconButton } from "./button";
import { cx, textLink } from "./class";
import { useLayer } from "./choice/layer";
import { over } from "./choice/look";
import { WORDS, type Word } from "./help-words";

/** A word that a newcomer does not know, explained where it stands. */
export function Help({ word }: { word: Word }) {
  const { open, setOpen, close, around, button, layer } = useLayer({ over: true });
  const id = useId();
  const { says, guide } = WORDS[word];
  return (
    <div className="relative inline-block align-middle" {...around}>
      <IconButton
        ref={button}
        label={`What is ${/^[aeiou]/.test(word) ? "an" : "a"} ${word}?`}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        className="-my-1 size-6"
        onClick={() => (open ? close() : setOpen(true))}
      >
        <CircleHelp size={14} aria-hidden className="text-fg-3" />
      </IconButton>
      {open && (
        <div
          ref={layer}
          id={id}
          role="note"
          popover="manual"
          className={cx(over, "max-w-72 px-3 py-2 text-left text-body font-normal whitespace-normal")}
        >
          {says} {/* In a tab of its own: what was typed on this page stays. */}
          <Link to="/guide/$name" params={{ name: guide }} target="_blank" className={textLink}>
            Guide
          </Link>
        </div>
      )}
    </div>
  );
}
