// What the runs of a comparison's candidates have done by now.
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { Run, RunSummary } from "~/api/runs";
import { watchEvents } from "~/live/provider";
import { renew } from "~/live/renew";
import { isOver } from "~/ui/run-state";
import { runsQuery } from "./queries";

/** A turn that ends changes a run's figures and is not told as a change of the run; these events come after one. */
const TURNS = new Set(["agent.tool.call", "agent.task.update"]);
const PAUSE_MS = 1500;

/** By id; empty once the comparison is over, when it has everything itself. */
export function useChildren(run: Pick<Run, "id" | "status">): ReadonlyMap<string, RunSummary> {
  const client = useQueryClient();
  const live = !isOver(run.status);
  const children = useInfiniteQuery({ ...runsQuery({ parent_run_id: run.id }), enabled: live });
  useEffect(() => {
    if (!live) return undefined;
    const { queryKey } = runsQuery({ parent_run_id: run.id });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = watchEvents(({ type }) => {
      if (!TURNS.has(type)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void renew(client, { queryKey });
      }, PAUSE_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [client, run.id, live]);
  const { data } = children;
  return useMemo(
    () => new Map(live ? data?.pages.flatMap(({ items }) => items.map((one) => [one.id, one] as const)) : []),
    [data, live],
  );
}
