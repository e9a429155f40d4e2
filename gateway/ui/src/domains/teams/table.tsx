import { Link } from "@tanstack/react-router";
import type { Team } from "~/api/teams";
import { DASH } from "~/ui/bytes";
import type { ListColumn } from "~/ui/list/list-table";
import { money, outcomeState, runState } from "~/ui/run-state";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { visible } from "~/ui/visible";

type LastRun = NonNullable<Team["last_run"]>;

const NONE = <span className="text-fg-3">{DASH}</span>;

const agentsOf = ({ members }: Team) => `${members.length} ${members.length === 1 ? "agent" : "agents"}`;

function State({ run }: { run: LastRun }) {
  const outcome = outcomeState(run);
  return (
    <span className="flex flex-col gap-0.5">
      <Status {...runState(run)} />
      {outcome && <Status {...outcome} className="text-small" />}
    </span>
  );
}

/** The widths do not follow the words, so a run that changes moves nothing. */
export const columnsOf = (alike: ReadonlyMap<string, string>): ListColumn<Team>[] => [
  {
    name: "Team",
    orders: ["name", "-name"],
    show: (team) => (
      <>
        <Link
          to="/teams/$id"
          params={{ id: team.id }}
          title={team.name}
          className="block truncate rounded-control font-[550] hover:text-accent hover:underline"
        >
          <bdi>{visible(team.name)}</bdi>
          {alike.has(team.id) && <span className="font-[400] text-fg-3"> ({alike.get(team.id)})</span>}
        </Link>
        {team.description && (
          <span className="block truncate text-small text-fg-3 max-md:hidden" title={team.description}>
            {visible(team.description)}
          </span>
        )}
        <span className="block truncate text-small text-fg-3 md:hidden">{agentsOf(team)}</span>
        <span className="block truncate text-small text-fg-3 sm:hidden">
          {team.last_run ? <Ago at={team.last_run.created_at} /> : "no runs yet"}
        </span>
      </>
    ),
  },
  {
    name: "Last run",
    look: "w-56 max-lg:hidden",
    cell: "text-fg-2",
    show: ({ last_run: run }) =>
      run ? (
        <Link
          to="/runs/$id"
          params={{ id: run.id }}
          title={run.title}
          className="block truncate rounded-control hover:text-accent hover:underline"
        >
          <bdi>{visible(run.title) || "untitled"}</bdi>
        </Link>
      ) : (
        <span className="text-fg-3">no runs yet</span>
      ),
  },
  {
    name: "State",
    look: "w-36 max-sm:w-32 max-sm:px-2",
    show: ({ last_run: run }) => (run ? <State run={run} /> : NONE),
  },
  {
    name: "Members",
    look: "w-28 max-md:hidden",
    cell: "text-fg-2",
    show: (team) => agentsOf(team),
  },
  {
    name: "Started",
    look: "w-32 text-right max-sm:hidden",
    cell: "text-fg-2",
    orders: ["-run", "run"],
    show: ({ last_run: run }) => (run ? <Ago at={run.created_at} /> : NONE),
  },
  {
    name: "Cost",
    look: "w-28 text-right max-md:hidden",
    cell: "text-fg-2",
    orders: ["-cost"],
    show: ({ last_run: run }) => (run ? money(run.cost_microusd) : NONE),
  },
];
