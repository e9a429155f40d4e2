import { useMemo, useRef } from "react";
import type { AppConnection, Claw } from "~/api/types";
import { useRowOrder } from "~/ui/row-order";
import { RowOrderNote } from "~/ui/row-order-note";
import { useNarrow } from "~/ui/list/narrow";
import { useNow } from "~/ui/time";
import { useWindow, WHOLE } from "~/ui/window";
import { ConnectionRow } from "./connection-row";
import { byNeed, matches, standingOf } from "./words";

interface Props {
  label: string;
  /** As they are shown: see `useShown`. */
  shown: AppConnection[];
  /** Where connections of several agents stand together: whose each is. */
  agents?: ReadonlyMap<string, Claw>;
  /** Words of a filter. */
  filter?: string;
  mayConnect: boolean;
}

/** What is shown of a list; the states of some change with time alone. */
export function useShown(list: AppConnection[], agents: Props["agents"], filter = "") {
  const exact = useNow();
  // A long list is sorted twice a minute, not with each second.
  const now = list.length > WHOLE ? Math.floor(exact / 30_000) * 30_000 : exact;
  return useMemo(() => {
    const nameOf = (id: string | null | undefined) => agents?.get(id ?? "")?.name ?? "";
    const fits = (one: AppConnection) => matches(one, nameOf(one.agent_id), standingOf(one, now), filter);
    return byNeed(list.filter(fits), nameOf, now);
  }, [list, agents, filter, now]);
}

/** What a row of a long list needs at most, so that only those in view are drawn. */
const ROW_PX = { wide: 168, narrow: 224 };

/** Connections, those first that need attention; what is under the pointer stays where it is. */
export function ConnectionList({ label, shown, agents, filter = "", mayConnect }: Props) {
  const { rows, waiting, held, release, bind } = useRowOrder(shown, filter);
  const body = useRef<HTMLUListElement>(null);
  const height = ROW_PX[useNarrow() ? "narrow" : "wide"];
  const { first, last, before, after } = useWindow(body, rows.length, height);
  return (
    <section aria-label={label} className="rounded-panel border border-line bg-surface" {...bind}>
      <div className="border-b border-line px-4 py-1.5">
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
          const claw = agents?.get(item.agent_id ?? "");
          const agent = agents && { id: item.agent_id ?? "", name: claw?.name ?? "an agent that is gone" };
          return (
            <ConnectionRow
              key={item.id}
              one={item}
              gone={gone}
              height={rows.length > WHOLE ? height : undefined}
              agent={agent}
              mayConnect={mayConnect && !claw?.deleted_at}
            />
          );
        })}
        {after > 0 && <li aria-hidden style={{ height: after }} />}
      </ul>
    </section>
  );
}
