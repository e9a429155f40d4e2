import { gatewayNow } from "~/api/clock";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowDown } from "lucide-react";
import { useState, type KeyboardEvent, type ReactNode } from "react";
import { meQuery } from "~/api/me";
import type { Owner } from "~/api/sandboxes";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { FilterField } from "~/ui/filter-field";
import { useFollow } from "~/ui/follow";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { renew } from "~/live/renew";
import { CommandLine } from "./command-line";
import { entriesOf, type Entry } from "./entries";
import { cancel } from "./exec";
import { historyQuery, keyOf } from "./history";
import { RunningElsewhere } from "./running";
import { RunView } from "./run-view";
import { closeInput, run, useStarted, write } from "./started";
import { type, useTyped } from "./typed";

/** How many of the newest commands show their output at once. Each reads it from the gateway. */
const OPEN = 4;

interface Props {
  owner: Owner;
  mayUse: boolean;
  blocked: ReactNode;
  head: ReactNode;
  onShell: (op: string) => void;
}

/** Whether a command has not ended, as far as the gateway has told. */
const isOpen = ({ command, problem }: Entry) =>
  !problem && (!command || command.state === "pending" || command.state === "running");

/** The commands of everybody in this sandbox, oldest first, each with its own output and end. */
export function Commands({ owner, mayUse, blocked, head, onShell }: Props) {
  const client = useQueryClient();
  const me = useQuery(meQuery).data?.user.id;
  const { text, cwd, since, q, failed } = useTyped(owner.id);
  const history = useInfiniteQuery(historyQuery(owner, { q: q.trim(), failed }));
  const listed = history.data?.pages.flatMap(({ items }) => items) ?? [];
  const started = useStarted(owner);
  const filtered = q.trim() !== "" || failed;
  const entries = entriesOf(listed, filtered ? [] : started, filtered ? undefined : since);
  const { box, onScroll, following, jump } = useFollow<HTMLDivElement>(history.data ?? started);
  const [opened] = useState(() => new Set<string>());
  const mine = new Set(started.map(({ key }) => key));
  const current = entries.findLast(
    (one) => isOpen(one) && !one.command?.is_shell && (!one.command || one.command.user?.id === me),
  );
  const renewAll = () => void renew(client, { queryKey: keyOf(owner) });
  // What a command showed stays on screen when newer ones arrive below it.
  for (const { key } of entries.slice(-OPEN)) opened.add(key);

  const start = (command: string) => {
    jump();
    const where = cwd.trim();
    const body = { argv: ["/bin/sh", "-c", command], ...(where ? { cwd: where } : {}) };
    void run(owner, command, body, renewAll);
  };
  // A selection is copied, as everywhere else.
  const keys = (event: KeyboardEvent) => {
    const isCancel = event.ctrlKey && !event.shiftKey && !event.altKey && event.key === "c";
    if (!isCancel || !current?.op || !mayUse || `${window.getSelection() ?? ""}` !== "") return;
    const field = event.target;
    if (field instanceof HTMLInputElement && field.selectionStart !== field.selectionEnd) return;
    event.preventDefault();
    void cancel(owner, current.op).catch(renewAll);
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="flex min-h-0 flex-1 flex-col" onKeyDown={keys}>
      <div className="flex flex-wrap items-center gap-2 border-b border-line bg-surface px-3 py-1.5">
        {head}
        <FilterField
          label="Filter"
          value={q}
          onChange={(next) => type(owner.id, { q: next })}
          className="max-w-44"
        />
        <Button
          look={failed ? "plain" : "quiet"}
          aria-pressed={failed}
          onClick={() => type(owner.id, { failed: !failed })}
        >
          Failed
        </Button>
        <Button
          look="quiet"
          disabled={entries.length === 0 || filtered}
          title="Hide these commands here. The gateway keeps them."
          onClick={() => type(owner.id, { since: new Date(gatewayNow()).toISOString() })}
        >
          Clear
        </Button>
      </div>
      <RunningElsewhere owner={owner} mayUse={mayUse} shown={entries.slice(-OPEN)} onShell={onShell} />
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
          {history.isPending && <Loading what="the commands" rows={3} />}
          {history.isError && !history.data && (
            <Failed error={history.error} retry={() => void history.refetch()} />
          )}
          {(history.hasNextPage || (since !== undefined && !filtered && listed.length > 0)) && (
            <div className="border-b border-line/70 px-4 py-2">
              <Button
                look="quiet"
                busy={history.isFetchingNextPage}
                onClick={() =>
                  since !== undefined && !filtered
                    ? type(owner.id, { since: undefined })
                    : void history.fetchNextPage()
                }
              >
                Show earlier commands
              </Button>
            </div>
          )}
          {history.isSuccess && entries.length === 0 && (
            <p className="px-4 py-6 text-fg-3">
              {filtered
                ? "No commands match this filter."
                : blocked
                  ? "No command has run here."
                  : "Each command runs by itself with /bin/sh -c, as an ordinary user, inside the sandbox. For interactive programs, use Shell."}
            </p>
          )}
          {entries.map((one) => (
            <RunView
              key={one.key}
              owner={owner}
              entry={one}
              me={me}
              mayUse={mayUse}
              opens={opened.has(one.key) || mine.has(one.key)}
              onEnd={renewAll}
              onShell={onShell}
            />
          ))}
        </div>
        {!following && (
          <Button
            className="absolute right-4 bottom-3 z-20 shadow-float"
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
        <>
          <CommandLine
            running={current !== undefined}
            text={text}
            onText={(next) => type(owner.id, { text: next })}
            history={entries.flatMap(({ text, command }) => (command?.tool || text === "" ? [] : [text]))}
            onCommand={start}
            onInput={(text) => current && write(owner, current, text)}
            onEnd={() => current && closeInput(owner, current)}
          />
          <label
            className={cx(
              "flex min-w-0 items-center gap-2 border-t border-line bg-surface px-4 py-1 text-small text-fg-3 max-sm:hidden",
            )}
          >
            Run in
            <input
              value={cwd}
              onChange={(event) => type(owner.id, { cwd: event.target.value })}
              placeholder="the workspace"
              spellCheck="false"
              autoComplete="off"
              className="h-6 w-64 bg-transparent font-mono text-small text-fg"
            />
          </label>
        </>
      )}
    </div>
  );
}
