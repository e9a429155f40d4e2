// The tables of the page. DataTable draws rows under columns. LiveTable also holds their order while a person reads.
import { type KeyboardEvent, type ReactNode, type Ref } from "react";
import { cx } from "./class";
import { openRow } from "./open-row";
import { useRowOrder } from "./row-order";
import { RowOrderNote } from "./row-order-note";
import { table } from "./table";

export interface Heading {
  name: string;
  /** Only screen readers get this heading, for example over a column of buttons. */
  quiet?: boolean;
  /** Class names of the heading and of the cells under it. */
  look?: string;
  /** Replaces the name on screen, for example by a button that sorts. */
  shown?: ReactNode;
  sorted?: "ascending" | "descending" | undefined;
}

export interface Column<T> extends Heading {
  /** Class names of the cells alone. */
  cell?: string | ((item: T) => string);
  show: (item: T, gone: boolean) => ReactNode;
}

interface FrameProps {
  heads: readonly Heading[];
  children: ReactNode;
  /** The table scrolls in a region of this name, which the keyboard reaches. */
  label?: string | undefined;
  /** The name of the table for screen readers only. */
  caption?: string | undefined;
  className?: string | undefined;
  /** A cell before the headings, for example a checkbox for all rows. */
  lead?: ReactNode;
  body?: Ref<HTMLTableSectionElement> | undefined;
  /** The number of all rows, where the page draws only the rows in sight. */
  count?: number | undefined;
  /** Makes the table a tree grid: its name, and what its keys do. */
  tree?: { label: string; onKeyDown: (event: KeyboardEvent) => void };
}

/** The table around rows that a page draws itself. Others use `DataTable`. */
export function TableFrame({
  heads,
  children,
  label,
  caption,
  className,
  lead,
  body,
  count,
  tree,
}: FrameProps) {
  const region = label ? { role: "region", "aria-label": label, tabIndex: 0 } : {};
  const levels = tree && { role: "treegrid", "aria-label": tree.label, onKeyDown: tree.onKeyDown };
  return (
    <div className={table.wrap} {...region}>
      <table
        className={cx(table.root, className)}
        aria-rowcount={count === undefined ? undefined : count + 1}
        {...levels}
      >
        {caption && <caption className="sr-only">{caption}</caption>}
        <thead>
          <tr>
            {lead}
            {heads.map(({ name, quiet, look, shown = name, sorted }) => (
              <th key={name} scope="col" aria-sort={sorted} className={cx(table.head, look)}>
                {quiet ? <span className="sr-only">{name}</span> : shown}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>{children}</tbody>
      </table>
    </div>
  );
}

/** Further attributes of a row. */
type RowAttributes = { className?: string | false } & { [name: `data-${string}`]: string };

interface TableProps<T> extends Pick<FrameProps, "label" | "caption" | "className"> {
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (item: T) => string;
  /** A row that is gone stays, struck through, while a person reads. */
  isGone?: (item: T) => boolean;
  attributesOf?: (item: T) => RowAttributes;
  /** A press anywhere on a row follows its first link. */
  opens?: boolean;
  /** Replaces a table that has no rows. */
  empty?: ReactNode;
}

/** Rows under headings. The first column names its row. */
export function DataTable<T>({
  columns,
  rows,
  keyOf,
  isGone,
  attributesOf,
  opens,
  empty,
  ...frame
}: TableProps<T>) {
  if (rows.length === 0 && empty !== undefined) return empty;
  return (
    <TableFrame heads={columns} {...frame}>
      {rows.map((item) => {
        const gone = isGone?.(item) ?? false;
        const { className, ...attributes } = attributesOf?.(item) ?? {};
        return (
          <tr
            key={keyOf(item)}
            data-row
            {...(opens && openRow)}
            className={cx(table.row, opens && "cursor-pointer", gone && "line-through opacity-60", className)}
            {...attributes}
          >
            {columns.map(({ name, look, cell, show }, at) => {
              const own = cx(table.cell, look, typeof cell === "function" ? cell(item) : cell);
              return at === 0 ? (
                <th key={name} scope="row" className={cx(own, "font-normal")}>
                  {show(item, gone)}
                </th>
              ) : (
                <td key={name} className={own}>
                  {show(item, gone)}
                </td>
              );
            })}
          </tr>
        );
      })}
    </TableFrame>
  );
}

interface LiveProps<T> extends Omit<TableProps<T>, "rows" | "keyOf" | "isGone" | "empty"> {
  rows: T[];
  /** The noun for one row and for several rows. */
  what: [one: string, several: string];
  /** What the reader chose, for example a filter. It takes effect at once; live changes wait. */
  chosen?: string;
}

/** A table that live changes do not reorder under the pointer or the focus. The line above it says so. */
export function LiveTable<T extends { id: string }>({
  rows: current,
  what: [one, several],
  chosen,
  ...rest
}: LiveProps<T>) {
  const { rows, bind, ...order } = useRowOrder(current, chosen);
  const gone = new Set(rows.filter((row) => row.gone).map(({ item }) => item.id));
  return (
    <div {...bind}>
      <div className="border-b border-line px-4 py-1.5">
        <RowOrderNote {...order} count={current.length} what={current.length === 1 ? one : several} />
      </div>
      <DataTable
        {...rest}
        rows={rows.map(({ item }) => item)}
        keyOf={({ id }) => id}
        isGone={({ id }) => gone.has(id)}
      />
    </div>
  );
}
