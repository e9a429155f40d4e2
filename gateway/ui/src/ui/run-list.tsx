import { useInfiniteQuery } from "@tanstack/react-query";
import { runsQuery } from "~/api/runs";
import { Failed } from "./problem";
import { RunTable } from "./run-table";
import { Loading } from "./skeleton";
import { Stale } from "./stale";

/** The runs of one team, or those that gave work to one agent alone. */
export function RunList({ of, none }: { of: { team_id: string } | { agent_id: string }; none: string }) {
  const runs = useInfiniteQuery(runsQuery(of));
  const all = runs.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section aria-label="Runs" className="flex min-w-0 flex-col gap-2">
      <h2 className="text-head-2">Runs</h2>
      <Stale query={runs} />
      {runs.isPending && (
        <Loading what="runs" rows={2} className="rounded-panel border border-line bg-surface" />
      )}
      {runs.isError && !runs.data && (
        <Failed error={runs.error} retry={() => void runs.refetch()} className="" />
      )}
      {runs.data && all.length === 0 && <p className="text-fg-2">{none}</p>}
      {all.length > 0 && (
        <RunTable
          runs={all}
          chosen={String(runs.data?.pages.length)}
          more={{
            has: runs.hasNextPage,
            busy: runs.isFetchingNextPage,
            load: () => void runs.fetchNextPage(),
          }}
        />
      )}
    </section>
  );
}
