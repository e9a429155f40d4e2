import { Link } from "@tanstack/react-router";
import { ChevronRight, Copy, Download, Search } from "lucide-react";
import { useRef, useState, type RefObject } from "react";
import type { Owner } from "~/api/sandboxes";
import { asProblem, type Problem } from "~/api/problem";
import { Button, IconButton } from "~/ui/button";
import { bytes } from "~/ui/bytes";
import { cx, textLink } from "~/ui/class";
import { toClipboard } from "~/ui/copy";
import { asked, ended } from "~/ui/operation";
import { ProblemNote } from "~/ui/problem";
import { Status, type Tone } from "~/ui/status";
import { Ago, duration, span, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import type { Entry } from "./entries";
import { cancel } from "./exec";
import { useFind } from "./find";
import type { Command } from "./history";
import { OutputText } from "./output-view";
import { fileOf, textOf, useOutput, type Output } from "./outputs";

function stateOf({ command, problem }: Entry, { exit, problem: unread, linked }: Output) {
  const tone = (tone: Tone, word: string) => ({ tone, word });
  if (problem) return tone("failed", "Refused");
  const state = exit?.state ?? command?.state;
  if (!state) return tone("running", "Starting");
  if (state === "pending" || state === "running")
    return linked && !unread ? tone("running", "Running") : tone("warning", "Reconnecting");
  const code = exit?.code ?? command?.exit_code;
  const detail = exit?.detail ?? command?.detail;
  // Cancelled, lost, timed out: there is no exit code, or it is that of the kill.
  if (code === null || code === undefined || state === "cancelled" || state === "lost")
    return ended({ kind: "sb_exec", state, ...(detail ? { detail } : {}) });
  return tone(code === 0 ? "done" : "failed", `Exit ${code}`);
}

function Elapsed({ since }: { since: string }) {
  return <span>{span(useNow() - new Date(since).getTime())}</span>;
}

/** Who ran it, and for which run. */
function Who({ command, me }: { command: Command; me: string | undefined }) {
  const { user, agent, run_id: run, step } = command;
  return (
    <span className="flex min-w-0 flex-wrap gap-x-2">
      {user && <bdi>{user.id === me ? "You" : visible(user.name || user.email)}</bdi>}
      {agent && (
        <Link to="/claws/$id" params={{ id: agent.id }} className={textLink}>
          <bdi>{agent.name ? visible(agent.name) : "a deleted agent"}</bdi>
        </Link>
      )}
      {!user && !agent && <span>Roost</span>}
      {run && (
        <Link to="/runs/$id" params={{ id: run }} className={textLink}>
          {step ? `run, ${step}` : "run"}
        </Link>
      )}
    </span>
  );
}

function download(op: string) {
  const url = URL.createObjectURL(fileOf(op));
  const link = document.createElement("a");
  link.href = url;
  link.download = `command-${op}.txt`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function Find({
  place,
  content,
  onClose,
}: {
  place: RefObject<HTMLElement | null>;
  content: unknown;
  onClose: () => void;
}) {
  const [text, setText] = useState("");
  const { count, at, go } = useFind(place, text, content);
  return (
    <div role="search" className="mt-1.5 flex flex-wrap items-center gap-2 text-small">
      <input
        aria-label="Find in this output"
        placeholder="Find in this output"
        value={text}
        autoComplete="off"
        spellCheck="false"
        ref={(element) => void (text === "" && element?.focus())}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") onClose();
        }}
        className="h-7 w-56 rounded-control border border-line-strong/60 bg-canvas px-2 text-fg"
      />
      <span role="status" className="text-fg-3">
        {text === "" ? "" : count === 0 ? "No matches" : `${at + 1} of ${count}`}
      </span>
      <Button className="h-6 text-small" look="quiet" disabled={count === 0} onClick={() => go(1)}>
        Next
      </Button>
      <Button className="h-6 text-small" look="quiet" onClick={onClose}>
        Close
      </Button>
    </div>
  );
}

interface Props {
  owner: Owner;
  entry: Entry;
  me: string | undefined;
  mayUse: boolean;
  /** Its output is read at once, without a press. */
  opens: boolean;
  onEnd: () => void;
  onShell: (op: string) => void;
}

/** One command: who ran it, how it ended, and what it wrote. */
export function RunView({ owner, entry, me, mayUse, opens, onEnd, onShell }: Props) {
  const { op, command } = entry;
  const [pressed, setPressed] = useState<boolean>();
  const [finding, setFinding] = useState(false);
  const [cancelling, setCancelling] = useState(false);
  const [failure, setFailure] = useState<Problem>();
  const place = useRef<HTMLPreElement>(null);
  const isShell = command?.is_shell ?? false;
  const open = !isShell && (pressed ?? opens);
  const output = useOutput(owner, op, open, onEnd);
  const { tone, word } = stateOf(entry, output);
  const state = output.exit?.state ?? command?.state;
  const over =
    entry.problem !== undefined || (state !== undefined && state !== "pending" && state !== "running");
  const { text, code } = command
    ? asked({ ...command, kind: "sb_exec", request: { tty: isShell } })
    : { text: "Command", code: entry.text };
  const said =
    command?.tool && command.tool !== "shell" ? `${text}${code ? ` ${code}` : ""}` : (code ?? text);
  const stop = async () => {
    if (!op) return;
    setCancelling(true);
    setFailure(undefined);
    try {
      await cancel(owner, op);
    } catch (error) {
      setCancelling(false);
      setFailure(asProblem(error));
    }
  };
  const took = output.exit?.duration_ms ?? command?.duration_ms;
  const detail = output.exit?.detail ?? command?.detail;
  const lost = state === "lost" && !detail;
  const size = command?.output_bytes ?? 0;
  return (
    <article aria-label={said} className="border-b border-line/70 px-4 pb-2.5 last:border-0">
      <header className="sticky top-0 z-10 -mx-4 bg-sunken px-4 pt-2.5 pb-1">
        <div className="flex items-start gap-2">
          {!isShell && (
            <button
              type="button"
              aria-expanded={open}
              aria-label={open ? "Hide the output" : "Show the output"}
              onClick={() => setPressed(!open)}
              className="mt-0.5 -ml-1.5 rounded-control p-0.5 text-fg-3 hover:text-fg pointer-coarse:p-3"
            >
              <ChevronRight
                size={14}
                aria-hidden
                className={cx("transition-transform", open && "rotate-90")}
              />
            </button>
          )}
          <code className="line-clamp-6 min-w-0 flex-1 font-mono text-small break-words whitespace-pre-wrap">
            <span className={tone === "failed" ? "text-failed" : "text-accent"} aria-hidden>
              ${" "}
            </span>
            {visible(said)}
          </code>
          <span className="flex shrink-0 items-center gap-2 text-small text-fg-3">
            {over ? duration(took) : <Elapsed since={entry.at} />}
            <Status tone={tone} word={word} className={cx(!over && "pulse")} />
            {!over && isShell && op && (
              <Button className="h-6 text-small" onClick={() => onShell(op)}>
                Open
              </Button>
            )}
            {!over && op && mayUse && (
              <Button
                className="h-6 text-small"
                title="Stop the command and everything that it started (Ctrl C)"
                busy={cancelling || (command?.cancelling ?? false)}
                onClick={() => void stop()}
              >
                Cancel
              </Button>
            )}
          </span>
        </div>
        <div className="flex min-h-7 items-center justify-between gap-2 pl-4 text-small text-fg-3">
          <span className="flex min-w-0 flex-wrap gap-x-3">
            {command && <Who command={command} me={me} />}
            <Ago at={entry.at} />
            {!open && size > 0 && <span>{bytes(size)} of output</span>}
          </span>
          {op && open && output.blocks.length > 0 && (
            <span className="flex shrink-0 gap-1">
              <IconButton label="Find in this output" onClick={() => setFinding(!finding)}>
                <Search size={14} aria-hidden />
              </IconButton>
              <IconButton label="Copy the output" onClick={() => void toClipboard(textOf(op))}>
                <Copy size={14} aria-hidden />
              </IconButton>
              <IconButton label="Download the output" onClick={() => download(op)}>
                <Download size={14} aria-hidden />
              </IconButton>
            </span>
          )}
        </div>
        {finding && open && <Find place={place} content={output.blocks} onClose={() => setFinding(false)} />}
      </header>
      {open && <OutputText output={output} place={place} />}
      {detail && <p className="mt-1 pl-4 text-small break-words text-fg-2">{visible(detail)}</p>}
      {lost && (
        <p className="mt-1 pl-4 text-small text-fg-2">
          The result is unknown: the machine disconnected and did not report it.
        </p>
      )}
      {(entry.problem ?? failure ?? output.problem) && (
        <ProblemNote problem={(entry.problem ?? failure ?? output.problem)!} className="mt-2" />
      )}
    </article>
  );
}
