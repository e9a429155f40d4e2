import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Node, Operation } from "~/api/types";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { sentence } from "~/ui/sentence";
import { Loading } from "~/ui/skeleton";
import { Status, type Tone } from "~/ui/status";
import { Ago, duration } from "~/ui/time";
import { operationsQuery } from "../queries";

const TONES: Record<string, Tone> = {
  queued: "waiting",
  accepted: "moving",
  running: "running",
  done: "done",
  succeeded: "done",
  failed: "failed",
  lost: "failed",
  cancelled: "paused",
};

function took({ started_at, finished_at }: Operation): string {
  return started_at && finished_at ? duration(Date.parse(finished_at) - Date.parse(started_at)) : "";
}

/** What this machine was last asked to do, newest first. */
export function Operations({ node }: { node: Node }) {
  const operations = useQuery(operationsQuery(node.id));
  return (
    <Panel title="Operations" aside={operations.data && operations.data.length > 0 && "newest 20"}>
      {operations.isPending && <Loading what="operations" rows={3} />}
      {operations.isError && <Failed error={operations.error} retry={() => void operations.refetch()} />}
      {operations.data?.length === 0 && (
        <p className="px-4 py-5 text-fg-3">
          Nothing yet. Whatever the gateway asks of this machine is listed here; its owner sees the same in
          roostd status.
        </p>
      )}
      <ul>
        {operations.data?.map((one) => (
          <li key={one.id} className="border-b border-line px-4 py-2 last:border-0">
            <div className="flex flex-wrap items-center justify-between gap-x-3">
              <span className="flex min-w-0 items-center gap-3">
                <span className="font-mono text-small">{one.kind}</span>
                {one.agent_id && (
                  <Link
                    to="/claws/$id"
                    params={{ id: one.agent_id }}
                    className="rounded-control text-small text-fg-2 hover:text-accent hover:underline"
                  >
                    agent {one.agent_id.slice(-6)}
                  </Link>
                )}
              </span>
              <span className="flex items-center gap-3 text-small text-fg-3">
                {took(one)} <Ago at={one.started_at} />
                <Status tone={TONES[one.state] ?? "idle"} word={sentence(one.state)} />
              </span>
            </div>
            {one.detail && <p className="text-small text-fg-2">{one.detail}</p>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
