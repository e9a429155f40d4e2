import { useQuery } from "@tanstack/react-query";
import type { Owner } from "~/api/sandboxes";
import type { FilesChoice } from "~/ui/files-choice";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { ChangeList } from "./change-list";
import { changesQuery } from "./queries";

/** More files at first would push the rest of a page away. */
const FIRST = 10;

interface Props {
  owner: Owner;
  before: string;
  after: string;
  /** The file that is open at first. */
  path?: string | undefined;
  onChoose?: (change: FilesChoice) => void;
  /** How many files are shown at first. */
  first?: number;
}

/** The files that differ between two snapshots. */
export function ChangedBetween({ first = FIRST, ...pair }: Props) {
  const { owner, before, after } = pair;
  const changes = useQuery(changesQuery(owner, before, after));
  if (changes.isPending) return <Loading what="the files that differ" rows={4} />;
  if (!changes.data)
    return <Failed error={changes.error} retry={() => void changes.refetch()} className="mx-4 my-3" />;
  return <ChangeList key={`${before} ${after}`} {...changes.data} {...pair} first={first} />;
}
