import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus, Workflow } from "lucide-react";
import { useMay } from "~/api/may";
import type { Team } from "~/api/teams";
import { buttonClass, Button } from "~/ui/button";
import { type Column, LiveTable } from "~/ui/data-table";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { table } from "~/ui/table";
import { profileName } from "~/ui/template-words";
import { Ago } from "~/ui/time";
import { kindName } from "~/ui/topology/kinds";
import { visible } from "~/ui/visible";
import { teamsQuery } from "./queries";

const route = getRouteApi("/shell/teams");

const COLUMNS: Column<Team>[] = [
  {
    name: "Team",
    cell: "w-full max-w-0",
    show: (team) => (
      <>
        <Link
          to="/teams/$id"
          params={{ id: team.id }}
          title={team.name}
          className="block truncate rounded-control font-[550] hover:text-accent hover:underline"
        >
          <bdi>{visible(team.name)}</bdi>
        </Link>
        <span className="block truncate text-small text-fg-3">
          {team.members.length} {team.members.length === 1 ? "agent" : "agents"}
          <span className="sm:hidden">, {kindName(team.topology.kind).toLowerCase()}</span>
        </span>
      </>
    ),
  },
  {
    name: "How they work together",
    look: "max-sm:hidden",
    cell: "whitespace-nowrap text-fg-2",
    show: (team) => kindName(team.topology.kind),
  },
  {
    name: "What they may do",
    look: "max-md:hidden",
    cell: "whitespace-nowrap text-fg-2",
    show: (team) => profileName(team.effective_profile),
  },
  { name: "Made", look: "text-right", cell: "text-fg-2", show: (team) => <Ago at={team.created_at} /> },
];

function List({ teams, q }: { teams: Team[]; q: string }) {
  return (
    <div className={table.frame}>
      <LiveTable label="Table of teams" what={["team", "teams"]} columns={COLUMNS} rows={teams} chosen={q} />
    </div>
  );
}

/** All teams of the workspace. */
export function TeamsPage() {
  const { q = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const teams = useQuery(teamsQuery);
  const manages = useMay()("teams.manage");
  const filter = (text: string) => void navigate({ search: text ? { q: text } : {}, replace: true });
  const parts = q.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = (teams.data ?? []).filter((team) =>
    parts.every((part) => `${team.name} ${team.description ?? ""}`.toLowerCase().includes(part)),
  );
  const make = manages && (
    <Link to="/teams/new" className={buttonClass("primary")}>
      <Plus size={14} aria-hidden />
      New team
    </Link>
  );
  const none = teams.data?.length === 0;
  return (
    <PageFrame crumbs={[{ label: "Teams" }]} actions={none ? undefined : make}>
      <h1 className="text-head-1">Teams</h1>
      {teams.isPending && (
        <Loading what="teams" rows={3} className="rounded-panel border border-line bg-surface" />
      )}
      {teams.isError && !teams.data && (
        <Failed error={teams.error} retry={() => void teams.refetch()} className="" />
      )}
      <Stale query={teams} />
      {none && (
        <Empty icon={<Workflow size={32} strokeWidth={1.5} aria-hidden />} title="No teams yet" action={make}>
          A team is a group of agents with roles. They work together on a goal that you give them. Each team
          begins from a template.
        </Empty>
      )}
      {teams.data && !none && (
        <>
          <FilterField label="Filter by name" value={q} onChange={filter} />
          {shown.length > 0 && <List teams={shown} q={q} />}
          {shown.length === 0 && (
            <Empty
              title="No team fits the filter"
              action={<Button onClick={() => filter("")}>Clear filter</Button>}
            />
          )}
        </>
      )}
      {teams.data && !manages && <MissingRight what="make teams" least="member" />}
    </PageFrame>
  );
}
