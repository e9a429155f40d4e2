import { useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { Actor, Tree } from "~/api/types";
import { api } from "~/api/client";
import { type Heading, TableFrame } from "~/ui/data-table";
import { Confirm } from "~/ui/dialog";
import { Empty } from "~/ui/empty";
import { useRowOrder } from "~/ui/row-order";
import { RowOrderNote } from "~/ui/row-order-note";
import { table } from "~/ui/table";
import { useNow } from "~/ui/time";
import { ActorRow } from "./actor-row";
import type { Rates } from "./apply";
import { ExplainDialog } from "./explain";
import { flatten, MOST_SIBLINGS, type TreeFilter } from "./flatten";
import { GroupRow } from "./group-row";

const HEADS: Heading[] = [
  { name: "Actor" },
  { name: "State" },
  { name: "Mailbox", look: "text-right max-sm:hidden" },
  { name: "Handled", look: "text-right max-md:hidden" },
  { name: "Last minute", look: "text-right max-lg:hidden" },
  { name: "Restarts", look: "text-right max-sm:hidden" },
  { name: "Up for", look: "text-right max-md:hidden" },
  { name: "Last failure", look: "max-xl:hidden" },
];

function Legend() {
  return (
    <p className="border-t border-line px-4 py-2 text-small text-fg-3">
      Each actor is indented under its supervisor. A mailbox shows how many messages wait and how old the
      oldest is. For a stream, it shows what waits for its reader and how many events the reader is behind.
      The line of the last minute shows what an actor handled since this page was opened. An actor that failed
      for good stays in the list. More than {MOST_SIBLINGS} actors beside each other are grouped by kind.
    </p>
  );
}

interface Props {
  tree: Tree;
  rates: Rates;
  filter: TreeFilter;
  mayRestart: boolean;
  /** The actor whose explanation is open. */
  explained: string | undefined;
  onExplain: (id: string | undefined) => void;
}

/** Arrow keys move, right opens, left closes or goes to the parent, Home and End jump, Enter explains. */
export function TreeGrid({ tree, rates, filter, mayRestart, explained, onExplain }: Props) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [current, setCurrent] = useState(tree.root.id);
  const [restart, setRestart] = useState<Actor>();
  const body = useRef<HTMLTableSectionElement>(null);
  const now = useNow();
  const { query, kind, tenant } = filter;
  const fresh = useMemo(
    () => flatten(tree.root, chosen, { query, kind, tenant }),
    [tree, chosen, query, kind, tenant],
  );
  const choice = JSON.stringify([...chosen, query, kind, tenant]);
  const { rows, waiting, held, release, bind } = useRowOrder(fresh, choice);
  const index = Math.max(
    0,
    rows.findIndex((row) => row.item.id === current),
  );

  const toggle = (id: string, open: boolean) => setChosen((before) => new Map(before).set(id, open));
  const go = (to: number) => {
    const at = Math.min(rows.length - 1, Math.max(0, to));
    const row = rows[at];
    if (!row) return;
    setCurrent(row.item.id);
    body.current?.querySelectorAll<HTMLElement>("tr")[at]?.focus();
  };
  const keys = (event: KeyboardEvent) => {
    const row = rows[index]?.item;
    if (!row || !(event.target instanceof HTMLTableRowElement)) return;
    const parent = rows.findIndex((one) => one.item.id === row.parent);
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(index + 1),
      ArrowUp: () => go(index - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => (row.open ? go(index + 1) : toggle(row.id, true)),
      ArrowLeft: () => (row.open ? toggle(row.id, false) : parent >= 0 && go(parent)),
      Enter: () => (row.is === "actor" ? onExplain(row.id) : toggle(row.id, !row.open)),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };

  return (
    <>
      {rows.length === 0 ? (
        <Empty title="No actor fits">No actor in the tree matches the search and the filters.</Empty>
      ) : (
        <div {...bind}>
          <RowOrderNote
            held={held}
            waiting={waiting}
            release={release}
            count={rows.length}
            what="actors shown"
          />
          <div className={table.frame}>
            <TableFrame heads={HEADS} body={body} tree={{ label: "Supervision tree", onKeyDown: keys }}>
              {rows.map(({ item, gone }, at) => {
                const place = {
                  focusable: at === index,
                  onFocus: () => setCurrent(item.id),
                  onToggle: () => toggle(item.id, !item.open),
                };
                if (item.is !== "actor") return <GroupRow key={item.id} row={item} {...place} />;
                return (
                  <ActorRow
                    key={item.id}
                    row={item}
                    gone={gone}
                    minute={rates.of(item.id, now)}
                    untold={!mayRestart && !item.actor.tenant}
                    onExplain={() => onExplain(item.id)}
                    {...place}
                  />
                );
              })}
            </TableFrame>
            <Legend />
          </div>
        </div>
      )}
      <ExplainDialog
        id={explained}
        onClose={() => onExplain(undefined)}
        onRestart={
          mayRestart
            ? ({ actor }) => {
                onExplain(undefined);
                setRestart(actor);
              }
            : undefined
        }
      />
      <Confirm
        open={restart !== undefined}
        onClose={() => setRestart(undefined)}
        look="primary"
        title={`Restart ${restart?.name ?? ""}?`}
        consequence="It and everything below it stop within the grace period and start again. The audit log records the restart."
        action="Restart"
        run={() => api.post("/api/ops/actors/{id}/restart", { path: { id: restart?.id ?? "" } })}
      />
    </>
  );
}
