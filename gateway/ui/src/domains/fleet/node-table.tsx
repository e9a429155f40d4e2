import { useQuery } from "@tanstack/react-query";
import { useRef, useSyncExternalStore } from "react";
import type { NodeLine } from "~/api/types";
import { cx } from "~/ui/class";
import { useHeld } from "~/ui/held";
import { HeldNote } from "~/ui/held-note";
import { table } from "~/ui/table";
import { useWindow } from "~/ui/window";
import { NodeRow, ROW_PX } from "./node-row";
import { reservedQuery } from "./queries";

const HEADS: [string, string][] = [
  ["Name", ""],
  ["State", "w-36 max-sm:w-32 max-sm:px-2"],
  ["Sandboxes", "w-28 text-right max-sm:hidden"],
  ["CPU", "w-40 max-md:hidden"],
  ["Memory", "w-40 max-md:hidden"],
  ["Disk", "w-40 max-xl:hidden"],
  ["Version", "w-24 max-xl:hidden"],
  ["Last seen", "w-36 text-right max-sm:hidden"],
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
  const { rows, waiting, held, release, bind } = useHeld(nodes, chosen);
  const reserved = useQuery(reservedQuery);
  const body = useRef<HTMLTableSectionElement>(null);
  const height = useNarrow() ? ROW_PX.narrow : ROW_PX.wide;
  const { first, last, before, after } = useWindow(body, rows.length, height);
  const all = nodes.length > 0 && nodes.every((node) => selected.has(node.id));
  return (
    <section aria-label="Machines" className="rounded-panel border border-line bg-surface" {...bind}>
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-1.5">
        <HeldNote
          held={held}
          waiting={waiting}
          release={release}
          count={nodes.length}
          what={nodes.length === 1 ? "machine" : "machines"}
        />
        <Legend />
      </div>
      <div className={table.wrap}>
        <table className={cx(table.root, "table-fixed")} aria-rowcount={rows.length + 1}>
          <caption className="sr-only">Machines of this workspace</caption>
          <thead>
            <tr>
              {onSelect && (
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
              )}
              {HEADS.map(([name, extra]) => (
                <th key={name} scope="col" className={cx(table.head, extra)}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body}>
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
          </tbody>
        </table>
      </div>
    </section>
  );
}
