// A live line chart. Held while the pointer is on it, so that what is being read does not move away.
import { useEffect, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { clockTime } from "../time";
import "./chart.css";

export interface Line {
  label: string;
  /** Name of a colour token. */
  color: string;
  values: (number | null)[];
  dash?: number[];
  fill?: boolean;
}

interface Props {
  label: string;
  /** Seconds since the epoch. */
  times: number[];
  lines: Line[];
  format: (value: number | null | undefined) => string;
  /** Top of the scale; without it the scale fits what is shown. */
  max?: number | undefined;
  /** Charts with the same name share their crosshair. */
  sync: string;
}

const HEIGHT = 132;
const token = (name: string) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function options({ lines, format, max, sync }: Props, width: number): uPlot.Options {
  const axis = {
    stroke: token("fg-3"),
    font: "11px Inter, sans-serif",
    ticks: { show: false },
    grid: { stroke: token("line"), width: 1 },
  };
  return {
    width,
    height: HEIGHT,
    // Right: half of a time, because the last one stands under the end of the line.
    padding: [8, 26, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: sync }, drag: { x: true, y: false }, points: { size: 6 } },
    scales: {
      // One report alone has no span of its own; a minute is shown then.
      x: {
        range: (plot, low, high) =>
          plot.data[0].length === 1 ? [(plot.data[0][0] ?? 0) - 60, (plot.data[0][0] ?? 0) + 1] : [low, high],
      },
      y: { range: (_plot, _low, high) => [0, max ?? Math.max(high * 1.15, 0.1)] },
    },
    axes: [
      {
        ...axis,
        space: 84,
        size: 26,
        grid: { show: false },
        values: (_plot, splits) => splits.map((at) => clockTime(at * 1000)),
      },
      { ...axis, size: 58, space: 34, values: (_plot, splits) => splits.map((value) => format(value)) },
    ],
    series: [
      {},
      ...lines.map((line): uPlot.Series => ({
        label: line.label,
        stroke: token(line.color),
        width: 1.5,
        points: { show: line.values.length < 2, size: 4 },
        ...(line.dash ? { dash: line.dash } : {}),
        ...(line.fill ? { fill: `${token(line.color)}1f` } : {}),
      })),
    ],
  };
}

/** Rebuilt when the theme changes, because colours are read once. */
function useThemeName(): string {
  const [name, setName] = useState(document.documentElement.dataset["theme"] ?? "dark");
  useEffect(() => {
    const watch = new MutationObserver(() => setName(document.documentElement.dataset["theme"] ?? "dark"));
    watch.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => watch.disconnect();
  }, []);
  return name;
}

export function Chart(props: Props) {
  const { label, times, lines, format } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const [held, setHeld] = useState(false);
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
      options(latest.current.props, element.clientWidth || 300),
      latest.current.data,
      element,
    );
    made.hooks["setCursor"] = [(self: uPlot) => setAt(self.cursor.idx ?? null)];
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
    // Colours and the number of lines are fixed when a chart is made, so it is made again for these.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react/exhaustive-deps
  }, [theme, lines.length]);

  useEffect(() => {
    if (!held) plot.current?.setData(data);
  }, [data, held]);

  const index = at ?? times.length - 1;
  return (
    <figure aria-label={label} onPointerEnter={() => setHeld(true)} onPointerLeave={() => setHeld(false)}>
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
        {held && <span className="max-sm:hidden">Held while you read</span>}
      </figcaption>
    </figure>
  );
}
