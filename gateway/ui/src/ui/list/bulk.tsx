import { useState, type ReactNode } from "react";
import { asProblem, type Problem } from "~/api/problem";
import { Button, type Look } from "../button";
import { DialogActions, Modal } from "../dialog";
import { Status } from "../status";

type Result = "asking" | "done" | Problem;

/** Things that are asked at the same time. */
const AT_ONCE = 4;

/** Acts on each in turn, a few at a time, and tells how each came out. */
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
  if (result === undefined) return <Status tone="idle" word="Not started" />;
  if (result === "asking") return <Status tone="moving" word="In progress" />;
  if (result === "done") return <Status tone="done" word={done} />;
  return <Status tone="failed" word={result.title} title={result.detail} />;
}

/** `1 machine`, `3 machines` */
export const countOf = (count: number, [one, several]: readonly [string, string]): string =>
  `${count} ${count === 1 ? one : several}`;

interface Props<T> {
  /** What it is about to do, with the number. */
  title: string;
  lead: ReactNode;
  /** Those that it acts on. */
  targets: T[];
  nameOf: (item: T) => ReactNode;
  /** The noun for one and for several. */
  what: readonly [string, string];
  /** The word of the button that begins. */
  action: string;
  look?: Look;
  /** What the button beside it says, where "Cancel" would be taken for the action. */
  keep?: string;
  /** The word beside one that is done. */
  done: string;
  act: (item: T) => Promise<unknown>;
  /** What can be chosen before it begins. */
  choice?: ReactNode;
  onClose: () => void;
}

/** Acts on many at once: asked first, then each one's own result. What failed can be tried again. */
export function BulkDialog<T extends { id: string }>(props: Props<T>) {
  const {
    title,
    lead,
    targets,
    nameOf,
    what,
    action,
    look = "primary",
    keep = "Cancel",
    done,
    act,
    choice,
    onClose,
  } = props;
  // Who was chosen when it opened: what happens to the list meanwhile changes nothing here.
  const [items] = useState(targets);
  const [words] = useState({ title, lead, action });
  const [results, setResults] = useState<Record<string, Result>>({});
  const [running, setRunning] = useState(false);
  const failed = items.filter((item) => typeof results[item.id] === "object");
  const finished = !running && Object.keys(results).length > 0;
  const run = async (some: T[]) => {
    setRunning(true);
    await forEach(some, act, (id, result) => setResults((before) => ({ ...before, [id]: result })));
    setRunning(false);
  };
  return (
    <Modal open onClose={() => !running && onClose()} title={words.title} lead={words.lead}>
      {items.length > 0 && (
        <ul
          aria-label="Results"
          className="max-h-72 divide-y divide-line overflow-y-auto rounded-panel border border-line"
        >
          {items.map((item) => (
            <li key={item.id} className="flex items-center justify-between gap-3 px-3 py-1.5">
              <span className="min-w-0 truncate">{nameOf(item)}</span>
              <Outcome result={results[item.id]} done={done} />
            </li>
          ))}
        </ul>
      )}
      {choice && (
        <fieldset disabled={running || finished} className="mt-4">
          {choice}
        </fieldset>
      )}
      <p role="status" className="mt-2 min-h-5 text-small text-fg-2">
        {finished &&
          (failed.length === 0
            ? `Done for ${countOf(items.length, what)}.`
            : `Done for ${items.length - failed.length} of ${items.length}. ${failed.length} failed.`)}
      </p>
      <DialogActions>
        <Button onClick={onClose} disabled={running}>
          {finished || items.length === 0 ? "Close" : keep}
        </Button>
        {finished && failed.length > 0 && (
          <Button look={look} onClick={() => void run(failed)}>
            Try {failed.length} again
          </Button>
        )}
        {!finished && items.length > 0 && (
          <Button look={look} busy={running} onClick={() => void run(items)}>
            {words.action}
          </Button>
        )}
      </DialogActions>
    </Modal>
  );
}
