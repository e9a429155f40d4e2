import { useQuery } from "@tanstack/react-query";
import type { Node, ToolReport } from "~/api/types";
import { DASH } from "~/ui/bytes";
import { type Column, DataTable } from "~/ui/data-table";
import { NarrowFold } from "~/ui/fold";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { toolsQuery } from "../queries";

const COLUMNS: Column<ToolReport["items"][number]>[] = [
  {
    name: "Tool",
    show: ({ tool, mirrors }) => (
      <>
        {tool}
        {mirrors && <span className="text-fg-3"> as {mirrors}</span>}
      </>
    ),
  },
  {
    name: "Installed",
    cell: "font-mono text-small",
    show: ({ version }) => version ?? <span className="font-sans text-fg-3">not installed</span>,
  },
  {
    name: "Newest known",
    cell: "font-mono text-small text-fg-2",
    show: ({ latest, version }) =>
      latest && version && latest !== version ? (
        <Status tone="warning" word={latest} title="A newer version is known" />
      ) : (
        (latest ?? DASH)
      ),
  },
];

/** The versions of the tools that this machine has installed. */
export function Tools({ node }: { node: Node }) {
  const tools = useQuery(toolsQuery(node.id));
  return (
    <NarrowFold
      id="tools"
      title="Tools"
      summary={tools.data && `${tools.data.items.length} reported`}
      aside={
        tools.data?.reported_at && (
          <>
            Reported <Ago at={tools.data.reported_at} />
          </>
        )
      }
    >
      {tools.isPending && <Loading what="tools" rows={3} />}
      {tools.isError && <Failed error={tools.error} retry={() => void tools.refetch()} />}
      {tools.data && (
        <DataTable
          caption="Tools on this machine"
          columns={COLUMNS}
          rows={tools.data.items}
          keyOf={({ tool }) => tool}
          empty={
            <p className="px-4 py-5 text-fg-3">
              Nothing reported yet. A machine reports its tools when it connects, and every 15 minutes.
            </p>
          }
        />
      )}
    </NarrowFold>
  );
}
