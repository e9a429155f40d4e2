import { useQuery } from "@tanstack/react-query";
import { meQuery } from "~/api/me";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Editor } from "./editor";
import { History } from "./history";
import { brainQuery } from "./queries";

/** What an agent knows: the text, who changed it when, and the way back. */
export function BrainTab({ id, mayWrite }: { id: string; mayWrite: boolean }) {
  const brain = useQuery(brainQuery(id));
  const me = useQuery(meQuery);
  if (brain.isPending || !me.data)
    return <Loading what="the brain" rows={6} className="rounded-panel border border-line bg-surface" />;
  if (!brain.data) return <Failed error={brain.error} retry={() => void brain.refetch()} className="" />;
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[3fr_2fr]">
      <Editor id={id} person={me.data.user.id} brain={brain.data} mayWrite={mayWrite} />
      <History id={id} brain={brain.data} mayWrite={mayWrite} />
    </div>
  );
}
