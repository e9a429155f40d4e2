import { useMay } from "~/api/may";
import type { ActivitySource } from "~/api/types";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { Empty } from "~/ui/empty";
import { useRowOrder } from "~/ui/row-order";
import { RowOrderNote } from "~/ui/row-order-note";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { SOURCES, toggled } from "./queries";
import { ActivityRow } from "./row";
import { useHistory } from "./use-history";

const LABELS: Record<ActivitySource, string> = {
  operation: "Commands",
  event: "Events",
  audit: "Changes",
};

/** As many lines as fill a screen. */
const SCREEN = 20;

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
  const { history, lines: all, filling } = useHistory(id, sources, SCREEN);
  const chosen = `${sources.join(",")} ${history.data?.pages.length ?? 0}`;
  const { rows, waiting, held, release, bind } = useRowOrder(all, chosen);
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
        <RowOrderNote held={held} waiting={waiting} release={release} count={all.length} what="lines" />
      </div>
      {(history.isPending || (filling && all.length === 0)) && <Loading what="what happened" rows={6} />}
      {history.isError && !history.data && (
        <Failed error={history.error} retry={() => void history.refetch()} />
      )}
      {history.data && !filling && all.length === 0 && (
        <Empty
          title={
            sources.length < offered.length ? "Nothing of this kind has happened" : "Nothing has happened yet"
          }
          action={
            sources.length < offered.length && (
              <Button onClick={() => onSources(() => SOURCES)}>Show everything</Button>
            )
          }
        >
          This page lists the commands that run in its sandbox, its events, and what people change.
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
          Only an Admin or Owner sees who changed what.
        </p>
      )}
    </section>
  );
}
