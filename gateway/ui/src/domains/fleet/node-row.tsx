import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { NodeLine, ReservedOn } from "~/api/types";
import { DASH, percent } from "~/ui/bytes";
import { cx } from "~/ui/class";
import { openRow } from "~/ui/open-row";
import type { Tick } from "~/ui/list/selection";
import { TickCell } from "~/ui/list/tick";
import { Meter } from "~/ui/meter";
import { Status } from "~/ui/status";
import { table } from "~/ui/table";
import { Ago } from "~/ui/time";
import { nodeState } from "./words";

/** The same on every row, so that a long list can be drawn without measuring; a phone has a third line. */
export const ROW_PX = { wide: 52, narrow: 72 };

const iso = (seconds: number | null | undefined) =>
  seconds ? new Date(seconds * 1000).toISOString() : undefined;

interface Props {
  node: NodeLine;
  gone: boolean;
  reserved: ReservedOn | undefined;
  /** Place in the whole list, counted from 1 after the head, for those who hear the list. */
  place: number;
  selected?: boolean | undefined;
  tick?: Tick | undefined;
  slot: number;
}

/** One machine in the fleet. Figures of a machine that is away are greyed, not hidden. */
export const NodeRow = memo(function NodeRow({ node, gone, reserved, place, selected, tick, slot }: Props) {
  const state = nodeState(node);
  const old = node.connection === "disconnected" && "opacity-90 grayscale";
  const under = [node.host, node.arch].filter(Boolean).join(" · ");
  return (
    <tr
      {...openRow}
      data-slot={slot}
      aria-rowindex={place + 1}
      className={cx(
        table.row,
        "h-[52px] cursor-pointer max-sm:h-[72px]",
        gone && "line-through opacity-60",
        selected && "bg-accent/8",
      )}
    >
      {tick && <TickCell id={node.id} name={node.name} ticked={selected ?? false} tick={tick} />}
      <th scope="row" className={cx(table.cell, "font-normal")}>
        <Link
          to="/fleet/$id"
          params={{ id: node.id }}
          className="block truncate rounded-control font-[550] hover:text-accent hover:underline"
        >
          {node.name}
        </Link>
        <div className="flex min-w-0 gap-1.5 text-small text-fg-3">
          <span className="truncate">{under || (node.status === "pending" ? "not joined yet" : DASH)}</span>
          {node.labels?.map((label) => (
            <span key={label} className="shrink-0 rounded-control border border-line px-1 max-sm:hidden">
              {label}
            </span>
          ))}
        </div>
        <div className="truncate text-small text-fg-3 sm:hidden">
          CPU {percent(node.cpu)} · memory {percent(node.memory)}
        </div>
      </th>
      <td className={cx(table.cell, "max-sm:px-2")}>
        <Status tone={state.tone} word={state.word} title={state.why} className="flex!" />
        <div className="text-small text-fg-3 sm:hidden">
          <Ago at={iso(node.seen)} never="never" />
        </div>
      </td>
      <td className={cx(table.cell, "text-right max-sm:hidden")}>
        {node.status === "pending" ? DASH : node.sandboxes}
      </td>
      <td className={cx(table.cell, "max-md:hidden", old)}>
        <Meter label="CPU" used={node.cpu ?? undefined} reserved={reserved?.cpu_pct ?? undefined} />
      </td>
      <td className={cx(table.cell, "max-md:hidden", old)}>
        <Meter label="Memory" used={node.memory ?? undefined} reserved={reserved?.memory_pct ?? undefined} />
      </td>
      <td className={cx(table.cell, "max-xl:hidden", old)}>
        <Meter label="Disk" used={node.disk ?? undefined} />
      </td>
      <td className={cx(table.cell, "truncate font-mono text-small text-fg-2 max-xl:hidden")}>
        {node.daemon ?? DASH}
      </td>
      <td className={cx(table.cell, "text-right text-fg-2 max-sm:hidden")}>
        <Ago at={iso(node.seen)} never="never" />
      </td>
    </tr>
  );
});
