import { useQueryClient } from "@tanstack/react-query";
import { keys } from "~/api/keys";
import { cancel, type RunSummary } from "~/api/runs";
import { renew } from "~/live/renew";
import { BulkDialog, countOf } from "~/ui/list/bulk";
import { isOver } from "~/ui/run-state";
import { visible } from "~/ui/visible";

export const RUNS = ["run", "runs"] as const;

/** Those of the selected that a cancel changes. */
export const cancellable = <T extends Pick<RunSummary, "status" | "cancelling">>(runs: T[]): T[] =>
  runs.filter((run) => !isOver(run.status) && !run.cancelling);

/** Why the others are left out, in sentences. */
export function leftOut(runs: Pick<RunSummary, "status" | "cancelling">[]): string {
  const ended = runs.filter(({ status }) => isOver(status)).length;
  const ending = runs.length - ended - cancellable(runs).length;
  const say = (count: number, one: string, several: string) =>
    count > 0 ? `${count} of the ${runs.length} ${count === 1 ? one : several}.` : "";
  return [
    say(ended, "has ended already", "have ended already"),
    say(ending, "is being cancelled already", "are being cancelled already"),
  ]
    .filter(Boolean)
    .join(" ");
}

/** Cancels what is still under way of the selected runs. */
export function CancelDialog({ runs, onClose }: { runs: RunSummary[]; onClose: () => void }) {
  const client = useQueryClient();
  const targets = cancellable(runs);
  const count = countOf(targets.length, RUNS);
  return (
    <BulkDialog
      title={targets.length > 0 ? `Cancel ${count}` : "Nothing to cancel"}
      lead={[targets.length > 0 && "Their agents stop. What they have done stays.", leftOut(runs)]
        .filter(Boolean)
        .join(" ")}
      targets={targets}
      nameOf={({ title }) => <bdi>{visible(title) || "untitled"}</bdi>}
      what={RUNS}
      action={`Cancel ${count}`}
      look="danger"
      keep={targets.length === 1 ? "Keep it running" : "Keep them running"}
      done="Cancelling"
      act={({ id }) => cancel(id)}
      onClose={() => {
        void renew(client, { queryKey: keys.runs });
        onClose();
      }}
    />
  );
}
