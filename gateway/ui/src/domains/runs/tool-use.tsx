import { Wrench } from "lucide-react";
import { useState } from "react";
import { number } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { CopyButton } from "~/ui/copy-button";
import { Status } from "~/ui/status";
import { duration } from "~/ui/time";
import { visible } from "~/ui/visible";
import type { ToolUse } from "./transcript";
import { REACHED, reached } from "./turn";
import { failureWord } from "./words";

const MOST_LINES = 200;
const MOST_CHARS = 20_000;

/** A text of a program, letter by letter; a long one by its beginning until somebody asks. */
function Output({ text, what }: { text: string; what: string }) {
  const [whole, setWhole] = useState(false);
  const lines = text.split("\n");
  const long = lines.length > MOST_LINES || text.length > MOST_CHARS;
  const shown = whole || !long ? text : lines.slice(0, MOST_LINES).join("\n").slice(0, MOST_CHARS);
  if (text === "") return <p className="text-small text-fg-3">No {what}.</p>;
  return (
    <>
      <pre
        tabIndex={0}
        role="region"
        aria-label={what}
        className="max-h-72 overflow-auto rounded-control border border-line bg-sunken px-2.5 py-1.5 font-mono text-small whitespace-pre-wrap"
      >
        {visible(shown)}
      </pre>
      {long && !whole && (
        <Button className="self-start" onClick={() => setWhole(true)}>
          Show all {number(lines.length)} lines
        </Button>
      )}
    </>
  );
}

function outcome(use: ToolUse) {
  if (use.exit !== undefined)
    return { tone: use.exit === 0 ? ("done" as const) : ("failed" as const), word: `exit ${use.exit}` };
  return use.failed
    ? { tone: "failed" as const, word: failureWord(use.text) }
    : { tone: "done" as const, word: "done" };
}

/** One call of a tool in a line; opened, what it was given and what came back. */
export function ToolUseView({ use, at }: { use: ToolUse; at: boolean }) {
  const [open, setOpen] = useState(false);
  const input = JSON.stringify(use.input, null, 2) ?? "";
  return (
    <li data-entry="tool" {...reached(at)} className={cx("px-4 py-1.5", at && REACHED)}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="min-h-6 cursor-pointer rounded-control">
          <span className="inline-flex w-[calc(100%-20px)] min-w-0 items-center gap-2 align-top">
            <Wrench size={13} aria-hidden className="shrink-0 text-fg-3" />
            <bdi className="max-w-[40%] shrink-0 truncate font-mono text-small font-[550]">
              {visible(use.name)}
            </bdi>
            <bdi className="min-w-0 flex-1 truncate font-mono text-small text-fg-2">
              {visible(use.target)}
            </bdi>
            <Status {...outcome(use)} className="text-small" />
            <span className="shrink-0 text-small text-fg-3 max-sm:hidden">{duration(use.ms)}</span>
          </span>
        </summary>
        {open && (
          <div className="mt-1.5 mb-1 flex flex-col gap-1.5">
            <Output text={input} what={`input of ${visible(use.name)}`} />
            <Output text={use.text} what={`output of ${visible(use.name)}`} />
            <CopyButton
              className="self-start"
              label="Copy as JSON"
              text={JSON.stringify({
                tool: use.name,
                arguments: use.input,
                text: use.text,
                exit_code: use.exit,
              })}
            />
          </div>
        )}
      </details>
    </li>
  );
}
