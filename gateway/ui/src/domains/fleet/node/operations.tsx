import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Node, Operation } from "~/api/types";
import { asked, ended } from "~/ui/operation";
import { OwnerLink, useOwners } from "~/ui/owner-link";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Status } from "~/ui/status";
import { Ago, duration } from "~/ui/time";
import { visible } from "~/ui/visible";
import { operationsQuery } from "../queries";

/** Newest first by the time of the request. Ids are no help: those of tool calls do not grow with time. */
export const inTime = (operations: readonly Operation[]): Operation[] =>
  operations.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));

function Row({ one, whose }: { one: Operation; whose: ReturnType<ReturnType<typeof useOwners>> }) {
  const { text, code } = asked({ ...one, request: one.request as Record<string, unknown> });
  return (
    <li className="border-b border-line px-4 py-2 last:border-0">
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <span>{text}</span>
        <span className="flex items-center gap-3 text-small text-fg-3">
          {one.finished_at && duration(one.duration_ms)} <Ago at={one.created_at} />
          <Status {...ended(one)} />
        </span>
      </div>
      <p className="flex min-w-0 items-baseline gap-3 text-small text-fg-2">
        {code && (
          <code className="min-w-0 truncate font-mono" title={code.slice(0, 2000)}>
            {code}
          </code>
        )}
        {whose && (
          <OwnerLink
            owner={whose.owner}
            className="max-w-[50%] shrink-0 truncate rounded-control hover:text-accent hover:underline"
          >
            <bdi>{visible(whose.name)}</bdi>
          </OwnerLink>
        )}
      </p>
      {one.detail && <p className="text-small break-words text-fg-2">{one.detail}</p>}
    </li>
  );
}

/** What this machine was last asked to do, newest first. */
export function Operations({ node }: { node: Node }) {
  const operations = useQuery(operationsQuery(node.id));
  const owner = useOwners();
  const rows = useMemo(() => inTime(operations.data ?? []), [operations.data]);
  return (
    <Panel title="Operations" aside={rows.length > 0 && "newest 20"}>
      {operations.isPending && <Loading what="operations" rows={3} />}
      {operations.isError && <Failed error={operations.error} retry={() => void operations.refetch()} />}
      {operations.data?.length === 0 && (
        <p className="px-4 py-5 text-fg-3">
          No operations yet. This list shows what the gateway asks of this machine. Its owner sees the same
          with roostd status.
        </p>
      )}
      <ul aria-label="Operations">
        {rows.map((one) => (
          <Row key={one.id} one={one} whose={one.owner_id ? owner(one.owner_id) : undefined} />
        ))}
      </ul>
    </Panel>
  );
}
