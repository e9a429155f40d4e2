import type { Door } from "~/api/doors";
import { Button } from "~/ui/button";
import { useRowOrder } from "~/ui/row-order";
import { Panel } from "~/ui/panel";
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";
import { About, type CardProps } from "./door-card";
import { Decided, Outcome } from "./outcome";
import { Packages } from "./packages";
import { Request } from "./request";
import { stateOf } from "./words";

interface Props {
  doors: Door[];
  filter: string;
  cardOf: (door: Door) => Omit<CardProps, "door" | "own" | "mayResolve">;
  own: string | undefined;
  /** What was asked for is shown at once, wherever the pointer is. */
  more: { pages: number; has: boolean; busy: boolean; load: () => void };
}

function Row({ door, own, action, agent }: Omit<CardProps, "mayResolve">) {
  const state = stateOf(door.state);
  return (
    <li data-row className="border-b border-line px-4 py-2 last:border-0">
      <details>
        <summary aria-labelledby={`door-${door.id}`} className="cursor-pointer rounded-control">
          <span
            id={`door-${door.id}`}
            className="inline-flex w-[calc(100%-20px)] flex-wrap items-baseline justify-between gap-x-4 gap-y-1 align-top"
          >
            <span className="min-w-0 break-words">
              <bdi>{agent.name}</bdi>:{" "}
              <span className="font-[550]">{action?.title ?? visible(door.action)}</span>{" "}
              <bdi className="font-mono text-small break-all">{visible(door.target)}</bdi>
            </span>
            <span className="flex flex-wrap items-center gap-x-3 text-small text-fg-3">
              <Status tone={state.tone} word={state.word} />
              <Decided door={door} own={own} />
            </span>
          </span>
        </summary>
        <div className="mt-2 mb-1 flex flex-col gap-2">
          <About door={door} action={action} agent={agent} />
          {door.packages && <Packages of={door.packages} />}
          <Request door={door} action={action} />
          <Outcome door={door} own={own} />
        </div>
      </details>
    </li>
  );
}

/** What was decided, newest first, with what came of it. */
export function History({ doors, filter, cardOf, own, more }: Props) {
  const { rows, waiting, release, bind } = useRowOrder(doors, `${filter} ${more.pages}`);
  return (
    <Panel
      title="Decided"
      aside={
        waiting > 0 && (
          <Button className="h-6" onClick={release}>
            {waiting} new
          </Button>
        )
      }
    >
      <div {...bind}>
        {rows.length === 0 && (
          <p className="px-4 py-3 text-fg-2">
            {filter ? "No decided request fits the filter." : "No request was decided yet."}
          </p>
        )}
        <ul aria-label="Decided requests">
          {rows.map(({ item }) => (
            <Row key={item.id} {...cardOf(item)} door={item} own={own} />
          ))}
        </ul>
        {more.has && (
          <p className="border-t border-line px-4 py-2">
            <Button busy={more.busy} onClick={more.load}>
              Show older ones
            </Button>
          </p>
        )}
      </div>
    </Panel>
  );
}
