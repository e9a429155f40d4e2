import { useQuery } from "@tanstack/react-query";
import { useRef, useSyncExternalStore } from "react";
import type { NodeLine } from "~/api/types";
import { cx } from "~/ui/class";
import { type Heading, TableFrame } from "~/ui/data-table";
import { useRowOrder } from "~/ui/row-order";
import { RowOrderNote } from "~/ui/row-order-note";
import { table } from "~/ui/table";
import { useWindow } from "~/ui/window";
import { NodeRow, ROW_PX } from "./node-row";
import { reservedQuery } from "./queries";

const HEADS: Heading[] = [
  { name: "Name" },
  { name: "State", look: "w-36 max-sm:w-32 max-sm:px-2" },
  { name: "Sandboxes", look: "w-28 text-right max-sm:hidden" },
  { name: "CPU", look: "w-40 max-md:hidden" },
  { name: "Memory", look: "w-40 max-md:hidden" },
  { name: "Disk", look: "w-40 max-xl:hidden" },
  { name: "Version", look: "w-24 max-xl:hidden" },
  { name: "Last seen", look: "w-36 text-right max-sm:hidden" },
];

const narrow = window.matchMedia?.("(width < 40rem)");
const useNarrow = () =>
  useSyncExternalStore(
    (call) => {
      narrow?.addEventListener("change", call);
      return () => narrow?.removeEventListener("change", call);
    },
    () => narrow?.matches ?? false,
  );

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
  selected: ReadonlySet<string>;
  /** The same function each time, so that a row is drawn again only when it changed itself. */
  onSelect?: ((ids: string[], on: boolean) => void) | undefined;
}

export function NodeTable({ nodes, chosen, selected, onSelect }: Props) {
  const { rows, waiting, held, release, bind } = useRowOrder(nodes, chosen);
  const reserved = useQuery(reservedQuery);
  const body = useRef<HTMLTableSectionElement>(null);
  const height = useNarrow() ? ROW_PX.narrow : ROW_PX.wide;
  const { first, last, before, after } = useWindow(body, rows.length, height);
  const all = nodes.length > 0 && nodes.every((node) => selected.has(node.id));
  return (
    <section aria-label="Machines" className="rounded-panel border border-line bg-surface" {...bind}>
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
        heads={HEADS}
        caption="Machines of this workspace"
        className="table-fixed"
        count={rows.length}
        body={body}
        lead={
          onSelect && (
            <td className={cx(table.head, "w-10 pr-0")}>
              <input
                type="checkbox"
                aria-label="Select all that are listed"
                checked={all}
                onChange={(event) =>
                  onSelect(
                    nodes.map((node) => node.id),
                    event.target.checked,
                  )
                }
                className="size-4 accent-accent"
              />
            </td>
          )
        }
      >
        {before > 0 && <tr aria-hidden style={{ height: before }} />}
        {rows.slice(first, last).map(({ item, gone }, index) => (
          <NodeRow
            key={item.id}
            node={item}
            gone={gone}
            place={first + index + 1}
            reserved={reserved.data?.get(item.id)}
            selected={onSelect && selected.has(item.id)}
            onSelect={onSelect}
          />
        ))}
        {after > 0 && <tr aria-hidden style={{ height: after }} />}
      </TableFrame>
    </section>
  );
}
