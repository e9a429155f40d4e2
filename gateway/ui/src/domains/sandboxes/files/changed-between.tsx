import { useQuery } from "@tanstack/react-query";
import type { Owner } from "~/api/sandboxes";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { ChangeList } from "./compare";
import { changesQuery } from "./queries";

/** More files at first would push the rest of the page away. */
const FIRST = 10;

/** The files that differ between two snapshots, as a part of another page. */
export function ChangedBetween({ owner, before, after }: { owner: Owner; before: string; after: string }) {
  const changes = useQuery(changesQuery(owner, before, after));
  if (changes.isPending) return <Loading what="the files that differ" rows={4} />;
  if (!changes.data)
    return <Failed error={changes.error} retry={() => void changes.refetch()} className="mx-4 my-3" />;
  return (
    <ChangeList
      key={`${before} ${after}`}
      {...changes.data}
      owner={owner}
      before={before}
      after={after}
      first={FIRST}
    />
  );
}
