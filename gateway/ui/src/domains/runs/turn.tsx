import { MessageSquare } from "lucide-react";
import { number } from "~/ui/bytes";
import { cx } from "~/ui/class";
import { Demonstration } from "~/ui/demonstration";
import { Markdown } from "~/ui/markdown/markdown";
import { money } from "~/ui/run-state";
import { Status } from "~/ui/status";
import { duration } from "~/ui/time";
import { visible } from "~/ui/visible";
import type { Heard, Turn } from "./transcript";

const LONG = 400;

/** An entry that somebody asked for takes the focus, and is marked while it has it. */
export const reached = (at: boolean) => (at ? { tabIndex: -1, "data-at": true } : {});
export const REACHED = "outline-2 -outline-offset-2 outline-accent";

/** What was thought: quieter than what is said, and folded once it is over and long. */
function Thought({ text, live }: { text: string; live: boolean }) {
  const body = (
    <p
      dir="auto"
      className="border-l-2 border-line-strong/50 pl-2.5 break-words whitespace-pre-wrap text-fg-3 italic"
    >
      {visible(text.trim())}
    </p>
  );
  if (live || text.length < LONG) return body;
  return (
    <details>
      <summary className="min-h-6 cursor-pointer rounded-control text-small text-fg-3">
        Thought, {number(text.length)} characters
      </summary>
      {body}
    </details>
  );
}

/** What a person said to the run. */
export function HeardView({ heard, at }: { heard: Heard; at: boolean }) {
  return (
    <li data-entry="heard" {...reached(at)} className={cx("px-4 py-2", at && REACHED)}>
      <div className="rounded-control border border-accent/40 bg-accent/8 px-3 py-2">
        <p className="flex items-center gap-1.5 text-small text-fg-2">
          <MessageSquare size={14} aria-hidden />
          Message from <bdi>{visible(heard.by)}</bdi>
        </p>
        <p dir="auto" className="break-words whitespace-pre-wrap">
          {visible(heard.text)}
        </p>
      </div>
    </li>
  );
}

/** One turn of a model: what was thought, said, and which call it writes. */
export function TurnView({ turn, at }: { turn: Turn; at: boolean }) {
  const about = [
    turn.model,
    turn.ms !== undefined && duration(turn.ms),
    turn.tokens !== undefined && `${number(turn.tokens)} tokens`,
    turn.cost !== undefined && turn.cost > 0 && money(turn.cost),
  ].filter(Boolean);
  return (
    <li
      data-entry={turn.live ? "live" : "turn"}
      {...reached(at)}
      className={cx("flex flex-col gap-1 px-4 py-2", at && REACHED)}
    >
      {turn.think.trim() !== "" && <Thought text={turn.think} live={turn.live} />}
      {turn.say.trim() !== "" &&
        (turn.live || turn.failed ? (
          // Markdown that is still being written changes its form with each piece.
          <p dir="auto" className={cx("break-words whitespace-pre-wrap", turn.failed && "text-failed")}>
            {visible(turn.say.trim())}
          </p>
        ) : (
          <Markdown text={turn.say.trim()} what="the words" />
        ))}
      {turn.writing.trim() !== "" && (
        <p
          dir="auto"
          className="rounded-control bg-sunken px-2 py-1 font-mono text-small break-all whitespace-pre-wrap text-fg-2"
        >
          {visible(turn.writing.slice(-600))}
        </p>
      )}
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-small text-fg-3">
        {turn.live && <Status tone="running" word="speaking" />}
        {turn.failed && <Status tone="failed" word="failed" />}
        {turn.demonstration && <Demonstration />}
        {about.length > 0 && <bdi>{visible(about.join(", "))}</bdi>}
      </p>
    </li>
  );
}
