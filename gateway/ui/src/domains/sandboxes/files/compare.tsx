import { useQuery } from "@tanstack/react-query";
import { ArrowLeftRight, X } from "lucide-react";
import { useState } from "react";
import type { Owner } from "~/api/sandboxes";
import type { FileChange, Snapshot } from "~/api/types";
import { number } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { Choice } from "~/ui/field";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import type { FilesChoice } from "~/ui/files-choice";
import { filesOf } from "~/ui/sandbox-words";
import { Segments } from "~/ui/segments";
import { Loading } from "~/ui/skeleton";
import { Change } from "./change";
import { counted, DIFFERENCES, type Difference } from "./changes";
import { changesQuery } from "./queries";
import { momentOf } from "./time-line";

/** More files at once would make the page slow. */
const MOST = 200;

interface Props {
  owner: Owner;
  snapshots: Snapshot[];
  before: string;
  after: string;
  path: string | undefined;
  onChoose: (change: FilesChoice) => void;
}

function Which({
  label,
  snapshots,
  value,
  onChange,
}: {
  label: string;
  snapshots: Snapshot[];
  value: string;
  onChange: (id: string) => void;
}) {
  return (
    <Choice label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {snapshots.every(({ id }) => id !== value) && <option value={value}>an older snapshot</option>}
      {snapshots.map((one) => (
        <option key={one.id} value={one.id} disabled={!one.uploaded}>
          {momentOf(one)}, {filesOf(one)}
          {one.uploaded ? "" : " (not on the gateway)"}
        </option>
      ))}
    </Choice>
  );
}

type Shown = Difference | "all";

type ListProps = Pick<Props, "owner" | "before" | "after"> &
  Partial<Pick<Props, "path" | "onChoose">> & {
    changes: FileChange[];
    more: boolean;
    /** How many files are shown at first. */
    first?: number;
  };

/** The files that differ, each with its lines when it is open. */
export function ChangeList({ changes, more, first = MOST, ...pair }: ListProps) {
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

/** Two snapshots side by side: the files that differ, and the lines of each. */
export function Compare({ owner, snapshots, before, after, path, onChoose }: Props) {
  const changes = useQuery({ ...changesQuery(owner, before, after), enabled: before !== after });
  return (
    <Panel
      title="Comparison"
      aside={
        <>
          <Button
            icon={<ArrowLeftRight size={14} aria-hidden />}
            onClick={() => onChoose({ before: after, snapshot: before })}
          >
            Swap
          </Button>
          <Button
            icon={<X size={14} aria-hidden />}
            onClick={() => onChoose({ before: undefined, path: undefined })}
          >
            Close the comparison
          </Button>
        </>
      }
    >
      <div className="grid gap-3 border-b border-line px-4 py-3 sm:grid-cols-2">
        <Which
          label="From"
          snapshots={snapshots}
          value={before}
          onChange={(next) => onChoose({ before: next, path: undefined })}
        />
        <Which
          label="To"
          snapshots={snapshots}
          value={after}
          onChange={(next) => onChoose({ snapshot: next, path: undefined })}
        />
      </div>
      {before === after ? (
        <p className="px-4 py-6 text-fg-2">Both are the same snapshot. Choose another one.</p>
      ) : changes.isPending ? (
        <Loading what="the files that differ" rows={4} />
      ) : changes.data ? (
        <ChangeList
          key={`${before} ${after}`}
          {...changes.data}
          owner={owner}
          before={before}
          after={after}
          path={path}
          onChoose={onChoose}
        />
      ) : (
        <Failed error={changes.error} retry={() => void changes.refetch()} />
      )}
    </Panel>
  );
}
