import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Node, SandboxState } from "~/api/types";
import { bytes, DASH, number } from "~/ui/bytes";
import { cx } from "~/ui/class";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Status, type Tone } from "~/ui/status";
import { table } from "~/ui/table";
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

/** Whose sandboxes run on this machine, with what each was promised. */
export function AgentsHere({ node }: { node: Node }) {
  const sandboxes = useQuery(sandboxesQuery(node.id));
  return (
    <Panel title="Agents here" aside={sandboxes.data && `${sandboxes.data.length}`}>
      {sandboxes.isPending && <Loading what="sandboxes" rows={2} />}
      {sandboxes.isError && <Failed error={sandboxes.error} retry={() => void sandboxes.refetch()} />}
      {sandboxes.data?.length === 0 && (
        <p className="px-4 py-5 text-fg-3">
          No sandbox runs here. New ones come here when the fleet's placement names this machine.
        </p>
      )}
      {sandboxes.data && sandboxes.data.length > 0 && (
        <div className={table.wrap}>
          <table className={table.root}>
            <caption className="sr-only">Sandboxes on this machine</caption>
            <thead>
              <tr>
                <th scope="col" className={table.head}>
                  Agent
                </th>
                <th scope="col" className={table.head}>
                  Sandbox
                </th>
                <th scope="col" className={cx(table.head, "text-right")}>
                  Memory
                </th>
                <th scope="col" className={cx(table.head, "text-right max-sm:hidden")}>
                  Processors
                </th>
                <th scope="col" className={cx(table.head, "text-right max-sm:hidden")}>
                  Made
                </th>
              </tr>
            </thead>
            <tbody>
              {sandboxes.data.map((one) => (
                <tr key={one.id} className={table.row}>
                  <th scope="row" className={cx(table.cell, "font-normal")}>
                    <Link
                      to="/claws/$id"
                      params={{ id: one.agent_id }}
                      className="rounded-control font-[550] hover:text-accent hover:underline"
                    >
                      {one.agent_name}
                    </Link>
                  </th>
                  <td className={table.cell}>
                    <Status {...(STATES[one.state] ?? { tone: "idle", word: one.state })} />
                  </td>
                  <td className={cx(table.cell, "text-right text-fg-2")}>{bytes(one.limits.memory_bytes)}</td>
                  <td className={cx(table.cell, "text-right text-fg-2 max-sm:hidden")}>
                    {one.limits.nano_cpus ? number(one.limits.nano_cpus / 1e9, 1) : DASH}
                  </td>
                  <td className={cx(table.cell, "text-right text-fg-2 max-sm:hidden")}>
                    <Ago at={one.created_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
