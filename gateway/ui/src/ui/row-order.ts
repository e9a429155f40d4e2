// Rows under somebody's pointer or focus do not move: order is frozen, newcomers wait, the gone stay struck through.
import { useEffect, useMemo, useState } from "react";

export interface Row<T> {
  item: T;
  gone: boolean;
}

export interface RowOrder<T> {
  rows: Row<T>[];
  /** Arrived while the order was held; shown on `release`. */
  waiting: number;
}

/** Pure part: what to show, given the order on screen and what is true now. */
export function holdOrder<T extends { id: string }>(shown: Row<T>[], current: T[]): RowOrder<T> {
  const now = new Map(current.map((item) => [item.id, item]));
  const rows = shown.map(({ item }) => {
    const fresh = now.get(item.id);
    return fresh ? { item: fresh, gone: false } : { item, gone: true };
  });
  const known = new Set(shown.map(({ item }) => item.id));
  return { rows, waiting: current.filter((item) => !known.has(item.id)).length };
}

/** `current` comes sorted; while held only values change. Spread `bind` on the element that holds the rows. */
export function useRowOrder<T extends { id: string }>(current: T[], chosen = "") {
  const [frozen, setFrozen] = useState<Row<T>[]>();
  // What the reader chose (a filter, an open branch) takes effect at once; only live changes wait.
  const [frozenFor, setFrozenFor] = useState(chosen);
  if (frozenFor !== chosen) {
    setFrozenFor(chosen);
    if (frozen) setFrozen(asRows(current));
  }
  const [by, setBy] = useState({ pointer: false, focus: false });
  const result = useMemo<RowOrder<T>>(
    () => (frozen ? holdOrder(frozen, current) : { rows: asRows(current), waiting: 0 }),
    [current, frozen],
  );
  const hold = (what: Partial<typeof by>) => {
    const next = { ...by, ...what };
    setBy(next);
    if (next.pointer || next.focus) setFrozen((before) => before ?? asRows(current));
    else setFrozen(undefined);
  };
  // Nobody is told when what had the focus is taken away, as a row's dialog is with its row. A dialog that closes gives
  // the focus back a moment later; where it is nowhere then, nobody reads here.
  useEffect(() => {
    if (!by.focus) return undefined;
    const look = requestAnimationFrame(() => {
      if (document.activeElement === document.body) hold({ focus: false });
    });
    return () => cancelAnimationFrame(look);
  });
  return {
    ...result,
    held: frozen !== undefined,
    release: () => setFrozen((before) => before && asRows(current)),
    bind: {
      onPointerEnter: () => hold({ pointer: true }),
      onPointerLeave: () => hold({ pointer: false }),
      onFocus: () => hold({ focus: true }),
      onBlur: () => hold({ focus: false }),
    },
  };
}

function asRows<T>(items: T[]): Row<T>[] {
  return items.map((item) => ({ item, gone: false }));
}
