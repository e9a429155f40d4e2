import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import type { FleetMetric, HistorySpan, NodeLine } from "~/api/types";
import { number, percent } from "~/ui/bytes";
import { Choice } from "~/ui/field";
import { Failed } from "~/ui/problem";
import { fleetHistoryQuery } from "./queries";
import { SpanChoice, SPANS } from "./span-choice";
import { Tile, timeOf } from "./tile";

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
  const times = useMemo(
    () => data && { from: Date.parse(data.from), step: data.step_s * 1000, points: data.points },
    [data],
  );
  const [read, setRead] = useState<{ id: string; at: number }>();
  const onAt = useCallback(
    (id: string, at: number | undefined) =>
      setRead((now) =>
        at === undefined
          ? now?.id === id
            ? undefined
            : now
          : now?.id === id && now.at === at
            ? now
            : { id, at },
      ),
    [],
  );
  // What the keys choose is said; what the pointer chooses is seen.
  const said = read && times && `${timeOf(times, read.at)}, ${figure.format(lines.get(read.id)?.[read.at])}`;
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
          All machines have the same scale, over {SPANS[span].words}. Gaps are times without a report. Point
          at a chart, or press an arrow key on it, to compare a moment.
          {held && " Held while you read."}
        </p>
      </div>
      <p role="status" className="sr-only">
        {said}
      </p>
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
              format={figure.format}
              times={times}
              at={read?.at}
              read={read?.id === node.id}
              onAt={onAt}
              coming={!data}
            />
          ))}
        </ul>
      )}
    </section>
  );
}
