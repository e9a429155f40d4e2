import { CalendarRange, ChevronDown } from "lucide-react";
import { useEffect } from "react";
import { cx } from "../class";
import { Calendar } from "./calendar";
import { useLayer } from "../choice/layer";
import { chip, popup } from "../choice/look";
import { beginOf, dayOf, plusDays, SPANS, wordsOf, type When } from "./range";
import { useToday } from "./today";

interface Props {
  label: string;
  value: When;
  onChange: (value: When) => void;
}

/** A span of days up to today, or days of a calendar. */
export function TimeRange({ label, value, onChange }: Props) {
  const { open, setOpen, close, around, button, layer } = useLayer();
  const today = beginOf(useToday()) ?? new Date(0);
  useEffect(() => {
    if (open) layer.current?.querySelector<HTMLElement>("[aria-pressed=true], button")?.focus();
  }, [open, layer]);
  const choose = (next: When) => {
    onChange(next);
    close();
  };
  const words = wordsOf(value);
  const own = value.from !== undefined || value.until !== undefined;
  return (
    <div className="relative flex min-w-0" {...around}>
      <button
        ref={button}
        type="button"
        aria-label={`${label}: ${words}`}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className={chip(own || value.when !== undefined)}
      >
        <CalendarRange size={14} aria-hidden className="shrink-0 text-fg-3" />
        <span className="min-w-0 truncate">{words}</span>
        <ChevronDown size={14} aria-hidden className="ml-auto shrink-0 text-fg-3" />
      </button>
      {open && (
        <div ref={layer} role="dialog" aria-label={label} className={cx(popup, "p-2")}>
          <div className="flex gap-3 max-sm:flex-col">
            <div
              role="group"
              aria-label="Spans"
              className="flex flex-col gap-0.5 max-sm:flex-row max-sm:flex-wrap"
            >
              {[["", "Any time"] as const, ...SPANS].map(([when, word]) => (
                <button
                  key={when}
                  type="button"
                  aria-pressed={!own && (value.when ?? "") === when}
                  onClick={() => choose(when ? { when } : {})}
                  className="h-7 rounded-control px-2 text-left whitespace-nowrap hover:bg-line/70 aria-pressed:bg-line/70 aria-pressed:font-[550] pointer-coarse:h-11"
                >
                  {word}
                </button>
              ))}
            </div>
            <div className="border-line max-sm:border-t max-sm:pt-2 sm:border-l sm:pl-3">
              <Calendar value={value} last={today} onChange={choose} />
            </div>
          </div>
        </div>
      )}
    </div>
  );
}

interface DayProps {
  label: string;
  /** Days, both of them included. */
  from: string | undefined;
  until: string | undefined;
  onChange: (days: { from: string; until: string }) => void;
}

/** A time range that is kept as days: a span up to today becomes its first day. */
export function DayRange({ label, from, until, onChange }: DayProps) {
  const today = beginOf(useToday()) ?? new Date(0);
  return (
    <TimeRange
      label={label}
      value={{ from, until }}
      onChange={(next) => {
        const span = SPANS.find(([when]) => when === next.when);
        onChange({
          from: span ? dayOf(plusDays(today, 1 - span[2])) : (next.from ?? ""),
          until: next.until ?? "",
        });
      }}
    />
  );
}
