// Sorting of a list by its headings. The address has `name`, or `-name` for the largest or newest first.
import { ArrowDown, ArrowUp } from "lucide-react";
import { cx } from "../class";
import type { Column, Heading } from "../data-table";

export interface Sorting {
  /** As the address has it. Empty is the first of the list. */
  by: string;
  onSort: (by: string) => void;
}

/** The orders that a heading goes through, press by press. After the last one comes the list's own. */
export type Orders = readonly string[];

/** What the next press of a heading asks for. Empty is the list's own order. */
export function nextOrder(orders: Orders, present: string, own: string): string {
  const next = orders.includes(present) ? orders[orders.indexOf(present) + 1] : orders[0];
  return next === undefined || next === own ? "" : next;
}

/** A heading that sorts. `own` is the order of the list when the address has none. */
export function sortHead(
  head: Heading,
  orders: Orders | undefined,
  { by, onSort }: Sorting,
  own: string,
): Heading {
  if (!orders) return head;
  const present = by || own;
  const at = orders.includes(present) ? present : undefined;
  const Arrow = at?.startsWith("-") ? ArrowDown : ArrowUp;
  return {
    ...head,
    sorted: at === undefined ? undefined : at.startsWith("-") ? "descending" : "ascending",
    shown: (
      <button
        type="button"
        onClick={() => onSort(nextOrder(orders, present, own))}
        className={cx(
          "-mx-1 inline-flex align-middle h-6 items-center gap-1 rounded-control px-1 hover:text-fg",
          at && "text-fg",
        )}
      >
        {head.look?.includes("text-right") && (
          <Arrow size={12} aria-hidden className={cx(!at && "invisible")} />
        )}
        {head.name}
        {!head.look?.includes("text-right") && (
          <Arrow size={12} aria-hidden className={cx(!at && "invisible")} />
        )}
      </button>
    ),
  };
}

/** The columns of a table, of which those with orders sort. */
export const sortColumns = <T,>(
  columns: readonly (Column<T> & { orders?: Orders })[],
  sorting: Sorting,
  own: string,
): Column<T>[] => columns.map((column) => ({ ...column, ...sortHead(column, column.orders, sorting, own) }));

const collator = new Intl.Collator("en", { numeric: true });

/** Names as people expect them: `box-9` before `box-10`. */
export const compareNames = (a: string, b: string): number => collator.compare(a, b);

/** What rows are compared by, under the names that the address has. */
export type Keys<T> = Record<string, (row: T) => string | number | undefined>;

/** The order of the address, when the list has such a one. */
export const knownOrder = <T,>(by: string | undefined, keys: Keys<T>): string =>
  by !== undefined && Object.hasOwn(keys, by.replace(/^-/, "")) ? by : "";

/** Rows without a value come last in both directions. Rows of the same value keep their order. */
export function sortedBy<T>(rows: readonly T[], by: string, keys: Keys<T>): T[] {
  const key = keys[by.replace(/^-/, "")];
  if (!key) return [...rows];
  const down = by.startsWith("-") ? -1 : 1;
  return rows
    .map((row) => [row, key(row)] as const)
    .toSorted(([, x], [, y]) => {
      if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
      return down * (typeof x === "number" && typeof y === "number" ? x - y : compareNames(`${x}`, `${y}`));
    })
    .map(([row]) => row);
}
