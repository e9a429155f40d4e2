import { useQuery } from "@tanstack/react-query";
import type { Node, NodeSandbox } from "~/api/types";
import { bytes, DASH, number } from "~/ui/bytes";
import { type Column, DataTable } from "~/ui/data-table";
import { OwnerLink } from "~/ui/owner-link";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { sandboxStates, stateOf } from "~/ui/sandbox-words";
import { Loading } from "~/ui/skeleton";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { visible } from "~/ui/visible";
import { sandboxesQuery } from "../queries";

const COLUMNS: Column<NodeSandbox>[] = [
  {
    name: "Agent or team",
    show: (one) => (
      <>
        <OwnerLink
          owner={{ kind: one.owner_kind, id: one.owner_id }}
          part="sandbox"
          className="rounded-control font-[550] hover:text-accent hover:underline"
        >
          {visible(one.owner_name)}
        </OwnerLink>
        {one.owner_kind === "team" && <span className="text-fg-3"> team</span>}
      </>
    ),
  },
  {
    name: "Sandbox",
    show: ({ state }) => <Status {...stateOf(sandboxStates, state)} />,
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
    <Panel title="Sandboxes here" aside={sandboxes.data && `${sandboxes.data.length}`}>
      {sandboxes.isPending && <Loading what="sandboxes" rows={2} />}
      {sandboxes.isError && <Failed error={sandboxes.error} retry={() => void sandboxes.refetch()} />}
      {sandboxes.data && (
        <DataTable
          caption="Sandboxes on this machine"
          opens
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
