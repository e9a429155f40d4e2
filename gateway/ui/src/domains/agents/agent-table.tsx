import { Link } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import type { Claw } from "~/api/types";
import { agentStates, type AgentState, useAgentWord } from "~/ui/agent-state";
import { ends } from "~/ui/apart";
import { Button } from "~/ui/button";
import { type Group, type ListColumn, ListTable } from "~/ui/list/list-table";
import { useSelection } from "~/ui/list/selection";
import type { Sorting } from "~/ui/list/sort";
import { SelectionBar } from "~/ui/list/tick";
import { sandboxStates, stateOf } from "~/ui/sandbox-words";
import { Person } from "~/ui/person";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { visible } from "~/ui/visible";
import { OWN, type Teams, type TeamGroup } from "./arrange";
import { AvatarImage } from "./avatar";
import { AGENTS, DeleteDialog } from "./delete-many";
import type { UsedModel } from "./model";

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

function TeamLink({ id, name }: { id: string; name: string }) {
  return (
    <Link
      to="/teams/$id"
      params={{ id }}
      title={name}
      className="rounded-control hover:text-accent hover:underline"
    >
      <bdi>{visible(name)}</bdi>
    </Link>
  );
}

function Name({ claw, teams, end }: { claw: Claw; teams: Teams; end: string | undefined }) {
  return (
    <div className="flex items-center gap-3">
      <AvatarImage claw={claw} className="size-8" />
      <div className="min-w-0">
        <Link
          to="/claws/$id"
          params={{ id: claw.id }}
          className="block truncate rounded-control font-[550] hover:text-accent hover:underline"
        >
          <bdi>{visible(claw.name)}</bdi>
          {end !== undefined && <span className="font-[400] text-fg-3"> ({end})</span>}
        </Link>
        <div className="truncate text-small text-fg-3">{claw.role || "no role"}</div>
        <div className="truncate text-small text-fg-3 sm:hidden">
          {teams.get(claw.id)?.[0]?.name ?? "no team"}
        </div>
      </div>
    </div>
  );
}

function State({ claw, state }: { claw: Claw; state: AgentState }) {
  return (
    <>
      <Status {...state} className="flex!" />
      <div className="truncate text-small text-fg-3 sm:hidden">
        sandbox {sandboxOf(claw)?.word.toLowerCase() ?? "none"}
      </div>
    </>
  );
}

function Sandbox({ claw }: { claw: Claw }) {
  const sandbox = sandboxOf(claw);
  if (!sandbox) return <span className="text-fg-3">none</span>;
  return <Status tone={sandbox.tone} word={sandbox.word} className="flex!" />;
}

const FROM = { team: "of the team", workspace: "default model" };

function Model({ model }: { model: UsedModel | undefined }) {
  if (!model) return NONE;
  return (
    <>
      <bdi className="block truncate font-mono text-small" title={model.name}>
        {visible(model.name)}
      </bdi>
      {model.from && <span className="block truncate text-small text-fg-3">{FROM[model.from]}</span>}
    </>
  );
}

/** The widths do not follow the words, so a state that changes moves nothing. */
const columnsOf = (
  teams: Teams,
  used: (claw: Claw) => UsedModel | undefined,
  word: ReturnType<typeof useAgentWord>,
  alike: ReadonlyMap<string, string>,
): ListColumn<Claw>[] => [
  {
    name: "Name",
    orders: ["name", "-name"],
    show: (claw) => <Name claw={claw} teams={teams} end={alike.get(claw.id)} />,
  },
  {
    name: "Team",
    look: "w-44 max-md:hidden",
    cell: "text-fg-2",
    show: ({ id }) => {
      const [first, ...more] = teams.get(id) ?? [];
      if (!first) return NONE;
      return (
        <span className="block truncate">
          <TeamLink {...first} />
          {more.length > 0 && <span className="text-fg-3"> and {more.length} more</span>}
        </span>
      );
    },
  },
  {
    name: "State",
    look: "w-32 max-sm:w-34 max-sm:px-2",
    orders: ["state", "-state"],
    show: (claw) => <State claw={claw} state={agentStates[word(claw)]} />,
  },
  { name: "Sandbox", look: "w-32 max-sm:hidden", show: (claw) => <Sandbox claw={claw} /> },
  {
    name: "Runs on",
    look: "w-40 max-lg:hidden",
    cell: "text-fg-2",
    show: ({ sandbox }) => <span className="block truncate">{sandbox ? place(sandbox) : NONE}</span>,
  },
  {
    name: "Model",
    look: "w-44 max-2xl:hidden",
    cell: "text-fg-2",
    show: (claw) => <Model model={used(claw)} />,
  },
  {
    name: "Managed by",
    look: "w-36 max-xl:hidden",
    cell: "text-fg-2",
    show: ({ managed_by: person }) => <Person user={person} />,
  },
  {
    name: "Changed",
    look: "w-32 text-right max-sm:hidden",
    cell: "text-fg-2",
    orders: ["-changed", "changed"],
    show: (claw) => <Ago at={claw.updated_at} />,
  },
];

interface Props {
  agents: Claw[];
  teams: Teams;
  /** The model that an agent uses, as far as it is known. */
  used: (claw: Claw) => UsedModel | undefined;
  /** The same agents below their teams. */
  groups?: TeamGroup[] | undefined;
  chosen: string;
  sorting: Sorting;
  mayDelete: boolean;
}

export function AgentTable({ agents, teams, used, groups, chosen, sorting, mayDelete }: Props) {
  const selection = useSelection();
  const [deletes, setDeletes] = useState(false);
  // One question for all rows, not one of each.
  const word = useAgentWord();
  const alike = useMemo(() => ends(agents.map(({ id, name }) => [id, name])), [agents]);
  const columns = useMemo(() => columnsOf(teams, used, word, alike), [teams, used, word, alike]);
  const headed = useMemo<Group<Claw>[] | undefined>(
    () =>
      groups?.map(({ id, name, rows }) => ({
        id,
        rows,
        title: id ? <TeamLink id={id} name={name} /> : name,
      })),
    [groups],
  );
  // Agents that a filter hides are not acted on: nobody sees that they are chosen.
  const targets = useMemo(() => agents.filter(({ id }) => selection.ids.has(id)), [agents, selection.ids]);
  return (
    <>
      <ListTable
        label="Agents"
        what={AGENTS}
        columns={columns}
        rows={agents}
        groups={headed}
        nameOf={({ name }) => name}
        chosen={chosen}
        sorting={sorting}
        order={OWN}
        selection={mayDelete ? selection : undefined}
        bar={
          <SelectionBar what="agents" count={targets.length} onClear={selection.clear}>
            <Button icon={<Trash2 size={14} aria-hidden />} onClick={() => setDeletes(true)}>
              Delete…
            </Button>
          </SelectionBar>
        }
      />
      {deletes && <DeleteDialog agents={targets} onClose={() => setDeletes(false)} />}
    </>
  );
}
