import { ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { IconButton } from "../button";
import { cx } from "../class";
import { beginOf, dayOf, rangeOf, stepOf, weeksOf, type When } from "./range";

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const month = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric" });
const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "full" });

interface Props {
  value: When;
  /** Days after it cannot be chosen. */
  last: Date;
  onChange: (range: When) => void;
}

/** A month of days. The first press begins a range, the second ends it. */
export function Calendar({ value, last, onChange }: Props) {
  const [at, setAt] = useState(() => beginOf(value.until ?? value.from) ?? last);
  const [first, setFirst] = useState<string>();
  const moved = useRef(false);
  const grid = useRef<HTMLTableElement>(null);
  const here = dayOf(at);
  const end = dayOf(last);
  // The focus follows the keys only; a press on the buttons of the month keeps it there.
  useEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    grid.current?.querySelector<HTMLElement>(`[data-day="${here}"]`)?.focus();
  }, [here]);
  const range = first === undefined ? value : { from: first, until: first };
  const within = (day: string) =>
    (range.from !== undefined || range.until !== undefined) &&
    day >= (range.from ?? "") &&
    day <= (range.until ?? end);
  const choose = (day: string) => {
    if (day > end) return;
    setAt(beginOf(day) ?? at);
    setFirst(first === undefined ? day : undefined);
    if (first !== undefined) onChange(rangeOf(first, day));
  };
  const keys = (event: KeyboardEvent) => {
    const next = stepOf(event.key, at, event.shiftKey);
    if (!next) return;
    event.preventDefault();
    moved.current = true;
    setAt(next > last ? last : next);
  };
  const turn = (key: "PageUp" | "PageDown") => {
    const next = stepOf(key, at) ?? at;
    setAt(next > last ? last : next);
  };
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-center justify-between">
        <IconButton label="Month before" onClick={() => turn("PageUp")}>
          <ChevronLeft size={16} aria-hidden />
        </IconButton>
        <span aria-live="polite" className="font-[550]">
          {month.format(at)}
        </span>
        <IconButton label="Month after" onClick={() => turn("PageDown")}>
          <ChevronRight size={16} aria-hidden />
        </IconButton>
      </div>
      {/* A table whose days are walked with the arrow keys is a grid, as a date picker has it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role */}
      <table ref={grid} role="grid" aria-label={`Days of ${month.format(at)}`} onKeyDown={keys}>
        <thead>
          <tr>
            {DAYS.map((day) => (
              <th key={day} scope="col" abbr={day} className="size-8 text-micro text-fg-3">
                {day.slice(0, 2)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(at.getFullYear(), at.getMonth()).map((week) => (
            <tr key={dayOf(week[0] ?? at)}>
              {week.map((date) => {
                const day = dayOf(date);
                return (
                  <td key={day} aria-selected={within(day)} className="p-0">
                    <button
                      type="button"
                      data-day={day}
                      tabIndex={day === here ? 0 : -1}
                      aria-label={full.format(date)}
                      aria-disabled={day > end}
                      aria-current={day === end ? "date" : undefined}
                      onClick={() => choose(day)}
                      className={cx(
                        "size-8 rounded-control text-small tabular-nums aria-[current]:underline aria-disabled:cursor-not-allowed aria-disabled:text-fg-3/60 pointer-coarse:size-10",
                        within(day) ? "bg-accent text-on-accent" : "hover:bg-line/70",
                        date.getMonth() !== at.getMonth() && !within(day) && "text-fg-3",
                      )}
                    >
                      {date.getDate()}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p role="status" className="min-h-4 text-small text-fg-3">
        {first === undefined ? "Choose the first day." : "Choose the last day."}
      </p>
    </div>
  );
}
