import { useMemo } from "react";
import type { AppConnection, Claw } from "~/api/types";
import { useRowOrder } from "~/ui/row-order";
import { RowOrderNote } from "~/ui/row-order-note";
import { useNow } from "~/ui/time";
import { ConnectionRow } from "./connection-row";
import { byNeed, matches, standingOf } from "./words";

interface Props {
  label: string;
  list: AppConnection[];
  /** Where connections of several agents stand together: whose each is. */
  agents?: ReadonlyMap<string, Claw>;
  /** Words of a filter. */
  filter?: string;
  mayConnect: boolean;
}

/** What is shown of a list; the states of some change with time alone. */
export function useShown(list: AppConnection[], agents: Props["agents"], filter: string) {
  const now = useNow();
  return useMemo(() => {
    const nameOf = (id: string | null | undefined) => agents?.get(id ?? "")?.name ?? "";
    const fits = (one: AppConnection) => matches(one, nameOf(one.agent_id), standingOf(one, now), filter);
    return byNeed(list.filter(fits), nameOf, now);
  }, [list, agents, filter, now]);
}

/** Connections, those first that need attention; what is under the pointer stays where it is. */
export function ConnectionList({ label, list, agents, filter = "", mayConnect }: Props) {
  const shown = useShown(list, agents, filter);
  const { rows, waiting, held, release, bind } = useRowOrder(shown, filter);
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
      <ul>
        {rows.map(({ item, gone }) => {
          const claw = agents?.get(item.agent_id ?? "");
          const agent = agents && { id: item.agent_id ?? "", name: claw?.name ?? "an agent that is gone" };
          return (
            <ConnectionRow
              key={item.id}
              one={item}
              gone={gone}
              agent={agent}
              mayConnect={mayConnect && !claw?.deleted_at}
            />
          );
        })}
      </ul>
    </section>
  );
}
