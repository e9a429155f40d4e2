import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plus, Server } from "lucide-react";
import { useMemo } from "react";
import { useMay } from "~/api/may";
import { Button } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { byName, matches } from "./filter";
import { NodeTable } from "./node-table";
import { PairDialog } from "./pair-dialog";
import { PlacementChoice } from "./placement";
import { nodesQuery } from "./queries";
import { words } from "./words";

const route = getRouteApi("/shell/fleet");

export function FleetPage() {
  const { q = "", dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const nodes = useQuery(nodesQuery);
  const may = useMay();
  const sorted = useMemo(() => byName(nodes.data ?? []), [nodes.data]);
  const shown = useMemo(() => sorted.filter((node) => matches(node, q)), [sorted, q]);
  const filter = (text: string) => void navigate({ search: text ? { q: text } : {}, replace: true });
  const pair = (open: boolean) =>
    void navigate({
      search: (now) => ({ ...(now.q ? { q: now.q } : {}), ...(open ? { dialog: "pair" } : {}) }),
    });
  const button = may("nodes.manage") && (
    <Button look="primary" icon={<Plus size={14} aria-hidden />} onClick={() => pair(true)}>
      Pair a machine
    </Button>
  );
  const none = nodes.data?.length === 0;
  return (
    <PageFrame crumbs={[{ label: "Fleet" }]} actions={none ? undefined : button}>
      <h1 className="text-head-1">Fleet</h1>
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
          <FilterField label="Filter by name, host, state:offline" value={q} onChange={filter} />
          {shown.length === 0 ? (
            <Empty
              title="No machine fits the filter"
              action={<Button onClick={() => filter("")}>Clear filter</Button>}
            >
              {sorted.length} {sorted.length === 1 ? "machine is" : "machines are"} hidden by “{q}”.
            </Empty>
          ) : (
            <NodeTable nodes={shown} />
          )}
          <PlacementChoice nodes={sorted} mayChange={may("placement.set")} />
        </>
      )}
      <PairDialog open={dialog === "pair" && may("nodes.manage")} onClose={() => pair(false)} />
    </PageFrame>
  );
}
