import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { asProblem, type Problem } from "~/api/problem";
import type { NodeLine } from "~/api/types";
import { renewLine } from "~/live/lines";
import { Button } from "~/ui/button";
import { DialogActions, Modal } from "~/ui/dialog";
import { Status } from "~/ui/status";
import { nodes } from "./queries";
import { words } from "./words";

type Result = "waiting" | "asking" | "done" | Problem;

/** Machines that are asked at the same time. */
const AT_ONCE = 4;

/** Asks each machine in turn, a few at a time, and tells how each came out. */
export async function forEach<T extends { id: string }>(
  items: T[],
  act: (item: T) => Promise<unknown>,
  tell: (id: string, result: Result) => void,
): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item; item = queue.shift()) {
      tell(item.id, "asking");
      try {
        await act(item);
        tell(item.id, "done");
      } catch (error) {
        tell(item.id, asProblem(error));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function Outcome({ result, done }: { result: Result | undefined; done: string }) {
  if (result === undefined || result === "waiting") return <Status tone="idle" word="Not asked yet" />;
  if (result === "asking") return <Status tone="moving" word="Asking" />;
  if (result === "done") return <Status tone="done" word={done} />;
  return <Status tone="failed" word={result.title} title={result.detail} />;
}

interface Props {
  what: "drain" | "undrain";
  targets: NodeLine[];
  onClose: () => void;
}

/** Draining many at once: asked first, then each machine's own result; what failed can be tried again. */
export function BulkDialog({ what, targets, onClose }: Props) {
  const client = useQueryClient();
  // Who was chosen when it opened: what happens to the list meanwhile changes nothing here.
  const [items] = useState(targets);
  const [results, setResults] = useState<Record<string, Result>>({});
  const [running, setRunning] = useState(false);
  const failed = items.filter((item) => typeof results[item.id] === "object");
  const finished = !running && Object.keys(results).length > 0;
  const draining = what === "drain";
  const count = `${items.length} ${items.length === 1 ? "machine" : "machines"}`;
  const run = async (some: NodeLine[]) => {
    setRunning(true);
    await forEach(
      some,
      async (item) => {
        await (draining ? nodes.drain(item.id) : nodes.undrain(item.id));
        renewLine(client, item.id);
      },
      (id, result) => setResults((before) => ({ ...before, [id]: result })),
    );
    setRunning(false);
  };
  return (
    <Modal
      open
      onClose={() => !running && onClose()}
      title={`${draining ? "Drain" : "End draining of"} ${count}`}
      lead={draining ? words.drain : "They take new sandboxes again."}
    >
      <ul
        aria-label="Results"
        className="max-h-72 divide-y divide-line overflow-y-auto rounded-panel border border-line"
      >
        {items.map((item) => (
          <li key={item.id} className="flex items-center justify-between gap-3 px-3 py-1.5">
            <span className="min-w-0 truncate">{item.name}</span>
            <Outcome result={results[item.id]} done={draining ? "Draining" : "Takes sandboxes"} />
          </li>
        ))}
      </ul>
      <p role="status" className="mt-2 min-h-5 text-small text-fg-2">
        {finished &&
          (failed.length === 0
            ? `All ${count} answered.`
            : `${items.length - failed.length} answered, ${failed.length} did not.`)}
      </p>
      <DialogActions>
        <Button onClick={onClose} disabled={running}>
          {finished ? "Close" : "Cancel"}
        </Button>
        {finished && failed.length > 0 && (
          <Button look="primary" onClick={() => void run(failed)}>
            Try {failed.length} again
          </Button>
        )}
        {!finished && (
          <Button look="primary" busy={running} onClick={() => void run(items)}>
            {draining ? `Drain ${count}` : "End draining"}
          </Button>
        )}
      </DialogActions>
    </Modal>
  );
}
