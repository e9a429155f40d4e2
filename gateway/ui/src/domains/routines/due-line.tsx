import { span, useNow } from "~/ui/time";
import { marksOf } from "./places";
import { dueTime } from "./words";

/** The next due times as marks on a line from now on, and in words. */
export function DueLine({ due, words }: { due: readonly string[]; words: string }) {
  const now = useNow();
  const first = due[0];
  if (!first) return <p className="text-fg-3">No due time is left.</p>;
  const wait = Date.parse(first) - now;
  return (
    <div className="flex flex-col gap-2">
      <p>
        {words}. {wait > 0 ? `Due in ${span(wait)}.` : "Due now."}
      </p>
      <div className="relative mx-1.5 h-6" role="img" aria-label={`Due: ${due.map(dueTime).join("; ")}`}>
        <span aria-hidden className="absolute inset-x-0 top-1/2 h-0.5 -translate-y-1/2 bg-line-strong" />
        {marksOf(due, now).map(({ at, left }) => (
          <span
            key={at}
            aria-hidden
            data-due={at}
            title={dueTime(at)}
            className="absolute top-1/2 size-3 -translate-1/2 rounded-full border-2 border-surface bg-accent"
            style={{ left: `${left}%` }}
          />
        ))}
      </div>
      <p className="flex justify-between gap-3 text-small text-fg-3">
        <span>now</span>
        <time dateTime={due.at(-1)}>{dueTime(due.at(-1) ?? first)}</time>
      </p>
    </div>
  );
}
