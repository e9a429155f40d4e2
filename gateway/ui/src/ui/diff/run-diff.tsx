import { useQuery } from "@tanstack/react-query";
import { runDiffQuery } from "~/api/repos";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { visible } from "~/ui/visible";
import { PatchView } from "./patch-view";

/** What the commits of a run's branch change, up to exactly this commit. */
export function RunDiff({ run, branch, commit }: { run: string; branch: string; commit: string }) {
  const diff = useQuery(runDiffQuery(run, branch, commit));
  if (diff.isPending) return <Loading what="the diff" rows={4} />;
  if (!diff.data)
    return <Failed error={diff.error} retry={() => void diff.refetch()} className="mx-4 mb-3" />;
  return (
    <>
      <PatchView text={diff.data.text} label={`What ${visible(branch)} changes`} />
      {diff.data.cut && <p className="px-4 pb-3 text-fg-3">The diff is longer. Its end is left out.</p>}
    </>
  );
}
