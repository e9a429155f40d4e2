// A list that is here whole: it is sorted in the page, by what its headings ask for.
import { useMemo } from "react";
import { ListTable, type ListProps } from "./list-table";
import { type Keys, sortedBy } from "./sort";

interface Props<T> extends Omit<ListProps<T>, "order" | "groups"> {
  /** What the rows are compared by. */
  keys: Keys<T>;
  /** The order of the list when the address has none. */
  own: string;
  /** Rows that are equal otherwise come in this order. Without it they come as the gateway sent them. */
  then?: string;
}

/** A `ListTable` whose rows are sorted here. `keys`, `columns` and `nameOf` must be the same each time. */
export function SortedTable<T extends { id: string }>({ rows, keys, own, then, ...list }: Props<T>) {
  const { by } = list.sorting;
  const sorted = useMemo(
    () => sortedBy(then ? sortedBy(rows, then, keys) : rows, by || own, keys),
    [rows, by, own, then, keys],
  );
  return <ListTable {...list} rows={sorted} order={own} />;
}
