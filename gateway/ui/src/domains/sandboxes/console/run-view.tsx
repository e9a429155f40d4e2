import { memo } from "react";
import type { Owner } from "~/api/sandboxes";
import { Button } from "~/ui/button";
import { bytes } from "~/ui/bytes";
import { cx } from "~/ui/class";
import { ended } from "~/ui/operation";
import { ProblemNote } from "~/ui/problem";
import { Status, type Tone } from "~/ui/status";
import { duration, span, useNow } from "~/ui/time";
import type { Block } from "./output";
import { cancelRun, type Run } from "./runs";

const OutputBlock = memo(function OutputBlock({ block }: { block: Block }) {
  if (block.kind === "gap") {
    return (
      <div className="my-1 border-y border-dashed border-line-strong/50 py-0.5 text-fg-3">
        {bytes(block.to - block.from)} of output are no longer kept
      </div>
    );
  }
  return <span className={cx(block.stream === "stderr" && "text-waiting")}>{block.text}</span>;
});

function stateOf(run: Run): { tone: Tone; word: string } {
  const { exit } = run;
  if (run.problem) return { tone: "failed", word: "Refused" };
  if (!exit)
    return run.linked
      ? { tone: "running", word: run.state === "starting" ? "Starting" : "Running" }
      : { tone: "warning", word: "Reconnecting" };
  const { code, state, detail } = exit;
  // Cancelled, lost, timed out: there is no exit code, or it is that of the kill.
  if (code === null || code === undefined || state === "cancelled" || state === "lost")
    return ended({ kind: "sb_exec", state, ...(detail ? { detail } : {}) });
  return { tone: code === 0 ? "done" : "failed", word: `Exit ${code}` };
}

function Elapsed({ since }: { since: number }) {
  return <span>{span(useNow() - since)}</span>;
}

/** One command and everything it said. */
export function RunView({ owner, run }: { owner: Owner; run: Run }) {
  const { tone, word } = stateOf(run);
  const over = run.exit !== undefined || run.problem !== undefined;
  return (
    <article aria-label={run.command} className="border-b border-line/70 px-4 py-2.5 last:border-0">
      <header className="flex items-start gap-3">
        <code className="min-w-0 flex-1 font-mono text-small break-words whitespace-pre-wrap">
          <span className="text-accent select-none" aria-hidden>
            ${" "}
          </span>
          {run.command}
        </code>
        <span className="flex shrink-0 items-center gap-2 text-small text-fg-3">
          {over ? run.exit && duration(run.exit.duration_ms) : <Elapsed since={run.startedAt} />}
          <Status tone={tone} word={word} className={cx(!over && "pulse")} />
          {!over && run.op && (
            <Button
              className="h-6 text-small"
              busy={run.cancelling}
              onClick={() => void cancelRun(owner, run)}
            >
              Cancel
            </Button>
          )}
        </span>
      </header>
      {run.dropped > 0 && (
        <p className="mt-1 text-small text-fg-3">
          The page does not show the first {bytes(run.dropped)}, so that it stays fast.
        </p>
      )}
      {run.blocks.length > 0 && (
        <pre className="mt-1.5 font-mono text-[12px] leading-[18px] break-all whitespace-pre-wrap text-fg-2">
          {run.blocks.map((block) => (
            <OutputBlock key={block.id} block={block} />
          ))}
        </pre>
      )}
      {run.exit?.truncated && (
        <p className="mt-1 text-small text-waiting">
          The output was longer than the limit. The rest was not kept.
        </p>
      )}
      {run.exit?.detail && <p className="mt-1 text-small text-fg-2">{run.exit.detail}</p>}
      {run.exit?.state === "lost" && !run.exit.detail && (
        <p className="mt-1 text-small text-fg-2">
          The result is unknown: the machine disconnected and did not report it.
        </p>
      )}
      {run.problem && <ProblemNote problem={run.problem} className="mt-2" />}
    </article>
  );
}
