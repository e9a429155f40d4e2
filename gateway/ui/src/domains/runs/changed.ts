// Which snapshots show what a run changed in the sandboxes that it worked in.
import type { FilesAt, Run } from "~/api/runs";
import type { Owner } from "~/api/sandboxes";
import { ownSteps } from "./fork-history";

/** The files of one sandbox before the first step that worked in it, and after the last one. */
export interface ChangedIn {
  owner: Owner;
  before: string | undefined;
  after: string | undefined;
  /** Why one of them is not there. */
  missing: string | undefined;
}

const at = (files: FilesAt) => Date.parse(files.at);

/** One entry for each sandbox, in the order in which the run came to them. Kept steps of a fork are not its own work. */
export function changedIn(run: Run): ChangedIn[] {
  const sandboxes = new Map<string, { owner: Owner; first: FilesAt; last: FilesAt | undefined }>();
  for (const { files } of ownSteps(run)) {
    if (!files) continue;
    const { owner_kind: kind, owner_id: id, began, ended } = files;
    const known = sandboxes.get(id);
    if (!known) sandboxes.set(id, { owner: { kind, id }, first: began, last: ended ?? undefined });
    else {
      if (at(began) < at(known.first)) known.first = began;
      if (ended && (!known.last || at(ended) > at(known.last))) known.last = ended;
    }
  }
  return [...sandboxes.values()]
    .toSorted((a, b) => at(a.first) - at(b.first))
    .map(({ owner, first, last }) => ({
      owner,
      before: first.snapshot_id ?? undefined,
      after: last?.snapshot_id ?? undefined,
      missing: (first.snapshot_id ? last?.missing : first.missing) ?? undefined,
    }));
}
