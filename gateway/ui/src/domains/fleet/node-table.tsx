import type { Node } from "~/api/types";
import { cx } from "~/ui/class";
import { useHeld } from "~/ui/held";
import { HeldNote } from "~/ui/held-note";
import { table } from "~/ui/table";
import { NodeRow } from "./node-row";

export function NodeTable({ nodes }: { nodes: Node[] }) {
  const { rows, waiting, held, release, bind } = useHeld(nodes);
  return (
    <section aria-label="Machines" className="rounded-panel border border-line bg-surface">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-1.5">
        <HeldNote
          held={held}
          waiting={waiting}
          release={release}
          count={nodes.length}
          what={nodes.length === 1 ? "machine" : "machines"}
        />
        <p className="flex items-center gap-3 text-small text-fg-3 max-md:hidden" aria-hidden>
          <span className="inline-flex items-center gap-1.5">
            <span className="h-1.5 w-4 rounded-full bg-accent" /> used
          </span>
          <span className="inline-flex items-center gap-1.5">
            <span className="h-0.5 w-4 rounded-full bg-info" /> reserved
          </span>
        </p>
      </div>
      <div className={table.wrap} {...bind}>
        <table className={table.root}>
          <caption className="sr-only">Machines of this workspace</caption>
          <thead>
            <tr>
              <th scope="col" className={table.head}>
                Name
              </th>
              <th scope="col" className={table.head}>
                State
              </th>
              <th scope="col" className={cx(table.head, "text-right max-sm:hidden")}>
                Sandboxes
              </th>
              <th scope="col" className={cx(table.head, "max-md:hidden")}>
                CPU
              </th>
              <th scope="col" className={cx(table.head, "max-md:hidden")}>
                Memory
              </th>
              <th scope="col" className={cx(table.head, "max-xl:hidden")}>
                Disk
              </th>
              <th scope="col" className={cx(table.head, "max-xl:hidden")}>
                Version
              </th>
              <th scope="col" className={cx(table.head, "text-right max-sm:hidden")}>
                Last seen
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ item, gone }) => (
              <NodeRow key={item.id} node={item} gone={gone} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
