// Columns of the last days, and their line beside a figure. Arrow keys or the pointer choose a day, whose values the line
// below says. Pages load it lazily: `ui/chart/lazy.tsx`.
import { useState, type KeyboardEvent, type ReactNode } from "react";
import { cx } from "../class";
import { linePoints, topOf } from "./scale";

const dayName = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });
const short = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

export interface DayColumn {
  /** A moment of the day. */
  at: number;
  value: number;
  /** The part of the value at the top that has another colour. */
  part?: number;
  /** All that is known of the day, as a text. */
  says: string;
  /** False: its values are not known. */
  known?: boolean;
}

export interface ColumnsProps {
  label: string;
  days: readonly DayColumn[];
  format: (value: number) => string;
  /** What the part is: bad news, or another kind of the same. */
  parts?: "bad" | "other";
  tall?: boolean;
  /** What stands below while no day is chosen. */
  rest: string;
  /** Leads to what is behind a day, with the pointer or Enter. */
  onOpen?: (day: DayColumn) => void;
  /** The same beside the text of the chosen day. */
  link?: (day: DayColumn) => ReactNode;
}

export function Columns({ label, days, format, parts = "bad", tall, rest, onOpen, link }: ColumnsProps) {
  const [at, setAt] = useState<number>();
  const top = topOf(days.map(({ value }) => value));
  const last = days.length - 1;
  const chosen = at === undefined ? undefined : days[at];
  const keys = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return;
    const now = at ?? last + 1;
    const moves: Record<string, number | undefined> = {
      ArrowLeft: Math.max(0, now - 1),
      ArrowRight: Math.min(last, at === undefined ? last : now + 1),
      Home: 0,
      End: last,
    };
    if (event.key === "Escape") return setAt(undefined);
    if (event.key === "Enter" && chosen && onOpen) return onOpen(chosen);
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
  };
  return (
    // A chart is read by its arrow keys, so it takes the focus; its values are text below it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <figure
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onKeyDown={keys}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setAt(undefined);
      }}
      onPointerLeave={() => setAt(undefined)}
      className="rounded-control pt-2"
    >
      <div aria-hidden className={cx("relative ml-14", tall ? "h-52" : "h-32")}>
        {[1, 0.5].map((share) => (
          <div
            key={share}
            className="absolute inset-x-0 border-t border-line"
            style={{ bottom: `${share * 100}%` }}
          >
            <span className="absolute -top-2 right-full pr-2 text-micro whitespace-nowrap text-fg-3">
              {format(top * share)}
            </span>
          </div>
        ))}
        <div className="absolute inset-0 flex items-stretch border-b border-line-strong/60">
          {days.map((day, index) => {
            const { known = true, part = 0, value } = day;
            const height = (value / top) * 100;
            const other = (part / top) * 100;
            return (
              // The keys of the figure lead here as well.
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
              <div
                key={day.at}
                data-day={day.at}
                onPointerEnter={() => setAt(index)}
                onClick={() => onOpen?.(day)}
                className={cx(
                  "flex min-w-0 flex-1 flex-col justify-end px-px",
                  at === index && "bg-line/50",
                  onOpen && "cursor-pointer",
                )}
              >
                {!known && <span className="h-full bg-line/40" />}
                {other > 0 && (
                  <span
                    className={cx("w-full rounded-t-[2px]", parts === "bad" ? "bg-failed" : "bg-info")}
                    style={{ height: `${other}%` }}
                  />
                )}
                {height - other > 0 && (
                  <span
                    className={cx("min-h-0.5 w-full bg-accent", other === 0 && "rounded-t-[2px]")}
                    style={{ height: `${height - other}%` }}
                  />
                )}
              </div>
            );
          })}
        </div>
      </div>
      <div aria-hidden className="ml-14 flex justify-between pt-1 text-micro text-fg-3">
        <span>{short.format(days[0]?.at)}</span>
        <span>{short.format(days[Math.floor(last / 2)]?.at)}</span>
        <span>today</span>
      </div>
      <figcaption role="status" className="min-h-8 pt-1 text-small text-fg-2">
        {chosen ? `${dayName.format(chosen.at)}: ${chosen.says}` : rest}
        {chosen && link && <> {link(chosen)}</>}
      </figcaption>
    </figure>
  );
}

/** The days as a line; the figures that it belongs to are beside it. */
export const Spark = ({ days, className }: { days: readonly number[]; className?: string }) => (
  <svg
    aria-hidden
    viewBox="0 -4 100 108"
    preserveAspectRatio="none"
    className={cx("h-6 w-full text-accent", className)}
  >
    <polyline
      points={linePoints(days)}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      vectorEffect="non-scaling-stroke"
    />
  </svg>
);
