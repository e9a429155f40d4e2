import type { AuditEntry } from "~/api/types";
import { Button } from "~/ui/button";
import { useRowOrder } from "~/ui/row-order";
import { RowOrderNote } from "~/ui/row-order-note";
import { EntryRow } from "./entry-row";

interface Props {
  entries: AuditEntry[];
  /** Shows more of them, where there are any. */
  more: (() => void) | undefined;
  /** The oldest stand first. */
  oldest: boolean;
  busy: boolean;
  only: (thing: string) => void;
}

/** The entries of one question. Give it the question as its key: what is held belongs to that one alone. */
export function EntryList({ entries, more, oldest, busy, only }: Props) {
  const { rows, waiting, held, release, bind } = useRowOrder(entries);
  return (
    <section aria-label="Entries" className="rounded-panel border border-line bg-surface">
      <div className="border-b border-line px-4 py-1.5">
        <RowOrderNote
          held={held}
          waiting={waiting}
          release={release}
          count={entries.length}
          what={more ? `${oldest ? "oldest" : "newest"} entries` : entries.length === 1 ? "entry" : "entries"}
        />
      </div>
      <ol {...bind}>
        {rows.map(({ item, gone }) => (
          <EntryRow key={item.id} entry={item} gone={gone} only={only} />
        ))}
      </ol>
      {more && (
        <div className="border-t border-line px-4 py-2">
          <Button busy={busy} onClick={more}>
            Show {oldest ? "newer" : "older"} ones
          </Button>
        </div>
      )}
    </section>
  );
}
