import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ChartSpline, Plus, Rows3, Server } from "lucide-react";
import { useMemo } from "react";
import { useMay } from "~/api/may";
import { Button } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { cleared } from "~/ui/list/saved";
import { Views } from "~/ui/list/views";
import { Help } from "~/ui/help";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { byName, matches, parse, sorted, sortOf, withWord } from "./filter";
import { FilterWords } from "./filter-words";
import { Machines } from "./machines";
import { metricOf, Multiples } from "./multiples";
import { PairDialog } from "./pair-dialog";
import { PlacementChoice } from "./placement";
import { nodesQuery } from "./queries";
import { spanOf } from "./span-choice";
import { words } from "./words";

const route = getRouteApi("/shell/fleet");

const BUILT = [
  { name: "Offline", filters: { q: "state:offline" } },
  { name: "Draining", filters: { q: "state:draining" } },
  { name: "Busiest", filters: { sort: "-cpu" } },
];

export function FleetPage() {
  const search = route.useSearch();
  const { q = "", dialog, view } = search;
  const navigate = route.useNavigate();
  const nodes = useQuery(nodesQuery);
  const may = useMay();
  const sort = sortOf(search.sort);
  // What stands beside the list keeps its order by name.
  const all = useMemo(() => byName(nodes.data ?? []), [nodes.data]);
  const shown = useMemo(() => {
    const filter = parse(q);
    return sorted(filter.length === 0 ? all : all.filter((node) => matches(node, filter)), sort);
  }, [all, q, sort]);
  /** An address holds what was chosen and nothing else. */
  const go = (change: Partial<Record<keyof typeof search, string>>, replace = false) =>
    void navigate({
      search: (now) =>
        Object.fromEntries(
          Object.entries({ ...now, ...change }).filter(([, value]) => value),
        ) as typeof search,
      replace,
    });
  const filter = (text: string) => go({ q: text }, true);
  const pair = (open: boolean) => go({ dialog: open ? "pair" : "" });
  const button = may("nodes.manage") && (
    <Button look="primary" icon={<Plus size={14} aria-hidden />} onClick={() => pair(true)}>
      Pair a machine
    </Button>
  );
  const none = nodes.data?.length === 0;
  const charts = view === "figures";
  return (
    <PageFrame wide crumbs={[{ label: "Fleet" }]} actions={none ? undefined : button}>
      <div className="flex items-center gap-1">
        <h1 className="text-head-1">Fleet</h1>
        <Help word="machine" />
      </div>
      {nodes.isPending && (
        <Loading what="machines" rows={4} className="rounded-panel border border-line bg-surface" />
      )}
      {nodes.isError && !nodes.data && (
        <Failed error={nodes.error} retry={() => void nodes.refetch()} className="" />
      )}
      {none && (
        <Empty icon={<Server size={32} strokeWidth={1.5} aria-hidden />} title={words.empty} action={button}>
          {words.emptyWhy}
          {!may("nodes.manage") && <p className="mt-2">{words.noRight}</p>}
        </Empty>
      )}
      {nodes.data && !none && (
        <>
          <Views list="fleet" filters={cleared({ ...search, dialog: undefined })} built={BUILT} />
          <div className="flex flex-wrap items-center gap-2">
            <FilterField label="Filter: name, state:offline, label:gpu" value={q} onChange={filter} />
            <Button
              icon={charts ? <Rows3 size={14} aria-hidden /> : <ChartSpline size={14} aria-hidden />}
              onClick={() => go({ view: charts ? "" : "figures" })}
            >
              {charts ? "Show list" : "Compare metrics"}
            </Button>
          </div>
          <FilterWords nodes={all} query={q} onToggle={(word) => filter(withWord(q, word))} />
          {shown.length === 0 ? (
            <Empty
              title="No machine fits the filter"
              action={<Button onClick={() => filter("")}>Clear filter</Button>}
            >
              {all.length} {all.length === 1 ? "machine is" : "machines are"} hidden by “{q}”.
            </Empty>
          ) : charts ? (
            <Multiples
              nodes={shown}
              metric={metricOf(search.metric)}
              span={spanOf(search.span)}
              onChange={(next) => go(next, true)}
            />
          ) : (
            <Machines
              nodes={shown}
              chosen={q}
              sorting={{ by: sort, onSort: (by) => go({ sort: by }, true) }}
              mayManage={may("nodes.manage")}
            />
          )}
          <PlacementChoice nodes={all} mayChange={may("placement.set")} />
        </>
      )}
      <PairDialog open={dialog === "pair" && may("nodes.manage")} onClose={() => pair(false)} />
    </PageFrame>
  );
}
