import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus, Target } from "lucide-react";
import { useMemo } from "react";
import { useMay } from "~/api/may";
import { missionsQuery, type Mission } from "~/api/missions";
import { Button, buttonClass } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { Help } from "~/ui/help";
import { cleared, type Filters } from "~/ui/list/saved";
import { Select } from "~/ui/list/select";
import { Views } from "~/ui/list/views";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Segments } from "~/ui/segments";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Board } from "./board";
import { narrows, OWN, readAsked, shown, sorted, STATES } from "./list";
import { MissionTable } from "./mission-table";

const route = getRouteApi("/shell/missions");

const BUILT = [
  { name: "Running", filters: { state: "running" } },
  { name: "Board", filters: { view: "board" } },
];
const LOOKS = [
  ["", "List"],
  ["board", "Board"],
] as const;

const useRows = (missions: Mission[] | undefined, q: string, state: string, sort: string) =>
  useMemo(() => sorted(shown(missions ?? [], { q, state }), sort || OWN), [missions, q, state, sort]);

/** All missions of the workspace. */
export function MissionsPage() {
  const asked = readAsked(route.useSearch());
  const { q = "", state = "", sort = "", view = "" } = asked;
  const navigate = route.useNavigate();
  const missions = useQuery(missionsQuery());
  const manages = useMay()("missions.manage");
  const look = (change: Filters) =>
    void navigate({ search: (now) => cleared({ ...readAsked(now), ...change }), replace: true });
  const rows = useRows(missions.data, q, state, sort);
  const make = manages && (
    <Link to="/missions/new" className={buttonClass("primary")}>
      <Plus size={14} aria-hidden />
      New mission
    </Link>
  );
  const none = missions.data?.length === 0;
  const chosen = JSON.stringify(asked);
  return (
    <PageFrame wide crumbs={[{ label: "Missions" }]} actions={none ? undefined : make}>
      <div className="flex items-center gap-1">
        <h1 className="text-head-1">Missions</h1>
        <Help word="mission" />
      </div>
      {missions.isPending && (
        <Loading what="missions" rows={4} className="rounded-panel border border-line bg-surface" />
      )}
      {missions.isError && !missions.data && (
        <Failed error={missions.error} retry={() => void missions.refetch()} className="" />
      )}
      <Stale query={missions} />
      {none && (
        <Empty
          icon={<Target size={32} strokeWidth={1.5} aria-hidden />}
          title="No missions yet"
          action={make}
        >
          A mission leads from a goal to results in phases: research, coding, benchmark and security scan.
          When you launch one, Roost creates the teams, and each phase builds on what the earlier ones left.
          {!manages && <MissingRight what="create missions" least="member" />}
        </Empty>
      )}
      {missions.data && !none && (
        <>
          <Views list="missions" filters={asked} built={BUILT} />
          <div className="flex flex-wrap items-center gap-2">
            <FilterField
              label="Filter by title or goal"
              className="sm:max-w-64"
              value={q}
              onChange={(text) => look({ q: text })}
            />
            <Select label="State" value={state} options={STATES} onChange={(one) => look({ state: one })} />
            <Segments
              label="Look"
              value={view === "board" ? "board" : ""}
              options={LOOKS}
              onChange={(one) => look({ view: one })}
            />
          </div>
          {rows.length > 0 && view === "board" && <Board missions={rows} chosen={chosen} />}
          {rows.length > 0 && view !== "board" && (
            <MissionTable
              rows={rows}
              chosen={chosen}
              sorting={{ by: sort, onSort: (by) => look({ sort: by }) }}
            />
          )}
          {rows.length === 0 && narrows(asked) && (
            <Empty
              title="No mission fits the filter"
              action={<Button onClick={() => look({ q: "", state: "" })}>Clear filter</Button>}
            />
          )}
        </>
      )}
    </PageFrame>
  );
}
