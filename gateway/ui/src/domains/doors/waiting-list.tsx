import { useState } from "react";
import type { Door } from "~/api/doors";
import { cx } from "~/ui/class";
import { useRowOrder } from "~/ui/row-order";
import { RowOrderNote } from "~/ui/row-order-note";
import { visible } from "~/ui/visible";
import { Button } from "~/ui/button";
import { useSelection } from "~/ui/list/selection";
import { SelectionBar } from "~/ui/list/tick";
import { DecideMany } from "./decide-many";
import { DoorCard, type CardProps } from "./door-card";
import type { Decision } from "./queries";

/** Oldest first, so that newcomers push nothing away. */
export const byAge = (a: Door, b: Door) =>
  a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id);

const box = "block size-4 shrink-0 cursor-pointer accent-accent pointer-coarse:size-6";

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
  const selection = useSelection();
  const [many, setMany] = useState<{ decision: Decision; doors: Door[] }>();
  // While the pointer is here, newcomers wait outside of the list: nobody decides what they have not seen.
  const listed = new Set(rows.map(({ item }) => item.id));
  const open = mayResolve ? doors.filter(({ id }) => listed.has(id)) : [];
  const chosen = open.filter(({ id }) => selection.ids.has(id));
  const nameOf = (door: Door) => {
    const { action, agent } = cardOf(door);
    return `${agent.name}: ${action?.title ?? door.action} at ${door.target}`;
  };
  return (
    <section
      aria-label="Waiting for a decision"
      className="rounded-panel border border-line bg-surface"
      {...bind}
    >
      <SelectionBar what="requests" count={chosen.length} onClear={selection.clear}>
        {(["approve", "deny"] as const).map((decision) => (
          <Button key={decision} onClick={() => setMany({ decision, doors: chosen })}>
            {decision === "approve" ? "Approve" : "Deny"}…
          </Button>
        ))}
      </SelectionBar>
      <div className="flex items-center gap-2.5 border-b border-line px-4 py-1.5">
        {open.length > 0 && (
          <input
            type="checkbox"
            aria-label="Select all that are listed"
            checked={chosen.length === open.length}
            onChange={({ target }) =>
              selection.set(
                open.map(({ id }) => id),
                target.checked,
              )
            }
            className={box}
          />
        )}
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
              tick={
                open.some(({ id }) => id === door.id) && (
                  <input
                    type="checkbox"
                    aria-label={`Select ${visible(nameOf(door)).slice(0, 200)}`}
                    checked={selection.ids.has(door.id)}
                    onChange={({ target }) => selection.set([door.id], target.checked)}
                    className={cx(box, "mt-0.5")}
                  />
                )
              }
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
      {many && (
        <DecideMany
          {...many}
          agentOf={(door) => cardOf(door).agent.name}
          onClose={() => setMany(undefined)}
        />
      )}
    </section>
  );
}
