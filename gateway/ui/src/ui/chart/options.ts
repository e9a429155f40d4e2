// How a chart is drawn: colours of the theme, a shared crosshair, a drag that asks for a zoom.
import { useEffect, useState } from "react";
import type uPlot from "uplot";
import { clockTime } from "../time";

export interface Line {
  label: string;
  /** Name of a colour token. */
  color: string;
  values: (number | null)[];
  dash?: number[];
  fill?: boolean;
}

export interface ChartShape {
  lines: Line[];
  format: (value: number | null | undefined) => string;
  /** Top of the scale; without it the scale fits what is shown. */
  max?: number | undefined;
  /** Charts with the same name share their crosshair. */
  sync: string;
  /** What is in view, seconds since the epoch. */
  range: [number, number];
  /** Somebody dragged over a part of it, or wants all of it again. */
  onZoom: (range: [number, number] | undefined) => void;
}

export const HEIGHT = 132;
/** A drag shorter than this was a click, pixels. */
const DRAG = 8;
const token = (name: string) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** `now` answers the present properties: what is in view changes without a new chart. */
export function options(now: () => ChartShape, width: number): uPlot.Options {
  const { lines, format, max, sync } = now();
  const axis = {
    stroke: token("fg-3"),
    font: "11px Inter, sans-serif",
    ticks: { show: false },
    grid: { stroke: token("line"), width: 1 },
  };
  const shared = new Set(["mousemove", "mouseleave"]);
  return {
    width,
    height: HEIGHT,
    // Right: half of a time, because the last one stands under the end of the line.
    padding: [8, 26, 0, 0],
    legend: { show: false },
    cursor: {
      // Only the crosshair is shared; the zoom is everybody's anyway, and a drag must not be dragged on each chart.
      sync: { key: sync, filters: { pub: (type) => shared.has(type) } },
      drag: { x: true, y: false, setScale: false },
      points: { size: 6 },
    },
    hooks: {
      setSelect: [
        (plot) => {
          const { left, width: wide } = plot.select;
          if (wide >= DRAG) now().onZoom([plot.posToVal(left, "x"), plot.posToVal(left + wide, "x")]);
          if (wide > 0) plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        },
      ],
    },
    scales: {
      x: { range: () => now().range },
      y: { range: (_plot, _low, high) => [0, max ?? Math.max((high ?? 0) * 1.15, 0.1)] },
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
        // A report between two silences has no line to either side: it is drawn as a point.
        points: { show: true, size: 4, filter: alone },
        ...(line.dash ? { dash: line.dash } : {}),
        ...(line.fill ? { fill: `${token(line.color)}1f` } : {}),
      })),
    ],
  };
}

/** Which values stand alone between gaps. */
export function lonely(values: ArrayLike<number | null | undefined>): number[] {
  const known = (at: number) => values[at] !== null && values[at] !== undefined;
  return Array.from(values).flatMap((_value, at) =>
    known(at) && !known(at - 1) && !known(at + 1) ? [at] : [],
  );
}

const alone: uPlot.Series.Points.Filter = (plot, series) => lonely(plot.data[series] ?? []);

/** A chart is made again when the theme changes, because its colours are read once. */
export function useThemeName(): string {
  const [name, setName] = useState(document.documentElement.dataset["theme"] ?? "dark");
  useEffect(() => {
    const watch = new MutationObserver(() => setName(document.documentElement.dataset["theme"] ?? "dark"));
    watch.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => watch.disconnect();
  }, []);
  return name;
}
