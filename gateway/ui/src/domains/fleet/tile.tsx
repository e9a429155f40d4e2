import { Link } from "@tanstack/react-router";
import { memo, type KeyboardEvent, type PointerEvent } from "react";
import type { NodeLine } from "~/api/types";
import { cx } from "~/ui/class";
import { Skeleton } from "~/ui/skeleton";
import { moved, path, pointAt } from "./path";
import { nodeState } from "./words";

/** The moments of the points, which all machines share. */
export interface Times {
  /** Milliseconds since the epoch. */
  from: number;
  step: number;
  points: number;
}

const minute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

export const timeOf = ({ from, step }: Times, point: number) => minute.format(from + point * step);

const [WIDTH, HEIGHT] = [240, 44];

interface Props {
  node: NodeLine;
  values: (number | null)[] | undefined;
  top: number;
  format: (value: number | null | undefined) => string;
  times: Times | undefined;
  /** The point under the pointer, the same on each tile. */
  at: number | undefined;
  /** The pointer or the keys choose the point on this tile. */
  read: boolean;
  onAt: (id: string, point: number | undefined) => void;
  /** Its figures are on their way. A tile has its height before, so that nothing moves. */
  coming: boolean;
}

/** What the pointer is on: the time and the value beside the line through the point. */
function Tip({ share, text }: { share: number; text: string }) {
  return (
    <span
      aria-hidden
      style={{ left: `${share * 100}%` }}
      className={cx(
        "pointer-events-none absolute top-0 z-10 rounded-control border border-line-strong bg-raised px-1.5 text-small whitespace-nowrap text-fg tabular-nums",
        share > 0.5 ? "-ml-1.5 -translate-x-full" : "ml-1.5",
      )}
    >
      {text}
    </span>
  );
}

function Plot({ node, values, top, format, times, at, read, onAt }: Props & { values: (number | null)[] }) {
  const last = Math.max(1, values.length - 1);
  const share = at === undefined ? undefined : at / last;
  const follow = (event: PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    onAt(node.id, pointAt((event.clientX - left) / width, values.length));
  };
  return (
    <span className="mt-1 flex gap-2">
      <span className="min-w-0 flex-1">
        <span
          className="relative block"
          onPointerMove={follow}
          onPointerLeave={() => onAt(node.id, undefined)}
        >
          <svg
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            aria-hidden
            className={cx("h-11 w-full", node.connection === "disconnected" && "grayscale")}
          >
            {[0.5, HEIGHT - 0.5].map((y) => (
              <line key={y} x1="0" x2={WIDTH} y1={y} y2={y} stroke="var(--line)" />
            ))}
            <path
              d={path(values, top, WIDTH, HEIGHT)}
              fill="none"
              stroke="var(--accent)"
              strokeWidth="1.5"
              strokeLinecap="round"
              vectorEffect="non-scaling-stroke"
            />
            {share !== undefined && (
              <line
                x1={share * WIDTH}
                x2={share * WIDTH}
                y1="0"
                y2={HEIGHT}
                stroke="var(--fg-3)"
                vectorEffect="non-scaling-stroke"
              />
            )}
          </svg>
          {read && share !== undefined && times && at !== undefined && (
            <Tip share={share} text={`${timeOf(times, at)}, ${format(values[at])}`} />
          )}
        </span>
        <span
          aria-hidden
          className="mt-0.5 flex h-4 justify-between text-small leading-4 text-fg-3 tabular-nums"
        >
          {times && (
            <>
              <span>{timeOf(times, 0)}</span>
              <span>{timeOf(times, times.points - 1)}</span>
            </>
          )}
        </span>
      </span>
      {/* The top of the scale is the same on each tile, so all plots are equally wide. */}
      <span
        aria-hidden
        className="flex h-11 shrink-0 flex-col justify-between text-right text-small leading-3 text-fg-3 tabular-nums"
      >
        <span>{format(top)}</span>
        <span>{format(0)}</span>
      </span>
    </span>
  );
}

/** One machine of the comparison. The pointer, or the arrow keys, read the same moment of all machines. */
export const Tile = memo(function Tile(props: Props) {
  const { node, values, format, at, onAt, coming } = props;
  const away = node.connection === "disconnected";
  const value = at === undefined ? values?.findLast((one) => one !== null) : values?.[at];
  const step = (event: KeyboardEvent) => {
    const next = moved(event.key, at, values?.length ?? 0);
    if (next === undefined) return;
    event.preventDefault();
    onAt(node.id, next);
  };
  return (
    <li className="min-w-0 [contain-intrinsic-size:auto_114px] [content-visibility:auto]">
      <Link
        to="/fleet/$id"
        params={{ id: node.id }}
        onKeyDown={step}
        onBlur={() => onAt(node.id, undefined)}
        className="block rounded-panel border border-line bg-surface px-3 py-2 hover:border-line-strong"
      >
        <span className="flex items-baseline justify-between gap-2">
          <span className="truncate font-[550]">{node.name}</span>
          <span className={cx("shrink-0 tabular-nums", away && at === undefined ? "text-fg-3" : "text-fg-2")}>
            {away && at === undefined ? nodeState(node).word : format(value)}
          </span>
        </span>
        {values ? (
          <Plot {...props} values={values} />
        ) : (
          <span className="mt-1 mb-4.5 flex h-11 items-center text-small text-fg-3">
            {coming ? <Skeleton className="w-full" /> : "not reported"}
          </span>
        )}
      </Link>
    </li>
  );
});
