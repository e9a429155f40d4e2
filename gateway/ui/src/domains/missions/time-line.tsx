import type { MissionDetail } from "~/api/missions";
import { cx } from "~/ui/class";
import { clockTime } from "~/ui/time";
import { visible } from "~/ui/visible";
import { spanMs, spansOf, spanWords, sumWords, type Span } from "./spans";
import { PHASE_GROUND } from "./words";

const keyOf = ({ from, work }: Span) => (work ? `${work.phase} ${work.attempt}` : `wait ${from}`);

/** The time of a mission as one line to scale: each attempt of each phase, and the waits between them. */
export function TimeLine({ mission, now }: { mission: MissionDetail; now: number }) {
  const spans = spansOf(mission, now);
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last) return null;
  const words = spans.map((span) => visible(spanWords(span, mission)));
  return (
    <div
      className="flex min-h-14 flex-col justify-center gap-1.5 border-t border-line px-4 py-3"
      data-time-line
    >
      <div
        role="img"
        aria-label={`${sumWords(spans)}. ${words.join("; ")}`}
        className="flex h-3 w-full gap-px overflow-hidden rounded-full"
      >
        {spans.map((span, at) => (
          <span
            key={keyOf(span)}
            title={words[at]}
            data-span={span.work ? span.work.status : "wait"}
            className={cx(
              "min-w-1 basis-0",
              span.work ? PHASE_GROUND[span.work.status] : "waits",
              span.work?.status === "running" && "pulse",
            )}
            style={{ flexGrow: Math.max(1, spanMs(span)) }}
          />
        ))}
      </div>
      <p className="flex flex-wrap justify-between gap-x-3 text-small text-fg-3 tabular-nums">
        <span>{clockTime(first.from)}</span>
        <span className="text-fg-2 max-sm:order-last max-sm:basis-full">{sumWords(spans)}</span>
        <span>{last.open ? "now" : clockTime(last.to)}</span>
      </p>
    </div>
  );
}
