import { ChevronRight, CircleHelp } from "lucide-react";
import type { Actor } from "~/api/types";
import { DASH, number } from "~/ui/bytes";
import { IconButton } from "~/ui/button";
import { cx } from "~/ui/class";
import { Status, type Tone } from "~/ui/status";
import { sentence } from "~/ui/sentence";
import { table } from "~/ui/table";
import { Ago, duration, span, useNow } from "~/ui/time";
import type { ActorLine } from "./flatten";
import { Spark } from "./spark";

const TONES: Record<string, Tone> = {
  running: "running",
  starting: "moving",
  restarting: "moving",
  stopping: "moving",
  backing_off: "waiting",
  stopped: "paused",
  failed: "failed",
  "no answer": "warning",
};

/** What waits: messages for an actor, or for the reader of a stream, and how far that is behind. */
function Waiting({ actor: { mailbox, lag } }: { actor: Actor }) {
  if (lag) {
    return (
      <span className={cx(lag.events > 0 ? "text-waiting" : "text-fg-2")}>
        {number(lag.waiting)}
        {lag.events > 0 && ` (${number(lag.events)} behind)`}
      </span>
    );
  }
  if (!mailbox || mailbox.len === null || mailbox.len === undefined)
    return <span className="text-fg-3">{DASH}</span>;
  const old = mailbox.oldest_ms ?? 0;
  return (
    <span className={cx(old > 1000 ? "text-waiting" : "text-fg-2")}>
      {number(mailbox.len)}
      {mailbox.len > 0 && old > 0 && ` (${duration(old)})`}
    </span>
  );
}

interface Props {
  row: ActorLine;
  /** It left the tree while somebody was reading; it stays, struck through, until they leave. */
  gone: boolean;
  /** What it handled in the last minute, oldest first. */
  minute: number[];
  focusable: boolean;
  /** An Owner is told only that supervisors on the way to the own actors live, and nothing of what they did. */
  untold: boolean;
  onFocus: () => void;
  onToggle: () => void;
  onExplain: () => void;
}

/** A name with its id cut in the middle; whole ids would push the figures out of sight. The title has all of it. */
export const shortName = (name: string) =>
  name.replace(/\b([0-9a-f]{8})-[0-9a-f-]{23}([0-9a-f]{4})\b/g, "$1…$2");

export function ActorRow({ row, gone, minute, focusable, untold, onFocus, onToggle, onExplain }: Props) {
  const { actor, depth, open } = row;
  const now = useNow();
  const up = actor.started_at ? now - Date.parse(actor.started_at) : undefined;
  const fresh = (actor.restarts ?? 0) > 0 && up !== undefined && up < 60_000;
  const parent = actor.children.length > 0;
  return (
    <tr
      aria-level={depth + 1}
      aria-posinset={row.place}
      aria-setsize={row.siblings}
      aria-expanded={parent ? open : undefined}
      tabIndex={focusable ? 0 : -1}
      onFocus={onFocus}
      className={cx(
        table.row,
        "group focus-visible:-outline-offset-2",
        fresh && "bg-waiting/8",
        actor.state === "failed" && "bg-failed/8",
        gone && "line-through opacity-60",
      )}
    >
      <td className={cx(table.cell, "md:min-w-56")}>
        <div className="flex items-center gap-1" style={{ paddingLeft: depth * 16 }}>
          {parent ? (
            <button
              type="button"
              tabIndex={-1}
              aria-label={`${open ? "Close" : "Open"} ${actor.name}`}
              onClick={onToggle}
              className="inline-flex size-6 shrink-0 items-center justify-center rounded-control text-fg-3 hover:text-fg"
            >
              <ChevronRight
                size={14}
                aria-hidden
                className={cx("transition-transform duration-120", open && "rotate-90")}
              />
            </button>
          ) : (
            <span className="w-6 shrink-0" />
          )}
          <span className="min-w-0 whitespace-nowrap max-sm:max-w-[38vw] max-sm:truncate" title={actor.id}>
            <span className="font-[550]">{shortName(actor.name)}</span>
            <span className="ml-2 text-small text-fg-3 max-md:hidden">
              {[actor.kind !== actor.name && actor.kind, actor.serves].filter(Boolean).join(" · ")}
            </span>
          </span>
          <IconButton
            label={`Explain ${actor.name}`}
            onClick={onExplain}
            className="ml-auto size-6 opacity-0 group-hover:opacity-100 group-focus:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100"
          >
            <CircleHelp size={13} aria-hidden />
          </IconButton>
        </div>
      </td>
      <td className={table.cell}>
        <Status
          tone={gone ? "idle" : (TONES[actor.state] ?? "idle")}
          word={gone ? "Gone" : sentence(actor.state)}
        />
      </td>
      <td className={cx(table.cell, "text-right whitespace-nowrap max-sm:hidden")}>
        <Waiting actor={actor} />
      </td>
      <td className={cx(table.cell, "text-right text-fg-2 max-md:hidden")}>
        {untold ? DASH : number(actor.handled)}
      </td>
      <td className={cx(table.cell, "text-right max-lg:hidden")}>
        {untold ? <span className="text-fg-3">{DASH}</span> : <Spark values={minute} />}
      </td>
      <td
        className={cx(
          table.cell,
          "text-right max-sm:hidden",
          (actor.restarts ?? 0) > 0 ? "text-waiting" : "text-fg-2",
        )}
      >
        {untold ? DASH : number(actor.restarts)}
      </td>
      <td className={cx(table.cell, "text-right whitespace-nowrap text-fg-2 max-md:hidden")}>
        {up === undefined ? DASH : span(up)}
      </td>
      <td className={cx(table.cell, "max-w-80 text-small text-fg-2 max-xl:hidden")}>
        {actor.last_failure ? (
          <span className="block truncate" title={actor.last_failure.text}>
            <Ago at={actor.last_failure.at} />: {actor.last_failure.text}
          </span>
        ) : (
          <span className="text-fg-3">{untold ? DASH : "none"}</span>
        )}
      </td>
    </tr>
  );
}
