import { Link } from "@tanstack/react-router";
import type { Claw } from "~/api/types";
import { cx } from "~/ui/class";
import { useHeld } from "~/ui/held";
import { HeldNote } from "~/ui/held-note";
import { Status } from "~/ui/status";
import { table } from "~/ui/table";
import { Ago } from "~/ui/time";
import { AvatarImage } from "./avatar";
import { clawStates, sandboxStates, stateOf } from "./words";

function AgentRow({ claw, gone }: { claw: Claw; gone: boolean }) {
  const state = stateOf(clawStates, claw.status);
  const sandbox = claw.sandbox ? stateOf(sandboxStates, claw.sandbox.state) : undefined;
  return (
    <tr className={cx(table.row, gone && "line-through opacity-60")}>
      <th scope="row" className={cx(table.cell, "h-12 font-normal")}>
        <div className="flex items-center gap-3">
          <AvatarImage claw={claw} className="size-8" />
          <div className="min-w-0">
            <Link
              to="/claws/$id"
              params={{ id: claw.id }}
              className="rounded-control font-[550] hover:text-accent hover:underline"
            >
              {claw.name}
            </Link>
            <div className="truncate text-small text-fg-3">{claw.role || "no role"}</div>
          </div>
        </div>
      </th>
      <td className={table.cell}>
        <Status tone={state.tone} word={state.word} />
        <div className="text-small text-fg-3 sm:hidden">
          sandbox {sandbox ? sandbox.word.toLowerCase() : "none"}
        </div>
      </td>
      <td className={cx(table.cell, "max-sm:hidden")}>
        {sandbox ? (
          <Status tone={sandbox.tone} word={sandbox.word} />
        ) : (
          <span className="text-fg-3">none</span>
        )}
      </td>
      <td className={cx(table.cell, "text-fg-2 max-md:hidden")}>
        {claw.sandbox ? place(claw.sandbox) : <span className="text-fg-3">–</span>}
      </td>
      <td className={cx(table.cell, "font-mono text-small text-fg-2 max-xl:hidden")}>
        {claw.model_binding || <span className="text-fg-3">–</span>}
      </td>
      <td className={cx(table.cell, "text-fg-2 max-lg:hidden")}>
        {claw.managed_by.name || claw.managed_by.email}
      </td>
      <td className={cx(table.cell, "text-right text-fg-2 max-sm:hidden")}>
        <Ago at={claw.updated_at} />
      </td>
    </tr>
  );
}

function place(sandbox: NonNullable<Claw["sandbox"]>) {
  if (sandbox.node_id === "local") return "Gateway's machine";
  return (
    <Link
      to="/fleet/$id"
      params={{ id: sandbox.node_id }}
      className="rounded-control hover:text-accent hover:underline"
    >
      {sandbox.node_name || sandbox.node_id.slice(0, 8)}
    </Link>
  );
}

export function AgentTable({ agents }: { agents: Claw[] }) {
  const { rows, waiting, held, release, bind } = useHeld(agents);
  return (
    <section aria-label="Agents" className="rounded-panel border border-line bg-surface" {...bind}>
      <div className="border-b border-line px-4 py-1.5">
        <HeldNote
          held={held}
          waiting={waiting}
          release={release}
          count={agents.length}
          what={agents.length === 1 ? "agent" : "agents"}
        />
      </div>
      <div className={table.wrap}>
        <table className={table.root}>
          <caption className="sr-only">Agents of this workspace</caption>
          <thead>
            <tr>
              <th scope="col" className={table.head}>
                Name
              </th>
              <th scope="col" className={table.head}>
                State
              </th>
              <th scope="col" className={cx(table.head, "max-sm:hidden")}>
                Sandbox
              </th>
              <th scope="col" className={cx(table.head, "max-md:hidden")}>
                Runs on
              </th>
              <th scope="col" className={cx(table.head, "max-xl:hidden")}>
                Model
              </th>
              <th scope="col" className={cx(table.head, "max-lg:hidden")}>
                Managed by
              </th>
              <th scope="col" className={cx(table.head, "text-right max-sm:hidden")}>
                Changed
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ item, gone }) => (
              <AgentRow key={item.id} claw={item} gone={gone} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
