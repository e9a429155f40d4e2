import { useState } from "react";
import type { Owner } from "~/api/sandboxes";
import type { FileChange } from "~/api/types";
import { number } from "~/ui/bytes";
import { Button } from "~/ui/button";
import type { FilesChoice } from "~/ui/files-choice";
import { Segments } from "~/ui/segments";
import { Change } from "./change";
import { counted, DIFFERENCES, type Difference } from "./changes";

/** More files at once would make the page slow. */
export const MOST = 200;

type Shown = Difference | "all";

interface Props {
  owner: Owner;
  before: string;
  after: string;
  path?: string | undefined;
  onChoose?: ((change: FilesChoice) => void) | undefined;
  changes: FileChange[];
  more: boolean;
  /** How many files are shown at first. */
  first: number;
}

/** The files that differ, each with its lines when it is open. */
export function ChangeList({ changes, more, first, ...pair }: Props) {
  const { path, onChoose } = pair;
  const [kind, setKind] = useState<Shown>("all");
  const [most, setMost] = useState(first);
  // A link may name one of thousands of files. That file comes first, so that its reader sees it.
  const [linked] = useState(path);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set(path ? [path] : []));
  const counts = counted(changes);
  const wanted = changes
    .filter(({ difference }) => kind === "all" || difference === kind)
    .toSorted((x, y) => Number(y.path === linked) - Number(x.path === linked));
  const toggle = (one: string) => {
    const next = new Set(open);
    const opened = !next.delete(one);
    if (opened) next.add(one);
    setOpen(next);
    onChoose?.({ path: opened ? one : undefined });
  };
  if (changes.length === 0)
    return <p className="px-4 py-6 text-fg-2">The files of both snapshots are the same.</p>;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2">
        <p role="status" className="text-fg-2">
          {DIFFERENCES.map((one) => `${number(counts[one])} ${one}`).join(", ")}
        </p>
        <Segments
          label="Which files"
          value={kind}
          onChange={setKind}
          options={[
            ["all", "All"],
            ["added", "Added"],
            ["changed", "Changed"],
            ["removed", "Removed"],
          ]}
        />
      </div>
      {more && (
        <p className="border-b border-line px-4 py-2 text-fg-2">
          More files differ. The gateway answers with the first {number(changes.length)}.
        </p>
      )}
      <div className="px-4 py-2">
        {wanted.length === 0 && <p className="py-2 text-fg-3">No file is {kind}.</p>}
        {wanted.slice(0, most).map((change) => (
          <Change
            key={change.path}
            {...pair}
            change={change}
            open={open.has(change.path)}
            onToggle={() => toggle(change.path)}
          />
        ))}
        {wanted.length > most && (
          <Button className="my-2" onClick={() => setMost((now) => now + MOST)}>
            Show more of {number(wanted.length - most)} further files
          </Button>
        )}
      </div>
    </>
  );
}
