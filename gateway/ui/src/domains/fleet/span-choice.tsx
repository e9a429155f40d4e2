import type { HistorySpan } from "~/api/types";
import { Segments } from "~/ui/segments";

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
  const options = ALL.map((span) => [span, SPANS[span].label] as const);
  return <Segments label="Time span" value={value} options={options} onChange={onChange} />;
}
