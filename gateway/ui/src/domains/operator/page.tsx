import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { asProblem } from "~/api/problem";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { meQuery } from "~/api/me";
import type { Tree } from "~/api/types";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Ago } from "~/ui/time";
import { count } from "./flatten";
import { TreeGrid } from "./tree-grid";

const route = getRouteApi("/shell/operator");
const EVERY_MS = 2000;

/** The supervision tree. It has no events of its own, so the snapshot is asked again while the page is visible. */
export function OperatorPage() {
  const { q = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const me = useQuery(meQuery);
  const tree = useQuery({
    queryKey: keys.tree,
    queryFn: ({ signal }) => api.get<Tree>("/api/ops/tree", { signal }),
    refetchInterval: (query) =>
      query.state.error && asProblem(query.state.error).status === 403 ? false : EVERY_MS,
    gcTime: 60_000,
  });
  const forbidden = tree.isError && asProblem(tree.error).status === 403;
  const total = tree.data && count(tree.data.root);
  return (
    <PageFrame crumbs={[{ label: "Supervision" }]}>
      <header className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h1 className="text-head-1">Supervision</h1>
        {total && (
          <p className="text-fg-3">
            {total.actors} {total.actors === 1 ? "actor" : "actors"}, {total.restarts}{" "}
            {total.restarts === 1 ? "restart" : "restarts"}
            {total.failed > 0 && <span className="text-failed">, {total.failed} failed for good</span>} ·
            snapshot <Ago at={tree.data?.at} />
          </p>
        )}
      </header>
      {tree.isPending && (
        <Loading
          what="the supervision tree"
          rows={8}
          className="rounded-panel border border-line bg-surface"
        />
      )}
      {forbidden && (
        <Empty title="The tree is for operators">
          Your account lacks the operator grant. Whoever runs this Roost can give it in the configuration or
          on the command line.
        </Empty>
      )}
      {tree.isError && !forbidden && (
        <Failed error={tree.error} retry={() => void tree.refetch()} className="" />
      )}
      {tree.data && !forbidden && (
        <>
          <FilterField
            label="Find an actor by name, kind or state"
            value={q}
            onChange={(text) => void navigate({ search: text ? { q: text } : {}, replace: true })}
          />
          <TreeGrid tree={tree.data} query={q} mayRestart={me.data?.operator === true} />
        </>
      )}
    </PageFrame>
  );
}
