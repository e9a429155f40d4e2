import { useState } from "react";
import type { Door } from "~/api/doors";
import { useRowOrder } from "~/ui/row-order";
import { RowOrderNote } from "~/ui/row-order-note";
import { DoorCard, type CardProps } from "./door-card";

/** Oldest first, so that newcomers push nothing away. */
export const byAge = (a: Door, b: Door) =>
  a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id);

interface Props {
  doors: Door[];
  /** How one that has left the list stands now. */
  now: ReadonlyMap<string, Door>;
  filter: string;
  cardOf: (door: Door) => Omit<CardProps, "door" | "own" | "mayResolve">;
  own: string | undefined;
  mayResolve: boolean;
  none: React.ReactNode;
}

/** What waits. What others decide stays in its place, with their decision. */
export function WaitingList({ doors, now, filter, cardOf, own, mayResolve, none }: Props) {
  // What somebody looks at to decide it stays in its place, with what came of it, until it is dismissed.
  const [kept, setKept] = useState<ReadonlyMap<string, Door>>(new Map());
  const [away, setAway] = useState(0);
  const keep = (door: Door) => setKept((before) => new Map(before).set(door.id, door));
  const drop = (id: string) => setKept((before) => new Map([...before].filter(([one]) => one !== id)));
  const shown = [
    ...doors.filter(({ id }) => !kept.has(id)),
    ...[...kept.values()].map((one) => doors.find(({ id }) => id === one.id) ?? now.get(one.id) ?? one),
  ].toSorted(byAge);
  const { rows, waiting, held, release, bind } = useRowOrder(shown, `${away} ${filter}`);
  return (
    <section
      aria-label="Waiting for a decision"
      className="rounded-panel border border-line bg-surface"
      {...bind}
    >
      <div className="border-b border-line px-4 py-1.5">
        <RowOrderNote
          held={held}
          waiting={waiting}
          release={release}
          count={doors.length}
          what={doors.length === 1 ? "request waits" : "requests wait"}
        />
      </div>
      {rows.length === 0 && none}
      <ul>
        {rows.map(({ item, gone }) => {
          const door = gone ? (now.get(item.id) ?? item) : item;
          return (
            <DoorCard
              key={item.id}
              {...cardOf(door)}
              door={door}
              own={own}
              mayResolve={mayResolve && !gone}
              onAsk={() => keep(door)}
              onDecided={keep}
              onCancelled={() => drop(item.id)}
              onAway={
                kept.has(item.id)
                  ? () => {
                      drop(item.id);
                      setAway((count) => count + 1);
                    }
                  : undefined
              }
            />
          );
        })}
      </ul>
    </section>
  );
}
