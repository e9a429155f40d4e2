import { useMemo, useRef, useState } from "react";
import type { AppConnection, Claw } from "~/api/types";
import { useRowOrder } from "~/ui/row-order";
import { RowOrderNote } from "~/ui/row-order-note";
import { Button } from "~/ui/button";
import { useNarrow } from "~/ui/list/narrow";
import { useSelection, useTick } from "~/ui/list/selection";
import { type Keys, sortedBy } from "~/ui/list/sort";
import { SelectionBar, TickBox } from "~/ui/list/tick";
import { useNow } from "~/ui/time";
import { useWindow, WHOLE } from "~/ui/window";
import { ConnectionRow } from "./connection-row";
import { DisconnectMany } from "./disconnect-many";
import { appName, byNeed, matches, standingOf } from "./words";

interface Props {
  label: string;
  /** As they are shown: see `useShown`. */
  shown: AppConnection[];
  /** Where connections of several agents stand together: whose each is. */
  agents?: ReadonlyMap<string, Claw>;
  /** Words of a filter. */
  filter?: string;
  /** The chosen order: it takes effect at once. */
  by?: string;
  mayConnect: boolean;
}

/** What a list is sorted by, apart from the names of the agents. */
export const ORDERS: Keys<AppConnection> = {
  agent: () => undefined,
  app: (one) => appName(one.provider),
  connected: (one) => Date.parse(one.connected_at),
};

/** What is shown of a list; the states of some change with time alone. */
export function useShown(list: AppConnection[], agents: Props["agents"], filter = "", by = "") {
  const exact = useNow();
  // A long list is sorted twice a minute, not with each second.
  const now = list.length > WHOLE ? Math.floor(exact / 30_000) * 30_000 : exact;
  return useMemo(() => {
    const nameOf = (id: string | null | undefined) => agents?.get(id ?? "")?.name ?? "";
    const fits = (one: AppConnection) => matches(one, nameOf(one.agent_id), standingOf(one, now), filter);
    const needed = byNeed(list.filter(fits), nameOf, now);
    // Equal ones stay in the order of their need.
    return sortedBy(needed, by, {
      ...ORDERS,
      agent: (one) => nameOf(one.agent_id) || undefined,
    });
  }, [list, agents, filter, by, now]);
}

/** What a row of a long list needs at most, so that only those in view are drawn. */
const ROW_PX = { wide: 168, narrow: 224 };

/** Connections, those first that need attention; what is under the pointer stays where it is. */
export function ConnectionList({ label, shown, agents, filter = "", by = "", mayConnect }: Props) {
  const { rows, waiting, held, release, bind } = useRowOrder(shown, `${filter} ${by}`);
  const body = useRef<HTMLUListElement>(null);
  const height = ROW_PX[useNarrow() ? "narrow" : "wide"];
  const { first, last, before, after } = useWindow(body, rows.length, height);
  const selection = useSelection();
  const [many, setMany] = useState<AppConnection[]>();
  // An agent's own page shows a few, each with its button.
  const listed = agents && mayConnect ? rows.filter(({ gone }) => !gone).map(({ item }) => item) : [];
  const ids = listed.map(({ id }) => id);
  const chosen = listed.filter(({ id }) => selection.ids.has(id));
  const tick = useTick(ids, selection.set);
  const nameOf = (one: AppConnection) => agents?.get(one.agent_id ?? "")?.name ?? "an agent that is gone";
  return (
    <section aria-label={label} className="rounded-panel border border-line bg-surface" {...bind}>
      <SelectionBar what="connections" count={chosen.length} onClear={selection.clear}>
        <Button onClick={() => setMany(chosen)}>Disconnect…</Button>
      </SelectionBar>
      <div className="flex items-center gap-2.5 border-b border-line px-4 py-1.5">
        {listed.length > 0 && (
          <TickBox
            label="Select all that are listed"
            className="shrink-0"
            checked={chosen.length === listed.length}
            onChange={({ target }) => selection.set(ids, target.checked)}
          />
        )}
        <RowOrderNote
          held={held}
          waiting={waiting}
          release={release}
          count={shown.length}
          what={shown.length === 1 ? "connection" : "connections"}
        />
      </div>
      <ul ref={body}>
        {before > 0 && <li aria-hidden style={{ height: before }} />}
        {rows.slice(first, last).map(({ item, gone }) => {
          const name = nameOf(item);
          return (
            <ConnectionRow
              key={item.id}
              one={item}
              gone={gone}
              height={rows.length > WHOLE ? height : undefined}
              agent={agents && { id: item.agent_id ?? "", name }}
              mayConnect={mayConnect && !agents?.get(item.agent_id ?? "")?.deleted_at}
              tick={
                listed.length > 0 && (
                  <TickBox
                    label={`Select ${appName(item.provider)} of ${name.slice(0, 200)}`}
                    className="mt-0.5 shrink-0"
                    disabled={gone}
                    checked={selection.ids.has(item.id) && !gone}
                    onClick={(event) => tick(event, item.id)}
                  />
                )
              }
            />
          );
        })}
        {after > 0 && <li aria-hidden style={{ height: after }} />}
      </ul>
      {many && (
        <DisconnectMany
          connections={many}
          agentOf={nameOf}
          onClose={() => {
            setMany(undefined);
            selection.clear();
          }}
        />
      )}
    </section>
  );
}
