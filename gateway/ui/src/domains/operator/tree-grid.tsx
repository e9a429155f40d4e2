import { useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { Actor, Tree } from "~/api/types";
import { api } from "~/api/client";
import { cx } from "~/ui/class";
import { Confirm } from "~/ui/dialog";
import { Empty } from "~/ui/empty";
import { table } from "~/ui/table";
import { ActorRow } from "./actor-row";
import { flatten } from "./flatten";

const HEADS: [string, string][] = [
  ["Actor", ""],
  ["State", ""],
  ["Mailbox", "text-right"],
  ["Handled", "text-right max-md:hidden"],
  ["Restarts", "text-right max-sm:hidden"],
  ["Up for", "text-right max-md:hidden"],
  ["Last failure", "max-xl:hidden"],
];

/** Arrow keys move, right opens, left closes or goes to the parent, Home and End jump. */
export function TreeGrid({ tree, query, mayRestart }: { tree: Tree; query: string; mayRestart: boolean }) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [current, setCurrent] = useState(tree.root.id);
  const [restart, setRestart] = useState<Actor>();
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = useMemo(() => flatten(tree.root, chosen, query), [tree, chosen, query]);
  const index = Math.max(
    0,
    rows.findIndex((row) => row.actor.id === current),
  );

  const toggle = (id: string, open: boolean) => setChosen((before) => new Map(before).set(id, open));
  const go = (to: number) => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, to))];
    if (!row) return;
    setCurrent(row.actor.id);
    body.current?.querySelectorAll<HTMLElement>("tr")[rows.indexOf(row)]?.focus();
  };
  const keys = (event: KeyboardEvent) => {
    const row = rows[index];
    if (!row || !(event.target instanceof HTMLTableRowElement)) return;
    const parent = rows.findIndex((one) => one.actor.id === row.parent);
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(index + 1),
      ArrowUp: () => go(index - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => (row.open ? go(index + 1) : toggle(row.actor.id, true)),
      ArrowLeft: () => (row.open ? toggle(row.actor.id, false) : parent >= 0 && go(parent)),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };

  if (rows.length === 0)
    return <Empty title="No actor fits">Nothing in the tree is named like “{query}”.</Empty>;
  return (
    <div className={cx(table.wrap, "rounded-panel border border-line bg-surface")}>
      {/* A treegrid is a table by markup; only the role makes its levels known. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role */}
      <table role="treegrid" aria-label="Supervision tree" className={table.root} onKeyDown={keys}>
        <thead>
          <tr>
            {HEADS.map(([name, extra]) => (
              <th key={name} scope="col" className={cx(table.head, extra)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row, at) => (
            <ActorRow
              key={row.actor.id}
              row={row}
              focusable={at === index}
              onFocus={() => setCurrent(row.actor.id)}
              onToggle={() => toggle(row.actor.id, !row.open)}
              onRestart={mayRestart && row.depth > 0 ? () => setRestart(row.actor) : undefined}
            />
          ))}
        </tbody>
      </table>
      <p className="border-t border-line px-4 py-2 text-small text-fg-3">
        Each line is watched by the one it is indented under. A mailbox shows how many messages wait and how
        old the oldest is. Whoever failed for good stays in the list.
      </p>
      <Confirm
        open={restart !== undefined}
        onClose={() => setRestart(undefined)}
        look="primary"
        title={`Restart ${restart?.name ?? ""}?`}
        consequence="It is stopped within its grace and started again, and everything below it with it. The restart is written to the audit."
        action="Restart"
        run={() => api.post(`/api/ops/actors/${encodeURIComponent(restart?.id ?? "")}/restart`)}
      />
    </div>
  );
}
