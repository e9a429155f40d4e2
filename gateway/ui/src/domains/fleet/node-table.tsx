import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, type ReactNode } from "react";
import type { NodeLine } from "~/api/types";
import { type Heading, TableFrame } from "~/ui/data-table";
import { useNarrow } from "~/ui/list/narrow";
import { useTick, type Selection } from "~/ui/list/selection";
import { sortHead, type Orders, type Sorting } from "~/ui/list/sort";
import { TickAll } from "~/ui/list/tick";
import { useRowOrder } from "~/ui/row-order";
import { RowOrderNote } from "~/ui/row-order-note";
import { useSlots } from "~/ui/slots";
import { useWindow } from "~/ui/window";
import { OWN } from "./filter";
import { NodeRow, ROW_PX } from "./node-row";
import { reservedQuery } from "./queries";

const HEADS: (Heading & { orders?: Orders })[] = [
  { name: "Name", orders: ["name", "-name"] },
  { name: "State", look: "w-36 max-sm:w-32 max-sm:px-2", orders: ["state", "-state"] },
  { name: "Sandboxes", look: "w-28 text-right max-sm:hidden", orders: ["-sandboxes"] },
  { name: "CPU", look: "w-40 max-md:hidden", orders: ["-cpu"] },
  { name: "Memory", look: "w-40 max-md:hidden", orders: ["-memory"] },
  { name: "Disk", look: "w-40 max-xl:hidden", orders: ["-disk"] },
  { name: "Version", look: "w-24 max-xl:hidden" },
  { name: "Last seen", look: "w-36 text-right max-sm:hidden", orders: ["-seen", "seen"] },
];

function Legend() {
  return (
    <p className="flex items-center gap-3 text-small text-fg-3 max-md:hidden" aria-hidden>
      <span className="inline-flex items-center gap-1.5">
        <span className="h-1.5 w-4 rounded-full bg-accent" /> used
      </span>
      <span className="inline-flex items-center gap-1.5">
        <span className="h-0.5 w-4 rounded-full bg-info" /> reserved
      </span>
    </p>
  );
}

interface Props {
  nodes: NodeLine[];
  /** The filter: what the reader chose takes effect at once, live changes wait. */
  chosen: string;
  sorting: Sorting;
  /** Left out where the person may do nothing to many machines. */
  selection: Selection | undefined;
  bar: ReactNode;
}

export function NodeTable({ nodes, chosen, sorting, selection, bar }: Props) {
  const { rows, waiting, held, release, bind } = useRowOrder(nodes, `${chosen} ${sorting.by}`);
  const reserved = useQuery(reservedQuery);
  const body = useRef<HTMLTableSectionElement>(null);
  const height = useNarrow() ? ROW_PX.narrow : ROW_PX.wide;
  const { first, last, before, after } = useWindow(body, rows.length, height);
  const drawn = rows.slice(first, last);
  const slot = useSlots(drawn.map(({ item }) => item.id));
  const order = useMemo(() => rows.map(({ item }) => item.id), [rows]);
  const tick = useTick(order, selection?.set);
  return (
    <section aria-label="Machines" className="rounded-panel border border-line bg-surface" {...bind}>
      {bar}
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-1.5">
        <RowOrderNote
          held={held}
          waiting={waiting}
          release={release}
          count={nodes.length}
          what={nodes.length === 1 ? "machine" : "machines"}
        />
        <Legend />
      </div>
      <TableFrame
        heads={HEADS.map((head) => sortHead(head, head.orders, sorting, OWN))}
        caption="Machines of this workspace"
        className="table-fixed"
        count={rows.length}
        body={body}
        lead={selection && <TickAll ids={order} selection={selection} />}
      >
        {before > 0 && <tr aria-hidden style={{ height: before }} />}
        {drawn.map(({ item, gone }, index) => (
          <NodeRow
            key={slot(item.id)}
            slot={slot(item.id)}
            node={item}
            gone={gone}
            place={first + index + 1}
            reserved={reserved.data?.get(item.id)}
            selected={selection?.ids.has(item.id)}
            tick={selection && tick}
          />
        ))}
        {after > 0 && <tr aria-hidden style={{ height: after }} />}
      </TableFrame>
    </section>
  );
}
