// Rows that leave the view of a long list give their elements to the rows that come: to change a text costs less than to
// make a row and to remove another one.
import { useState } from "react";

/** Pure part: the slot of each row. A row keeps its slot; a new one takes the slot of a row that is gone. */
export function slotsOf(before: ReadonlyMap<string, number>, ids: readonly string[], kept?: number) {
  const here = new Set(ids);
  const free: number[] = [];
  let most = 0;
  for (const [id, slot] of before) {
    most = Math.max(most, slot + 1);
    if (!here.has(id) && slot !== kept) free.push(slot);
  }
  const next = new Map<string, number>();
  for (const id of ids) {
    const slot = before.get(id);
    if (slot !== undefined) next.set(id, slot);
  }
  for (const id of ids) if (!next.has(id)) next.set(id, free.pop() ?? most++);
  return next;
}

/** The slot that has the focus: another row must not get it. */
const focused = () => {
  const slot = document.activeElement?.closest<HTMLElement>("tr[data-slot]")?.dataset["slot"];
  return slot === undefined ? undefined : Number(slot);
};

/** Remembers which row has which slot. */
function makeSlots() {
  let known: ReadonlyMap<string, number> = new Map();
  return (ids: readonly string[]) => (known = slotsOf(known, ids, known.size > 0 ? focused() : undefined));
}

/** A key for each of the rows that are drawn, which is also their `data-slot`. */
export function useSlots(ids: readonly string[]): (id: string) => number {
  const [give] = useState(makeSlots);
  const now = give(ids);
  return (id) => now.get(id) ?? -1;
}
