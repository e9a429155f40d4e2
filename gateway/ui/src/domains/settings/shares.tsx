import { number } from "~/ui/bytes";
import { cx } from "~/ui/class";
import { Status } from "~/ui/status";
import { spoken, type Share } from "./words";

const FILL = { done: "bg-done", waiting: "bg-waiting", failed: "bg-failed" };

/** A whole and its parts: a bar, and the same in words below it. What is there at all is seen, however small. */
export function Shares({ label, shares }: { label: string; shares: Share[] | undefined }) {
  const whole = shares?.reduce((sum, { value }) => sum + value, 0);
  return (
    <div className="border-b border-line px-4 py-3 last:border-0">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <h3 className="text-head-3">{label}</h3>
        <p className="text-figure">{number(whole)}</p>
      </div>
      {shares && (
        <>
          <div
            role="img"
            aria-label={`${label}: ${spoken(shares)}`}
            className="mt-2 flex h-2 gap-0.5 overflow-hidden rounded-full bg-line"
          >
            {shares.map(
              ({ word, value, tone }) =>
                value > 0 && (
                  <span key={word} className={cx("min-w-1.5", FILL[tone])} style={{ flexGrow: value }} />
                ),
            )}
          </div>
          <ul className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-small">
            {shares.map(({ word, value, tone }) => (
              <li key={word}>
                <Status
                  tone={value > 0 ? tone : "idle"}
                  word={`${number(value)} ${word}`}
                  className="whitespace-normal"
                />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
