// A live line chart. Its parent decides what is shown and holds it while somebody reads.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { clockTime } from "../time";
import "./chart.css";
import { options, useThemeName, type ChartShape, HEIGHT } from "./options";

export type { Line } from "./options";

interface Props extends ChartShape {
  label: string;
  /** Seconds since the epoch. */
  times: number[];
  format: (value: number | null | undefined) => string;
  /** Somebody reads it, with the pointer or the focus, or no longer does. */
  onHold: (held: boolean) => void;
}

export function Chart(props: Props) {
  const { label, times, lines, format, range, onHold, onZoom } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const [at, setAt] = useState<number | null>(null);
  const theme = useThemeName();
  const data = useMemo(
    () => [times, ...lines.map((line) => line.values)] as uPlot.AlignedData,
    [times, lines],
  );
  const latest = useRef({ props, data });
  useEffect(() => {
    latest.current = { props, data };
  });

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const made = new uPlot(
      options(() => latest.current.props, element.clientWidth || 300),
      latest.current.data,
      element,
    );
    made.hooks["setCursor"] = [(self: uPlot) => setAt(self.cursor.idx ?? null)];
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    watch.observe(element);
    const reset = () => latest.current.props.onZoom(undefined);
    element.addEventListener("dblclick", reset);
    return () => {
      element.removeEventListener("dblclick", reset);
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
    // Colours and the number of lines are fixed when a chart is made, so it is made again for these.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react/exhaustive-deps
  }, [theme, lines.length]);

  const [from, to] = range;
  useEffect(() => {
    plot.current?.setData(data);
  }, [data, from, to]);

  const step = (event: KeyboardEvent) => {
    const made = plot.current;
    const shown = times.flatMap((time, index) => (time >= from && time <= to ? [index] : []));
    const [first, last] = [shown[0], shown.at(-1)];
    if (!made || first === undefined || last === undefined) return;
    const now = at ?? last;
    const moves: Record<string, () => number | undefined> = {
      ArrowLeft: () => Math.max(first, now - 1),
      ArrowRight: () => Math.min(last, now + 1),
      Home: () => first,
      End: () => last,
      "+": () => {
        const [middle, quarter] = [times[now] ?? to, (to - from) / 4];
        onZoom([middle - quarter, middle + quarter]);
        return undefined;
      },
      "-": () => {
        onZoom(undefined);
        return undefined;
      },
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const index = move();
    if (index === undefined) return;
    // The third argument, which its types leave out, moves the crosshair of the other charts, too.
    const cross = made.setCursor as (at: object, fire: boolean, share: boolean) => void;
    cross({ left: made.valToPos(times[index] ?? to, "x"), top: HEIGHT / 2 }, true, true);
  };

  const index = at ?? times.length - 1;
  const moment = at !== null && times[at] !== undefined ? `at ${clockTime(times[at] * 1000)}` : "";
  return (
    // A chart is read by its arrow keys, so it takes the focus; what it shows is text below it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <figure
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onKeyDown={step}
      // A page that opens under a resting pointer is entered by it as well; only who moves or presses reads.
      onPointerMove={(event) => (event.movementX !== 0 || event.movementY !== 0) && onHold(true)}
      onPointerDown={() => onHold(true)}
      onPointerLeave={() => onHold(false)}
      onFocus={() => onHold(true)}
      onBlur={() => onHold(false)}
      className="rounded-control focus-visible:-outline-offset-2"
    >
      <div ref={place} aria-hidden className="h-[132px] w-full" />
      <figcaption className="flex min-h-5 flex-wrap items-center justify-between gap-x-4 gap-y-1 pl-4 text-small text-fg-3">
        <span className="flex flex-wrap gap-x-4">
          {lines.map((line) => (
            <span key={line.label} className="inline-flex items-center gap-1.5">
              <svg width="14" height="4" aria-hidden>
                <line
                  x1="0"
                  x2="14"
                  y1="2"
                  y2="2"
                  stroke={`var(--${line.color})`}
                  strokeWidth="2"
                  strokeDasharray={line.dash?.join(" ")}
                />
              </svg>
              {line.label} <span className="text-fg-2">{format(line.values[index])}</span>
            </span>
          ))}
        </span>
        <span className="tabular-nums">{moment}</span>
      </figcaption>
    </figure>
  );
}
