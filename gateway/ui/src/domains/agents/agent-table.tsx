import { Link } from "@tanstack/react-router";
import type { Claw } from "~/api/types";
import { type Column, LiveTable } from "~/ui/data-table";
import { sandboxStates, stateOf } from "~/ui/sandbox-words";
import { Status } from "~/ui/status";
import { table } from "~/ui/table";
import { Ago } from "~/ui/time";
import { AvatarImage } from "./avatar";
import { clawStates } from "./words";

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

const NONE = <span className="text-fg-3">–</span>;
const sandboxOf = (claw: Claw) => claw.sandbox && stateOf(sandboxStates, claw.sandbox.state);

const COLUMNS: Column<Claw>[] = [
  {
    name: "Name",
    cell: "h-12",
    show: (claw) => (
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
    ),
  },
  {
    name: "State",
    show: (claw) => {
      const { tone, word } = stateOf(clawStates, claw.status);
      return (
        <>
          <Status tone={tone} word={word} />
          <div className="text-small text-fg-3 sm:hidden">
            sandbox {sandboxOf(claw)?.word.toLowerCase() ?? "none"}
          </div>
        </>
      );
    },
  },
  {
    name: "Sandbox",
    look: "max-sm:hidden",
    show: (claw) => {
      const sandbox = sandboxOf(claw);
      if (!sandbox) return <span className="text-fg-3">none</span>;
      return <Status tone={sandbox.tone} word={sandbox.word} />;
    },
  },
  {
    name: "Runs on",
    look: "max-md:hidden",
    cell: "text-fg-2",
    show: ({ sandbox }) => (sandbox ? place(sandbox) : NONE),
  },
  {
    name: "Model",
    look: "max-xl:hidden",
    cell: "font-mono text-small text-fg-2",
    show: (claw) => claw.model_binding || NONE,
  },
  {
    name: "Managed by",
    look: "max-lg:hidden",
    cell: "text-fg-2",
    show: ({ managed_by: person }) => person.name || person.email,
  },
  {
    name: "Changed",
    look: "text-right max-sm:hidden",
    cell: "text-fg-2",
    show: (claw) => <Ago at={claw.updated_at} />,
  },
];

export function AgentTable({ agents }: { agents: Claw[] }) {
  return (
    <section aria-label="Agents" className={table.frame}>
      <LiveTable
        caption="Agents of this workspace"
        what={["agent", "agents"]}
        columns={COLUMNS}
        rows={agents}
      />
    </section>
  );
}
