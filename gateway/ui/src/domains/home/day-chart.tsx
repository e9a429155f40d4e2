// Bars of the last days. Arrow keys or the pointer choose a day, whose values the line below says.
import { useState, type KeyboardEvent } from "react";
import { cx } from "~/ui/class";
import { topOf, type Day } from "./usage";

const dayName = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });
const short = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

interface Props {
  label: string;
  days: Day[];
  value: (day: Day) => number;
  /** The part of a bar that is bad news. */
  bad?: ((day: Day) => number) | undefined;
  format: (value: number) => string;
  /** All that is known of a day, as a text. */
  says: (day: Day) => string;
  /** What stands below while no day is chosen. */
  rest: string;
}

export function DayChart({ label, days, value, bad, format, says, rest }: Props) {
  const [at, setAt] = useState<number>();
  const top = topOf(days.map(value));
  const last = days.length - 1;
  const keys = (event: KeyboardEvent) => {
    const now = at ?? last + 1;
    const moves: Record<string, number | undefined> = {
      ArrowLeft: Math.max(0, now - 1),
      ArrowRight: Math.min(last, at === undefined ? last : now + 1),
      Home: 0,
      End: last,
    };
    if (event.key === "Escape") return setAt(undefined);
    const next = moves[event.key];
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    setAt(next);
  };
  const chosen = at === undefined ? undefined : days[at];
  const tell = (day: Day) =>
    `${dayName.format(day.at)}: ${day.known ? says(day) : "not known, too many runs"}`;
  return (
    // A chart is read by its arrow keys, so it takes the focus; its values are text below it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <figure
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onKeyDown={keys}
      onBlur={() => setAt(undefined)}
      onPointerLeave={() => setAt(undefined)}
      className="rounded-control pt-2"
    >
      <div aria-hidden className="relative ml-12 h-32">
        {[1, 0.5].map((part) => (
          <div
            key={part}
            className="absolute inset-x-0 border-t border-line"
            style={{ bottom: `${part * 100}%` }}
          >
            <span className="absolute -top-2 right-full pr-2 text-micro whitespace-nowrap text-fg-3">
              {format(top * part)}
            </span>
          </div>
        ))}
        <div className="absolute inset-0 flex items-stretch border-b border-line-strong/60">
          {days.map((day, index) => {
            const height = (value(day) / top) * 100;
            const wrong = bad ? (bad(day) / top) * 100 : 0;
            return (
              <div
                key={day.at}
                onPointerEnter={() => setAt(index)}
                className={cx("flex min-w-0 flex-1 flex-col justify-end px-px", at === index && "bg-line/50")}
              >
                {!day.known && <span className="h-full bg-line/40" />}
                {wrong > 0 && (
                  <span className="w-full rounded-t-[2px] bg-failed" style={{ height: `${wrong}%` }} />
                )}
                {height - wrong > 0 && (
                  <span
                    className={cx("min-h-0.5 w-full bg-accent", wrong === 0 && "rounded-t-[2px]")}
                    style={{ height: `${height - wrong}%` }}
                  />
                )}
              </div>
            );
          })}
        </div>
      </div>
      <div aria-hidden className="ml-12 flex justify-between pt-1 text-micro text-fg-3">
        <span>{short.format(days[0]?.at)}</span>
        <span>{short.format(days[Math.floor(last / 2)]?.at)}</span>
        <span>today</span>
      </div>
      <figcaption role="status" className="min-h-8 pt-1 text-small text-fg-2">
        {chosen ? tell(chosen) : rest}
      </figcaption>
    </figure>
  );
}
