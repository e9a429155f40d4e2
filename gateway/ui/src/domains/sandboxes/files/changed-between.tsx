import { useQuery } from "@tanstack/react-query";
import { asProblem } from "~/api/problem";
import type { Owner } from "~/api/sandboxes";
import type { FilesChoice } from "~/ui/files-choice";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { ChangeList } from "./change-list";
import { changesQuery } from "./queries";

/** More files at first would push the rest of a page away. */
const FIRST = 10;

/** How often the page asks for files that are still on their machine. */
const UNSENT_MS = 3000;
/** Whether a snapshot is only on its machine: most of them arrive in a moment. */
const isUnsent = (error: Error | null) => error !== null && asProblem(error).status === 409;

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
  const changes = useQuery({
    ...changesQuery(owner, before, after),
    refetchInterval: ({ state }) => isUnsent(state.error) && UNSENT_MS,
  });
  if (changes.isPending) return <Loading what="the files that differ" rows={4} />;
  if (!changes.data && isUnsent(changes.error))
    return (
      <p role="status" className="px-4 py-3 text-fg-2">
        {asProblem(changes.error).detail}
      </p>
    );
  if (!changes.data)
    return <Failed error={changes.error} retry={() => void changes.refetch()} className="mx-4 my-3" />;
  return <ChangeList key={`${before} ${after}`} {...changes.data} {...pair} first={first} />;
}
