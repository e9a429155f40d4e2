import { Link } from "@tanstack/react-router";
import { GitFork } from "lucide-react";
import type { RunSummary } from "~/api/runs";
import { DASH } from "~/ui/bytes";
import type { ListColumn } from "~/ui/list/list-table";
import { Person } from "~/ui/person";
import { money, originWord, outcomeState, runState, took } from "~/ui/run-state";
import { Status } from "~/ui/status";
import { Ago, duration, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";

/** Names that the list shows and the runs do not have. */
export interface Names {
  teams: ReadonlyMap<string, string>;
  agents: ReadonlyMap<string, string>;
}

function Took({ run }: { run: RunSummary }) {
  return duration(took(run.started_at, run.ended_at, useNow()));
}

/** A fork has the title of its original, so each screen has to tell them apart. */
function ForkBadge() {
  return (
    <span className="inline-flex shrink-0 items-center gap-1 rounded-full border border-line-strong px-1.5 text-micro text-fg-2">
      <GitFork size={11} aria-hidden />
      Fork
    </span>
  );
}

function Title({ run }: { run: RunSummary }) {
  const forked = run.origin.type === "fork";
  const origin = forked ? undefined : originWord(run);
  return (
    <>
      <span className="flex min-w-0 items-center gap-2">
        <Link
          to="/runs/$id"
          params={{ id: run.id }}
          title={run.title}
          className="block min-w-0 truncate rounded-control font-[550] hover:text-accent hover:underline"
        >
          <bdi>{visible(run.title) || "untitled"}</bdi>
        </Link>
        {forked && <ForkBadge />}
      </span>
      {origin && <span className="block truncate text-small text-fg-3 max-sm:hidden">{origin}</span>}
      <span className="block truncate text-small text-fg-3 sm:hidden">
        <Ago at={run.created_at} />
      </span>
      <span className="block truncate text-small text-fg-3 sm:hidden">
        {run.started_at && (
          <>
            <Took run={run} />,{" "}
          </>
        )}
        {money(run.cost_microusd)}
      </span>
    </>
  );
}

function Who({ run, names }: { run: RunSummary; names: Names }) {
  const [id, list, to] = run.team_id
    ? ([run.team_id, names.teams, "/teams/$id"] as const)
    : ([run.agent_id, names.agents, "/claws/$id"] as const);
  if (!id) return <span className="text-fg-3">{DASH}</span>;
  const name = list.get(id);
  // A team that is deleted has no page any more.
  if (name === undefined) return <span className="text-fg-3">{DASH}</span>;
  return (
    <Link
      to={to}
      params={{ id }}
      title={name}
      className="block truncate rounded-control hover:text-accent hover:underline"
    >
      <bdi>{visible(name)}</bdi>
    </Link>
  );
}

function State({ run }: { run: RunSummary }) {
  const state = runState(run);
  const outcome = outcomeState(run);
  return (
    <span className="flex flex-col gap-0.5">
      <Status {...state} title={run.error ?? state.title} />
      {outcome && <Status {...outcome} className="text-small" />}
    </span>
  );
}

const FIGURE = "whitespace-nowrap text-fg-2";

/** The widths do not follow the words, so a time that grows moves nothing. */
export const columnsOf = (names: Names): ListColumn<RunSummary>[] => [
  { name: "Run", show: (run) => <Title run={run} /> },
  {
    name: "Team",
    look: "w-44 max-lg:hidden",
    cell: "text-fg-2",
    show: (run) => <Who run={run} names={names} />,
  },
  {
    name: "Started by",
    look: "w-36 max-xl:hidden",
    cell: "text-fg-2",
    show: ({ created_by: person }) =>
      person ? <Person user={person} /> : <span className="text-fg-3">{DASH}</span>,
  },
  { name: "State", look: "w-36 max-sm:w-32 max-sm:px-2", show: (run) => <State run={run} /> },
  {
    name: "Started",
    look: "w-36 text-right max-sm:hidden",
    cell: FIGURE,
    orders: ["-created_at", "created_at"],
    show: (run) => <Ago at={run.created_at} />,
  },
  {
    name: "Duration",
    look: "w-28 text-right max-md:hidden",
    cell: FIGURE,
    orders: ["-duration"],
    show: (run) => <Took run={run} />,
  },
  {
    name: "Cost",
    look: "w-28 text-right max-md:hidden",
    cell: FIGURE,
    orders: ["-cost"],
    show: (run) => money(run.cost_microusd),
  },
];
