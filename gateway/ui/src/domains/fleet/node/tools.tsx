import { useQuery } from "@tanstack/react-query";
import type { Node } from "~/api/types";
import { DASH } from "~/ui/bytes";
import { cx } from "~/ui/class";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Status } from "~/ui/status";
import { table } from "~/ui/table";
import { Ago } from "~/ui/time";
import { toolsQuery } from "../queries";

/** The versions of the tools that this machine has installed. */
export function Tools({ node }: { node: Node }) {
  const tools = useQuery(toolsQuery(node.id));
  return (
    <Panel
      title="Tools"
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
      {tools.data?.items.length === 0 && (
        <p className="px-4 py-5 text-fg-3">
          Nothing reported yet. A machine reports its tools when it connects, and every 15 minutes.
        </p>
      )}
      {tools.data && tools.data.items.length > 0 && (
        <table className={table.root}>
          <caption className="sr-only">Tools on this machine</caption>
          <thead>
            <tr>
              <th scope="col" className={table.head}>
                Tool
              </th>
              <th scope="col" className={table.head}>
                Installed
              </th>
              <th scope="col" className={table.head}>
                Newest known
              </th>
            </tr>
          </thead>
          <tbody>
            {tools.data.items.map((one) => (
              <tr key={one.tool} className={table.row}>
                <th scope="row" className={cx(table.cell, "font-normal")}>
                  {one.tool}
                  {one.mirrors && <span className="text-fg-3"> as {one.mirrors}</span>}
                </th>
                <td className={cx(table.cell, "font-mono text-small")}>
                  {one.version ?? <span className="font-sans text-fg-3">not installed</span>}
                </td>
                <td className={cx(table.cell, "font-mono text-small text-fg-2")}>
                  {one.latest && one.version && one.latest !== one.version ? (
                    <Status tone="warning" word={one.latest} title="A newer version is known" />
                  ) : (
                    (one.latest ?? DASH)
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
