import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus, Trash2, Workflow } from "lucide-react";
import { useMemo, useState } from "react";
import { useMay } from "~/api/may";
import { teamsQuery } from "~/api/teams";
import { ends } from "~/ui/apart";
import { buttonClass, Button } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { GuideLink } from "~/ui/guide-link";
import { ListTable } from "~/ui/list/list-table";
import { cleared, type Filters } from "~/ui/list/saved";
import { useSelection } from "~/ui/list/selection";
import { SelectionBar } from "~/ui/list/tick";
import { Views } from "~/ui/list/views";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { DeleteDialog, TEAMS } from "./delete-many";
import { OWN, readAsked, shown, sorted } from "./list";
import { useLastRuns } from "./live";
import { columnsOf } from "./table";

const route = getRouteApi("/shell/teams");

const BUILT = [{ name: "Last active", filters: { sort: "-run" } }];

/** All teams of the workspace. */
export function TeamsPage() {
  const asked = readAsked(route.useSearch());
  const { q = "", sort = "" } = asked;
  const navigate = route.useNavigate();
  // Runs that went on while another page was shown changed no team.
  const teams = useQuery({ ...teamsQuery, refetchOnMount: "always" });
  useLastRuns();
  const manages = useMay()("teams.manage");
  const look = (change: Filters) =>
    void navigate({ search: (now) => cleared({ ...now, ...change }), replace: true });
  const columns = useMemo(
    () => columnsOf(ends((teams.data ?? []).map(({ id, name }) => [id, name]))),
    [teams.data],
  );
  const selection = useSelection();
  const [deletes, setDeletes] = useState(false);
  const rows = useMemo(() => sorted(shown(teams.data ?? [], q), sort || OWN), [teams.data, q, sort]);
  // Teams that the filter hides are not acted on: nobody sees that they are chosen.
  const selected = useMemo(() => rows.filter(({ id }) => selection.ids.has(id)), [rows, selection.ids]);
  const make = manages && (
    <Link to="/teams/new" className={buttonClass("primary")}>
      <Plus size={14} aria-hidden />
      New team
    </Link>
  );
  const none = teams.data?.length === 0;
  return (
    <PageFrame wide crumbs={[{ label: "Teams" }]} actions={none ? undefined : make}>
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
          begins from a template. <GuideLink to="first">your first result</GuideLink>
        </Empty>
      )}
      {teams.data && !none && (
        <>
          <Views list="teams" filters={asked} built={BUILT} />
          <FilterField label="Filter by name" value={q} onChange={(text) => look({ q: text })} />
          {rows.length > 0 && (
            <ListTable
              label="Table of teams"
              what={TEAMS}
              columns={columns}
              rows={rows}
              nameOf={({ name }) => name}
              chosen={JSON.stringify(asked)}
              sorting={{ by: sort, onSort: (by) => look({ sort: by }) }}
              order={OWN}
              selection={manages ? selection : undefined}
              bar={
                <SelectionBar what="teams" count={selected.length} onClear={selection.clear}>
                  <Button icon={<Trash2 size={14} aria-hidden />} onClick={() => setDeletes(true)}>
                    Delete…
                  </Button>
                </SelectionBar>
              }
            />
          )}
          {rows.length === 0 && (
            <Empty
              title="No team fits the filter"
              action={<Button onClick={() => look({ q: "" })}>Clear filter</Button>}
            />
          )}
        </>
      )}
      {deletes && <DeleteDialog teams={selected} onClose={() => setDeletes(false)} />}
      {teams.data && !manages && <MissingRight what="make teams" least="member" />}
    </PageFrame>
  );
}
