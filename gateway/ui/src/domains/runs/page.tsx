import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useMemo } from "react";
import { useMay } from "~/api/may";
import { Button, buttonClass } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { RunTable } from "~/ui/run-table";
import { Segments } from "~/ui/segments";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { runsQuery } from "./queries";

const route = getRouteApi("/shell/runs");
const STATES = [
  ["", "All"],
  ["running", "Running"],
  ["queued", "Queued"],
  ["completed", "Completed"],
  ["failed", "Failed"],
  ["cancelled", "Cancelled"],
] as const;
/** What the list has: the work of people, teams and missions, or also the runs that belong to something else. */
const SHOWN = [
  ["", "Work"],
  ["all", "All runs"],
] as const;
type Wanted = (typeof STATES)[number][0];

/** All runs of the workspace. A run is one goal that a team works on. */
export function RunsPage() {
  const { q = "", state = "", shown: asked = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay();
  const wanted: Wanted = STATES.find(([one]) => one === state)?.[0] ?? "";
  const every = asked === "all";
  const runs = useInfiniteQuery(
    runsQuery({ ...(wanted && { status: wanted }), ...(every && { all: true }) }),
  );
  const look = (next: { q?: string; state?: string; shown?: string }) =>
    void navigate({
      search: Object.fromEntries(
        Object.entries({ q, state: wanted, shown: every ? "all" : "", ...next }).filter(([, text]) => text),
      ),
      replace: true,
    });
  const all = useMemo(() => runs.data?.pages.flatMap((page) => page.items) ?? [], [runs.data]);
  const parts = q.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = all.filter((run) => parts.every((part) => run.title.toLowerCase().includes(part)));
  const narrowed = q !== "" || wanted !== "";
  return (
    <PageFrame
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
      <div className="flex flex-wrap items-center gap-3">
        <FilterField label="Filter by title" value={q} onChange={(text) => look({ q: text })} />
        <div className="max-w-full overflow-x-auto">
          <Segments label="State" value={wanted} options={STATES} onChange={(one) => look({ state: one })} />
        </div>
        <Segments
          label="Which runs"
          value={every ? "all" : ""}
          options={SHOWN}
          onChange={(one) => look({ shown: one })}
        />
      </div>
      <Stale query={runs} />
      {runs.isPending && (
        <Loading what="runs" rows={4} className="rounded-panel border border-line bg-surface" />
      )}
      {runs.isError && !runs.data && (
        <Failed error={runs.error} retry={() => void runs.refetch()} className="" />
      )}
      {runs.data && shown.length > 0 && (
        <RunTable
          runs={shown}
          chosen={`${q} ${wanted} ${asked} ${runs.data.pages.length}`}
          more={{
            has: runs.hasNextPage,
            busy: runs.isFetchingNextPage,
            load: () => void runs.fetchNextPage(),
          }}
        />
      )}
      {runs.data && shown.length === 0 && narrowed && (
        <Empty
          title="No run fits the filter"
          action={<Button onClick={() => look({ q: "", state: "" })}>Clear filter</Button>}
        />
      )}
      {runs.data && shown.length === 0 && !narrowed && (
        <Empty
          icon={<Play size={32} strokeWidth={1.5} aria-hidden />}
          title="No runs yet"
          action={
            <Link to="/teams" className={buttonClass("primary")}>
              Go to the teams
            </Link>
          }
        >
          When you give a team a goal, this page shows its run: which agents work, which tools they call, how
          long it takes and what it costs, during the run and afterwards.
        </Empty>
      )}
    </PageFrame>
  );
}
