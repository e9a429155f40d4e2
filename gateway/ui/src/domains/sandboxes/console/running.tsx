import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Owner } from "~/api/sandboxes";
import { Button } from "~/ui/button";
import { asked } from "~/ui/operation";
import { Status } from "~/ui/status";
import { span, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import type { Entry } from "./entries";
import { cancel } from "./exec";
import { runningQuery, type Command } from "./history";

function Line({
  owner,
  one,
  mayUse,
  onShell,
}: {
  owner: Owner;
  one: Command;
  mayUse: boolean;
  onShell: Props["onShell"];
}) {
  const [busy, setBusy] = useState(false);
  const now = useNow();
  const { text, code } = asked({ ...one, kind: "sb_exec", request: { tty: one.is_shell } });
  const who = one.user?.name || one.user?.email || one.agent?.name || "Roost";
  const stop = () => {
    setBusy(true);
    void cancel(owner, one.id).catch(() => setBusy(false));
  };
  return (
    <li className="flex items-center gap-3 py-0.5 text-small">
      <Status tone="running" word="Running" compact />
      <code className="min-w-0 flex-1 truncate font-mono">{visible(code ?? text)}</code>
      <span className="min-w-0 truncate text-fg-3 max-sm:hidden">
        <bdi>{visible(who)}</bdi>, {span(now - new Date(one.started_at ?? one.created_at).getTime())}
      </span>
      {one.is_shell && (
        <Button className="h-6 text-small" onClick={() => onShell(one.id)}>
          Open
        </Button>
      )}
      {mayUse && (
        <Button className="h-6 text-small" busy={busy || one.cancelling} onClick={stop}>
          Cancel
        </Button>
      )}
    </li>
  );
}

interface Props {
  owner: Owner;
  mayUse: boolean;
  /** The newest commands: they show by themselves that they run. */
  shown: Entry[];
  onShell: (op: string) => void;
}

/** The commands that run and are not among the newest: an earlier one, or that of an agent hours ago. */
export function RunningElsewhere({ owner, mayUse, shown, onShell }: Props) {
  const running = useQuery(runningQuery(owner)).data ?? [];
  const visibleOnes = new Set(shown.map(({ op }) => op));
  const others = running.filter(({ id }) => !visibleOnes.has(id));
  if (others.length === 0) return null;
  return (
    <ul
      aria-label="Still running"
      className="max-h-28 overflow-y-auto border-b border-line bg-surface px-4 py-1"
    >
      {others.map((one) => (
        <Line key={one.id} owner={owner} one={one} mayUse={mayUse} onShell={onShell} />
      ))}
    </ul>
  );
}
