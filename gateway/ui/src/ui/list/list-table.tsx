// The table of a long list: columns that keep their widths, headings that sort, rows that are links and can be selected.
// Only the rows in view are drawn, so that ten thousand scroll as smoothly as ten.
import { memo, useMemo, useRef, type ReactNode } from "react";
import { cx } from "../class";
import { type Column, TableFrame } from "../data-table";
import { useRowOrder } from "../row-order";
import { RowOrderNote } from "../row-order-note";
import { table } from "../table";
import { useSlots } from "../slots";
import { useWindow } from "../window";
import { useNarrow } from "./narrow";
import { openRow } from "../open-row";
import { useTick, type Selection, type Tick } from "./selection";
import { sortHead, type Orders, type Sorting } from "./sort";
import { TickAll, TickCell } from "./tick";

export interface ListColumn<T> extends Column<T> {
  orders?: Orders;
}

export interface Group<T> {
  id: string;
  title: ReactNode;
  rows: T[];
}

/** A row of the table: a thing, or the heading of a group. */
type Line<T> = { id: string; item: T } | { id: string; title: ReactNode; count: number };

/** The same on every row, so that a long list can be drawn without measuring. `narrow` is for a phone. */
export interface Heights {
  wide: number;
  narrow: number;
}
const ROW_PX: Heights = { wide: 52, narrow: 72 };

interface RowProps<T> {
  item: T;
  columns: readonly ListColumn<T>[];
  gone: boolean;
  /** Place in the whole list, counted from 1 after the head, for those who hear the list. */
  place: number;
  id: string;
  name: string;
  ticked: boolean;
  tick: Tick | undefined;
  /** Whether this row can be selected. */
  selectable: boolean;
  slot: number;
  height: number;
  opens: boolean;
}

function Row<T>(props: RowProps<T>) {
  const { item, columns, gone, place, id, name, ticked, tick, selectable, slot, height, opens } = props;
  return (
    <tr
      {...(opens && openRow)}
      data-row
      data-slot={slot}
      aria-rowindex={place + 1}
      style={{ height }}
      className={cx(
        table.row,
        opens && "cursor-pointer",
        gone && "line-through opacity-60",
        ticked && "bg-accent/8",
      )}
    >
      {tick && <TickCell id={id} name={name} ticked={ticked} tick={tick} selectable={selectable} />}
      {columns.map(({ name: head, look, cell, show }, at) => {
        // Its words are as wide as their column: base.css bounds those of other tables.
        const own = cx(table.cell, "max-w-0", look, typeof cell === "function" ? cell(item) : cell);
        return at === 0 ? (
          <th key={head} scope="row" className={cx(own, "font-normal")}>
            {show(item, gone)}
          </th>
        ) : (
          <td key={head} className={own}>
            {show(item, gone)}
          </td>
        );
      })}
    </tr>
  );
}
// The cast keeps the type of the item, which `memo` forgets.
const ListRow = memo(Row) as typeof Row;

/** It spans no further than the name: to span columns that a narrow screen hides would make room for them. */
function GroupRow({
  title,
  count,
  span,
  height,
}: {
  title: ReactNode;
  count: number;
  span: number;
  height: number;
}) {
  return (
    <tr className="border-b border-line" style={{ height }}>
      {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label */}
      <th scope="rowgroup" colSpan={span} className="px-4 pt-3 text-left align-bottom font-[550]">
        <span className="flex items-baseline gap-2 pb-1.5">
          <span className="min-w-0 truncate">{title}</span>
          <span className="text-small font-normal text-fg-3">{count}</span>
        </span>
      </th>
    </tr>
  );
}

export interface ListProps<T> {
  label: string;
  /** The noun for one row and for several rows. */
  what: readonly [one: string, several: string];
  columns: readonly ListColumn<T>[];
  rows: T[];
  /** In place of `rows`: the same rows under headings. */
  groups?: Group<T>[] | undefined;
  nameOf: (item: T) => string;
  /** What the reader chose takes effect at once; live changes wait. */
  chosen: string;
  sorting: Sorting;
  /** The order of the list when the address has none. */
  order: string;
  /** Left out where the person may do nothing to many. */
  selection?: Selection | undefined;
  /** The rows that can be selected. Without it, all can. */
  selectable?: ((item: T) => boolean) | undefined;
  /** What can be done to those that are selected: a `SelectionBar`. */
  bar?: ReactNode;
  /** Dims what was asked before, while the answer is on its way. */
  busy?: boolean;
  /** More rows than these may exist. */
  more?: ReactNode;
  /** Rows of more or of fewer lines than two. No row may need more room than this. */
  heights?: Heights;
  /** Rows that are no links open nothing. */
  opens?: boolean;
  /** It has no frame where a panel or a fold is around it. */
  bare?: boolean;
}

const linesOf = <T extends { id: string }>(rows: T[]): Line<T>[] =>
  rows.map((item) => ({ id: item.id, item }));

export function ListTable<T extends { id: string }>(props: ListProps<T>) {
  const {
    label,
    what,
    columns,
    rows: present,
    groups,
    nameOf,
    chosen,
    sorting,
    order,
    selection,
    selectable,
    bar,
    busy,
    more,
    heights = ROW_PX,
    opens = true,
    bare,
  } = props;
  const lines = useMemo<Line<T>[]>(
    () =>
      groups
        ? groups.flatMap(({ id, title, rows }) => [
            { id: `group ${id}`, title, count: rows.length },
            ...linesOf(rows),
          ])
        : linesOf(present),
    [groups, present],
  );
  const { rows, waiting, held, release, bind } = useRowOrder(lines, `${chosen} ${sorting.by}`);
  const body = useRef<HTMLTableSectionElement>(null);
  const height = heights[useNarrow() ? "narrow" : "wide"];
  const { first, last, before, after } = useWindow(body, rows.length, height);
  const drawn = rows.slice(first, last);
  const slot = useSlots(drawn.flatMap(({ item }) => ("item" in item ? [item.id] : [])));
  const ids = useMemo(
    () =>
      rows.flatMap(({ item: line, gone }) =>
        "item" in line && !gone && (selectable?.(line.item) ?? true) ? [line.id] : [],
      ),
    [rows, selectable],
  );
  const tick = useTick(ids, selection?.set);
  return (
    <section aria-label={label} aria-busy={busy} className={bare ? "min-w-0" : table.frame} {...bind}>
      {bar}
      <div className="border-b border-line px-4 py-1.5">
        <RowOrderNote
          held={held}
          waiting={waiting}
          release={release}
          count={present.length}
          what={what[present.length === 1 ? 0 : 1]}
        />
      </div>
      <div className={cx("transition-opacity duration-80", busy && "opacity-60")}>
        <TableFrame
          heads={columns.map((column) => sortHead(column, column.orders, sorting, order))}
          caption={label}
          className="table-fixed"
          count={rows.length}
          body={body}
          lead={selection && <TickAll ids={ids} selection={selection} />}
        >
          {before > 0 && <tr aria-hidden style={{ height: before }} />}
          {drawn.map(({ item: line, gone }, at) =>
            "item" in line ? (
              <ListRow
                key={slot(line.id)}
                slot={slot(line.id)}
                height={height}
                opens={opens}
                id={line.id}
                item={line.item}
                columns={columns}
                gone={gone}
                place={first + at + 1}
                name={nameOf(line.item)}
                ticked={selection?.ids.has(line.id) ?? false}
                tick={selection && tick}
                selectable={selectable?.(line.item) ?? true}
              />
            ) : (
              <GroupRow
                key={line.id}
                title={line.title}
                count={line.count}
                span={selection ? 2 : 1}
                height={height}
              />
            ),
          )}
          {after > 0 && <tr aria-hidden style={{ height: after }} />}
        </TableFrame>
      </div>
      {more}
    </section>
  );
}
