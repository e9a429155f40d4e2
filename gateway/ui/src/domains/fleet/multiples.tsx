import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo, useMemo, useState } from "react";
import type { FleetMetric, HistorySpan, NodeLine } from "~/api/types";
import { number, percent } from "~/ui/bytes";
import { cx } from "~/ui/class";
import { Choice } from "~/ui/field";
import { Failed } from "~/ui/problem";
import { Skeleton } from "~/ui/skeleton";
import { path } from "./path";
import { fleetHistoryQuery } from "./queries";
import { SpanChoice, SPANS } from "./span-choice";
import { nodeState } from "./words";

interface Figure {
  label: string;
  /** Top of the scale; without it the highest of all machines. */
  max?: number;
  format: (value: number | null | undefined) => string;
}

export const FIGURES: Record<FleetMetric, Figure> = {
  cpu: { label: "CPU", max: 100, format: percent },
  memory: { label: "Memory", max: 100, format: percent },
  disk: { label: "Disk", max: 100, format: percent },
  load: { label: "Load", format: (value) => number(value, 1) },
  gpu: { label: "Graphics", max: 100, format: percent },
  temperature: {
    label: "Temperature",
    format: (value) => (value === undefined ? percent(value) : `${number(value)} °C`),
  },
  io_pressure: { label: "Waiting for the disk", max: 100, format: percent },
};

export const metricOf = (text: string | undefined): FleetMetric =>
  (Object.keys(FIGURES) as FleetMetric[]).find((metric) => metric === text) ?? "cpu";

const [WIDTH, HEIGHT] = [240, 44];

interface TileProps {
  node: NodeLine;
  values: (number | null)[] | undefined;
  top: number;
  figure: Figure;
  /** Its figures are on their way. A tile has its height before, so that nothing moves. */
  coming: boolean;
}

const Tile = memo(function Tile({ node, values, top, figure, coming }: TileProps) {
  const last = values?.findLast((value) => value !== null);
  const away = node.connection === "disconnected";
  return (
    <li className="min-w-0 [contain-intrinsic-size:auto_96px] [content-visibility:auto]">
      <Link
        to="/fleet/$id"
        params={{ id: node.id }}
        className="block rounded-panel border border-line bg-surface px-3 py-2 hover:border-line-strong"
      >
        <span className="flex items-baseline justify-between gap-2">
          <span className="truncate font-[550]">{node.name}</span>
          <span className={cx("shrink-0", away ? "text-fg-3" : "text-fg-2")}>
            {away ? nodeState(node).word : figure.format(last)}
          </span>
        </span>
        {values ? (
          <svg
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            aria-hidden
            className={cx("mt-1 h-11 w-full", away && "grayscale")}
          >
            <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} stroke="var(--line)" />
            <path
              d={path(values, top, WIDTH, HEIGHT)}
              fill="none"
              stroke="var(--accent)"
              strokeWidth="1.5"
              strokeLinecap="round"
              vectorEffect="non-scaling-stroke"
            />
          </svg>
        ) : (
          <span className="mt-1 flex h-11 items-center text-small text-fg-3">
            {coming ? <Skeleton className="w-full" /> : "not reported"}
          </span>
        )}
      </Link>
    </li>
  );
});

interface Props {
  nodes: NodeLine[];
  metric: FleetMetric;
  span: HistorySpan;
  onChange: (view: { metric?: FleetMetric; span?: HistorySpan }) => void;
}

/** One figure of all machines beside each other, on one scale, so that the odd one out is seen. */
export function Multiples({ nodes, metric, span, onChange }: Props) {
  const history = useQuery(fleetHistoryQuery(metric, span));
  // Held while somebody reads: lines do not move under the pointer or the focus.
  const asked = `${metric} ${span}`;
  const [frozen, setFrozen] = useState<{ asked: string; data: typeof history.data }>();
  // Another figure or span is what the reader asked for; what was held of the one before is not it.
  const held = frozen?.asked === asked ? frozen.data : undefined;
  const data = held ?? history.data;
  const lines = useMemo(() => new Map(data?.nodes.map((line) => [line.id, line.values])), [data]);
  const figure = FIGURES[metric];
  const top = useMemo(
    () =>
      figure.max ?? Math.max(0.1, ...(data?.nodes ?? []).flatMap(({ values }) => values.map((v) => v ?? 0))),
    [data, figure],
  );
  const hold = {
    onEnter: () =>
      setFrozen((now) => (now?.asked === asked && now.data ? now : { asked, data: history.data })),
    onLeave: () => setFrozen(undefined),
  };
  return (
    <section aria-label="One figure of all machines" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <Choice
          label="Figure"
          value={metric}
          onChange={(event) => onChange({ metric: metricOf(event.target.value) })}
          className="w-48"
        >
          {Object.entries(FIGURES).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </Choice>
        <SpanChoice value={span} onChange={(next) => onChange({ span: next })} />
        <p className="text-small text-fg-3">
          All on one scale, 0 to {figure.format(top)}, over {SPANS[span].words}. Gaps are times without a
          report.
          {held && " Held while you read."}
        </p>
      </div>
      {history.isPending && (
        <p role="status" className="sr-only">
          Loading the figures
        </p>
      )}
      {history.isError && !data && (
        <Failed error={history.error} retry={() => void history.refetch()} className="" />
      )}
      {(data || history.isPending) && (
        // Only holds what is shown while it is read; each machine in it is a link.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
        <ul
          className="grid grid-cols-[repeat(auto-fill,minmax(200px,1fr))] gap-2"
          onPointerEnter={hold.onEnter}
          onPointerLeave={hold.onLeave}
          onFocus={hold.onEnter}
          onBlur={hold.onLeave}
        >
          {nodes.map((node) => (
            <Tile
              key={node.id}
              node={node}
              values={lines.get(node.id)}
              top={top}
              figure={figure}
              coming={!data}
            />
          ))}
        </ul>
      )}
    </section>
  );
}
