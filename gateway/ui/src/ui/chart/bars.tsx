// Sums beside each other as bars, the scale below them. Each bar is a link to what is behind it, so the Tab key and a screen
// reader go through them as through a list.
import type { ReactNode } from "react";
import { cx } from "../class";
import { topOf } from "./scale";

export interface Bar {
  key: string;
  name: string;
  value: number;
  /** The part of the value that has another colour, at the right. */
  part?: number;
  /** The value in words. */
  says: string;
  /** More about it, small. */
  more: string;
}

export interface BarsProps {
  label: string;
  bars: readonly Bar[];
  format: (value: number) => string;
  /** The colours, when a bar has two: of its left part and of its right one. */
  legend?: readonly [string, string] | undefined;
  /** A link around what is given, or only that. */
  link: (bar: Bar, content: ReactNode, look: string) => ReactNode;
}

const width = (value: number, top: number) => `${Math.max(0, Math.min(100, (value / top) * 100))}%`;

/** The lines of the scale. */
const LINES = [0, 0.5, 1];

export function Bars({ label, bars, format, legend, link }: BarsProps) {
  const top = topOf(bars.map(({ value }) => value));
  const grid =
    "grid grid-cols-[minmax(0,1fr)_5.5rem] items-center gap-x-3 sm:grid-cols-[minmax(0,14rem)_minmax(0,1fr)_5.5rem]";
  return (
    <figure aria-label={label} className="px-4 py-3">
      {legend && (
        <p aria-hidden className="mb-2 flex flex-wrap gap-x-4 text-small text-fg-2">
          {legend.map((word, at) => (
            <span key={word} className="inline-flex items-center gap-1.5">
              <span className={cx("size-2.5 rounded-[2px]", at === 0 ? "bg-accent" : "bg-info")} /> {word}
            </span>
          ))}
        </p>
      )}
      <ul>
        {bars.map((bar) => (
          <li key={bar.key} data-row>
            {link(
              bar,
              <>
                <span className="min-w-0 truncate max-sm:order-1">
                  <bdi>{bar.name}</bdi>
                  <span className="block truncate text-small text-fg-3 max-sm:hidden">
                    <span className="sr-only">: </span>
                    {bar.more}
                  </span>
                </span>
                <span
                  aria-hidden
                  className="relative flex h-full min-h-4 items-center max-sm:order-3 max-sm:col-span-2 sm:min-h-11"
                >
                  {LINES.map((line) => (
                    <span
                      key={line}
                      className="absolute inset-y-0 border-l border-line"
                      style={{ left: `calc(${line * 100}% - ${line}px)` }}
                    />
                  ))}
                  <span
                    data-bar={bar.key}
                    className="relative flex h-3.5 min-w-px overflow-hidden rounded-r-[3px]"
                    style={{ width: width(bar.value, top) }}
                  >
                    <span className="min-w-0 flex-1 bg-accent" />
                    {bar.part !== undefined && bar.part > 0 && (
                      <span className="bg-info" style={{ width: width(bar.part, bar.value || 1) }} />
                    )}
                  </span>
                </span>
                <span className="text-right font-[550] whitespace-nowrap tabular-nums max-sm:order-2">
                  {bar.says}
                </span>
              </>,
              cx(grid, "-mx-2 rounded-control px-2 max-sm:py-1.5"),
            )}
          </li>
        ))}
      </ul>
      <div aria-hidden className={cx(grid, "text-micro text-fg-3")}>
        <span className="max-sm:hidden" />
        <span className="relative h-5 max-sm:col-span-2">
          {LINES.map((line) => (
            <span
              key={line}
              className="absolute top-1"
              style={
                line === 1 ? { right: 0 } : { left: `${line * 100}%`, translate: line ? "-50%" : undefined }
              }
            >
              {format(top * line)}
            </span>
          ))}
        </span>
      </div>
    </figure>
  );
}
