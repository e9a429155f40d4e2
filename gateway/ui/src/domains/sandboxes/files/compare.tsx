import { ArrowLeftRight, X } from "lucide-react";
import type { Owner } from "~/api/sandboxes";
import type { Snapshot } from "~/api/types";
import { Button } from "~/ui/button";
import { Choice } from "~/ui/field";
import { Panel } from "~/ui/panel";
import type { FilesChoice } from "~/ui/files-choice";
import { filesOf } from "~/ui/sandbox-words";
import { ChangedBetween } from "./changed-between";
import { MOST } from "./change-list";
import { momentOf } from "./time-line";

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

/** Two snapshots side by side: the files that differ, and the lines of each. */
export function Compare({ owner, snapshots, before, after, path, onChoose }: Props) {
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
      ) : (
        <ChangedBetween
          owner={owner}
          before={before}
          after={after}
          path={path}
          onChoose={onChoose}
          first={MOST}
        />
      )}
    </Panel>
  );
}
