import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useMemo, useState } from "react";
import { clawsQuery } from "~/api/claws";
import { useMay } from "~/api/may";
import { runsQuery, type RunSummary } from "~/api/runs";
import { teamsQuery } from "~/api/teams";
import { apart } from "~/ui/apart";
import { Button, buttonClass } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { ListTable } from "~/ui/list/list-table";
import { cleared, type Filters } from "~/ui/list/saved";
import { useSelection } from "~/ui/list/selection";
import { useSettled } from "~/ui/list/settled";
import { SelectionBar } from "~/ui/list/tick";
import { useToday } from "~/ui/list/today";
import { Views } from "~/ui/list/views";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { BUILT, narrows, NEWEST, readAsked, wantedOf } from "./asked";
import { CancelDialog, RUNS } from "./cancel-many";
import { RunFilters } from "./filters";
import { columnsOf, type Names } from "./table";
import { workQuery } from "./work";

const route = getRouteApi("/shell/runs");

function useNames(): Names {
  const teams = useQuery(teamsQuery).data;
  const agents = useQuery(clawsQuery).data;
  return useMemo(
    () => ({
      teams: apart((teams ?? []).map(({ id, name }) => [id, name])),
      agents: apart((agents ?? []).map(({ id, name }) => [id, name])),
    }),
    [teams, agents],
  );
}

interface ListProps {
  runs: RunSummary[];
  names: Names;
  asked: Filters;
  onSort: (by: string) => void;
  busy: boolean;
  pages: number;
  more: { has: boolean; busy: boolean; load: () => void };
}

function List({ runs, names, asked, onSort, busy, pages, more }: ListProps) {
  const mayCancel = useMay()("runs.start");
  const selection = useSelection();
  const [cancels, setCancels] = useState(false);
  const columns = useMemo(() => columnsOf(names), [names]);
  // Runs that a filter hides are not acted on: nobody sees that they are chosen.
  const chosen = runs.filter(({ id }) => selection.ids.has(id));
  return (
    <>
      <ListTable
        label="Table of runs"
        what={RUNS}
        columns={columns}
        rows={runs}
        nameOf={({ title }) => title || "untitled"}
        // A choice takes effect when its answer is there: until then the rows are those of the choice before.
        chosen={`${JSON.stringify(asked)} ${pages} ${busy}`}
        sorting={{ by: asked["sort"] ?? "", onSort }}
        order={NEWEST}
        busy={busy}
        selection={mayCancel ? selection : undefined}
        bar={
          <SelectionBar what="runs" count={chosen.length} onClear={selection.clear}>
            <Button onClick={() => setCancels(true)}>Cancel runs…</Button>
          </SelectionBar>
        }
        more={
          more.has && (
            <p className="border-t border-line px-4 py-2">
              <Button busy={more.busy} onClick={more.load}>
                Show more
              </Button>
            </p>
          )
        }
      />
      {cancels && <CancelDialog runs={chosen} onClose={() => setCancels(false)} />}
    </>
  );
}

/** All runs of the workspace. A run is one goal that a team works on. */
export function RunsPage() {
  const asked = readAsked(route.useSearch());
  const navigate = route.useNavigate();
  const may = useMay();
  const names = useNames();
  const today = useToday();
  const words = useSettled(asked["q"] ?? "");
  const wanted = wantedOf(asked, words, today);
  const whole = wanted.all === true;
  const every = useInfiniteQuery({
    ...runsQuery(wanted),
    enabled: whole,
    placeholderData: keepPreviousData,
  });
  const work = useInfiniteQuery({ ...workQuery(wanted), enabled: !whole, placeholderData: keepPreviousData });
  const runs = whole ? every : work;
  const look = (change: Filters) =>
    void navigate({ search: (now) => cleared({ ...readAsked(now), ...change }), replace: true });
  const all = useMemo(
    () => (runs.data?.pages ?? []).flatMap(({ items }: { items: RunSummary[] }) => items),
    [runs.data],
  );
  const none = runs.data !== undefined && all.length === 0;
  const narrowed = narrows(asked);
  return (
    <PageFrame
      wide
      crumbs={[{ label: "Runs" }]}
      actions={
        may("runs.start") && (
          <Link to="/runs/compare" className={buttonClass()}>
            Compare teams
          </Link>
        )
      }
    >
      <h1 className="text-head-1">Runs</h1>
      <Views list="runs" filters={asked} built={BUILT} />
      <RunFilters asked={asked} names={names} runs={all} onChange={look} />
      <Stale query={runs} />
      {runs.isPending && (
        <Loading what="runs" rows={4} className="rounded-panel border border-line bg-surface" />
      )}
      {runs.isError && !runs.data && (
        <Failed error={runs.error} retry={() => void runs.refetch()} className="" />
      )}
      {all.length > 0 && (
        <List
          runs={all}
          names={names}
          asked={asked}
          onSort={(sort) => look({ sort })}
          busy={runs.isPlaceholderData}
          pages={runs.data?.pages.length ?? 0}
          more={{
            has: runs.hasNextPage,
            busy: runs.isFetchingNextPage,
            load: () => void runs.fetchNextPage(),
          }}
        />
      )}
      {none && narrowed && (
        <Empty
          title="No run fits the filter"
          action={<Button onClick={() => void navigate({ search: {}, replace: true })}>Clear filter</Button>}
        />
      )}
      {none && !narrowed && (
        <Empty
          icon={<Play size={32} strokeWidth={1.5} aria-hidden />}
          title="No runs yet"
          action={
            <Link to="/teams" className={buttonClass("primary")}>
              Go to the teams
            </Link>
          }
        >
          When you give a team or an agent a goal, this page shows its run: which agents work, which tools
          they call, how long it takes and what it costs, during the run and afterwards.
        </Empty>
      )}
    </PageFrame>
  );
}
