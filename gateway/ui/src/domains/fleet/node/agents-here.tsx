import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Node, NodeSandbox, SandboxState } from "~/api/types";
import { bytes, DASH, number } from "~/ui/bytes";
import { type Column, DataTable } from "~/ui/data-table";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Status, type Tone } from "~/ui/status";
import { Ago } from "~/ui/time";
import { sandboxesQuery } from "../queries";

const STATES: Record<SandboxState, { tone: Tone; word: string }> = {
  provisioning: { tone: "moving", word: "Starting" },
  running: { tone: "running", word: "Running" },
  stopped: { tone: "paused", word: "Stopped" },
  lost: { tone: "failed", word: "Lost" },
  destroying: { tone: "moving", word: "Going away" },
  destroyed: { tone: "offline", word: "Gone" },
  failed: { tone: "failed", word: "Failed" },
};

const COLUMNS: Column<NodeSandbox>[] = [
  {
    name: "Agent",
    show: (one) => (
      <Link
        to="/claws/$id"
        params={{ id: one.agent_id }}
        className="rounded-control font-[550] hover:text-accent hover:underline"
      >
        {one.agent_name}
      </Link>
    ),
  },
  {
    name: "Sandbox",
    show: ({ state }) => <Status {...(STATES[state] ?? { tone: "idle", word: state })} />,
  },
  { name: "Memory", look: "text-right", cell: "text-fg-2", show: (one) => bytes(one.limits.memory_bytes) },
  {
    name: "Processors",
    look: "text-right max-sm:hidden",
    cell: "text-fg-2",
    show: ({ limits }) => (limits.nano_cpus ? number(limits.nano_cpus / 1e9, 1) : DASH),
  },
  {
    name: "Made",
    look: "text-right max-sm:hidden",
    cell: "text-fg-2",
    show: (one) => <Ago at={one.created_at} />,
  },
];

/** Whose sandboxes run on this machine, with what each was promised. */
export function AgentsHere({ node }: { node: Node }) {
  const sandboxes = useQuery(sandboxesQuery(node.id));
  return (
    <Panel title="Agents here" aside={sandboxes.data && `${sandboxes.data.length}`}>
      {sandboxes.isPending && <Loading what="sandboxes" rows={2} />}
      {sandboxes.isError && <Failed error={sandboxes.error} retry={() => void sandboxes.refetch()} />}
      {sandboxes.data && (
        <DataTable
          caption="Sandboxes on this machine"
          columns={COLUMNS}
          rows={sandboxes.data}
          keyOf={({ id }) => id}
          empty={
            <p className="px-4 py-5 text-fg-3">
              No sandbox runs here. New ones come here when the fleet's placement names this machine.
            </p>
          }
        />
      )}
    </Panel>
  );
}
