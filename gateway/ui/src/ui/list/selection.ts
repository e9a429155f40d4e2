// What a person has ticked in a list.
import { useCallback, useEffect, useMemo, useRef, useState, type MouseEvent } from "react";

export interface Selection {
  ids: ReadonlySet<string>;
  /** The same function each time, so that a row is drawn again only when it changed itself. */
  set: (ids: readonly string[], on: boolean) => void;
  clear: () => void;
}

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const set = useCallback(
    (some: readonly string[], on: boolean) =>
      setIds((before) => {
        const next = new Set(before);
        for (const id of some) {
          if (on) next.add(id);
          else next.delete(id);
        }
        return next;
      }),
    [],
  );
  const clear = useCallback(() => setIds(new Set()), []);
  return useMemo(() => ({ ids, set, clear }), [ids, set, clear]);
}

/** The rows from one to another, in the order on screen. Where the first is gone it is only the second. */
export function between(order: readonly string[], from: string | undefined, to: string): string[] {
  const [a, b] = [order.indexOf(from ?? to), order.indexOf(to)];
  if (a === -1 || b === -1) return [to];
  return order.slice(Math.min(a, b), Math.max(a, b) + 1);
}

export type Tick = (event: MouseEvent<HTMLInputElement>, id: string) => void;

/** Ticks one row, or with Shift all from the one that was ticked before. */
export function useTick(order: readonly string[], set: Selection["set"] | undefined): Tick {
  const last = useRef<string>(undefined);
  const present = useRef(order);
  useEffect(() => {
    present.current = order;
  });
  return useCallback(
    (event, id) => {
      set?.(event.shiftKey ? between(present.current, last.current, id) : [id], event.currentTarget.checked);
      last.current = id;
    },
    [set],
  );
}
