import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useMay } from "~/api/may";
import type { Activity, ActivitySource } from "~/api/types";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { Empty } from "~/ui/empty";
import { useHeld } from "~/ui/held";
import { HeldNote } from "~/ui/held-note";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { activityQuery, SOURCES, toggled } from "./queries";
import { ActivityRow } from "./row";

const LABELS: Record<ActivitySource, string> = {
  operation: "What it was asked to do",
  event: "What was said of it",
  audit: "Who changed it",
};

/** Ids of different sources may meet; a row needs one of its own. */
export const rowsOf = (pages: { items: Activity[] }[]) => {
  const seen = new Map<string, Activity & { id: string }>();
  for (const one of pages.flatMap((page) => page.items)) {
    const id = `${one.source}:${one.id}`;
    // While pages are asked again something new may push a line from one page to the next: it is shown once.
    if (!seen.has(id)) seen.set(id, { ...one, id });
  }
  return [...seen.values()];
};

interface Props {
  id: string;
  sources: ActivitySource[];
  /** Told how to change what is shown, not what it becomes. */
  onSources: (change: (now: ActivitySource[]) => ActivitySource[]) => void;
}

/** All that this agent did and that was done to it, live; what is being read stays where it is. */
export function ActivityTab({ id, sources, onSources }: Props) {
  const may = useMay();
  const offered = SOURCES.filter((source) => source !== "audit" || may("audit.read"));
  const history = useInfiniteQuery(activityQuery(id, sources));
  const all = useMemo(() => rowsOf(history.data?.pages ?? []), [history.data]);
  const chosen = `${sources.join(",")} ${history.data?.pages.length ?? 0}`;
  const { rows, waiting, held, release, bind } = useHeld(all, chosen);
  const toggle = (source: ActivitySource) => onSources((now) => toggled(now, source));
  return (
    <section aria-label="Activity" className="rounded-panel border border-line bg-surface" {...bind}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-1.5">
        <div role="group" aria-label="What is shown" className="flex flex-wrap gap-1">
          {offered.map((source) => (
            <button
              key={source}
              type="button"
              aria-pressed={sources.includes(source)}
              onClick={() => toggle(source)}
              className={cx(
                "h-6 rounded-control border px-2 text-small pointer-coarse:h-11",
                sources.includes(source)
                  ? "border-line-strong/60 bg-line/60 text-fg"
                  : "border-line text-fg-2 hover:text-fg",
              )}
            >
              {LABELS[source]}
            </button>
          ))}
        </div>
        <HeldNote held={held} waiting={waiting} release={release} count={all.length} what="lines" />
      </div>
      {history.isPending && <Loading what="what happened" rows={6} />}
      {history.isError && !history.data && (
        <Failed error={history.error} retry={() => void history.refetch()} />
      )}
      {history.data && all.length === 0 && (
        <Empty
          title="Nothing happened yet"
          action={
            sources.length < offered.length && (
              <Button onClick={() => onSources(() => SOURCES)}>Show everything</Button>
            )
          }
        >
          Commands in its sandbox, changes of its state and what people change about it are listed here.
        </Empty>
      )}
      <ol>
        {rows.map(({ item, gone }) => (
          <ActivityRow key={item.id} one={item} gone={gone} />
        ))}
      </ol>
      {history.hasNextPage && (
        <div className="border-t border-line px-4 py-2">
          <Button busy={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
            Show older ones
          </Button>
        </div>
      )}
      {!may("audit.read") && (
        <p className="border-t border-line px-4 py-2 text-small text-fg-3">
          Who changed what is shown to those who may read the audit log: an Admin or Owner.
        </p>
      )}
    </section>
  );
}
