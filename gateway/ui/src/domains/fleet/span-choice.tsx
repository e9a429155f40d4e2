import type { HistorySpan } from "~/api/types";
import { cx } from "~/ui/class";

export const SPANS: Record<HistorySpan, { label: string; words: string; seconds: number }> = {
  "1h": { label: "1 h", words: "the last hour", seconds: 3600 },
  "6h": { label: "6 h", words: "the last six hours", seconds: 6 * 3600 },
  "24h": { label: "24 h", words: "the last day", seconds: 24 * 3600 },
};

const ALL = Object.keys(SPANS) as HistorySpan[];

/** What an address says, or an hour. */
export const spanOf = (text: string | undefined): HistorySpan => ALL.find((span) => span === text) ?? "1h";

/** How far back charts look. */
export function SpanChoice({
  value,
  onChange,
}: {
  value: HistorySpan;
  onChange: (span: HistorySpan) => void;
}) {
  return (
    <span
      role="group"
      aria-label="Time span"
      className="inline-flex rounded-control border border-line-strong/60"
    >
      {ALL.map((span) => (
        <button
          key={span}
          type="button"
          aria-pressed={span === value}
          onClick={() => onChange(span)}
          className={cx(
            "h-6 px-2 text-small first:rounded-l-control last:rounded-r-control pointer-coarse:h-11",
            span === value ? "bg-line/70 font-[550] text-fg" : "text-fg-2 hover:text-fg",
          )}
        >
          {SPANS[span].label}
        </button>
      ))}
    </span>
  );
}
