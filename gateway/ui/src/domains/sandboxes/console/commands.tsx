import { ArrowDown } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import type { Owner } from "~/api/sandboxes";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { useFollow } from "~/ui/follow";
import { CommandLine } from "./command-line";
import { RunView } from "./run-view";
import { attach, clear, closeInput, restore, run, useRunsOf, write } from "./runs";
import { type, useTyped } from "./typed";

interface Props {
  owner: Owner;
  blocked: ReactNode;
  head: ReactNode;
}

/** Commands one after another, each with its own output and end. */
export function Commands({ owner, blocked, head }: Props) {
  const runs = useRunsOf(owner);
  const { text, cwd } = useTyped(owner.id);
  const { box, onScroll, following, jump } = useFollow<HTMLDivElement>(runs);
  const current = runs.find((one) => !one.exit && !one.problem);
  const finished = runs.some((one) => one.exit || one.problem);

  const { kind, id } = owner;
  useEffect(() => {
    restore({ kind, id });
    return attach({ kind, id });
  }, [kind, id]);

  const start = (command: string) => {
    jump();
    const where = cwd.trim();
    void run(owner, command, { argv: ["/bin/sh", "-c", command], ...(where ? { cwd: where } : {}) });
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line bg-surface px-3 py-1.5">
        {head}
        <label
          className={cx(
            "flex min-w-0 items-center gap-2 text-small text-fg-3 max-sm:hidden",
            Boolean(blocked) && "hidden",
          )}
        >
          Run in
          <input
            value={cwd}
            onChange={(event) => type(owner.id, { cwd: event.target.value })}
            placeholder="the workspace"
            spellCheck="false"
            autoComplete="off"
            className="h-7 w-44 rounded-control border border-line-strong/60 bg-canvas px-2 font-mono text-small text-fg"
          />
        </label>
        <Button look="quiet" disabled={!finished} onClick={() => clear(owner)}>
          Clear
        </Button>
      </div>
      <div className="relative flex min-h-0 flex-1 flex-col">
        <div
          ref={box}
          onScroll={onScroll}
          role="log"
          aria-label="Output"
          aria-live="off"
          tabIndex={0}
          className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2"
        >
          {runs.length === 0 && !blocked && (
            <p className="px-4 py-6 text-fg-3">
              Each command runs by itself with <code className="font-mono text-small">/bin/sh -c</code>, as an
              ordinary user, inside the sandbox. For interactive programs, use Shell.
            </p>
          )}
          {runs.map((one) => (
            <RunView key={one.key} owner={owner} run={one} />
          ))}
        </div>
        {!following && (
          <Button
            className="absolute right-4 bottom-3 shadow-float"
            icon={<ArrowDown size={14} aria-hidden />}
            onClick={jump}
          >
            Jump to latest
          </Button>
        )}
      </div>
      {blocked ? (
        <div className="border-t border-line bg-surface px-4 py-3">{blocked}</div>
      ) : (
        <CommandLine
          running={current !== undefined}
          text={text}
          onText={(next) => type(owner.id, { text: next })}
          history={runs.map((one) => one.command)}
          onCommand={start}
          onInput={(text) => current && write(current.key, text)}
          onEnd={() => current && closeInput(current.key)}
        />
      )}
    </div>
  );
}
