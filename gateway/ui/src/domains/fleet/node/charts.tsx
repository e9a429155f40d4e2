import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { HistorySpan, Node } from "~/api/types";
import { reportOf, samplesOf, watchNode } from "~/live/samples";
import { Button } from "~/ui/button";
import { Chart, type Line } from "~/ui/chart/chart";
import { cx } from "~/ui/class";
import { Fold, isNarrow } from "~/ui/fold";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Ago } from "~/ui/time";
import { historyQuery } from "../queries";
import { SpanChoice, SPANS } from "../span-choice";
import { columns, endOf, joined, type Figures, type Point } from "./columns";
import { knows, SPECS, type Spec } from "./specs";

interface Shared {
  sync: string;
  range: [number, number];
  onZoom: (range: [number, number] | undefined) => void;
  onHold: (held: boolean) => void;
}

function HealthChart({
  spec,
  points,
  now,
  ...shared
}: { spec: Spec; points: Point[]; now: Figures } & Shared) {
  const { times, lines } = useMemo(() => {
    // A line of which nothing was ever reported is left out rather than drawn as zero.
    const known = spec.lines.filter((line) =>
      points.some(({ figures }) => line.read(figures) !== null && line.read(figures) !== undefined),
    );
    const { times: at, values } = columns(
      points,
      known.map((line) => line.read),
    );
    return {
      times: at,
      lines: known.map(({ read: _read, ...line }, index): Line => ({ ...line, values: values[index] ?? [] })),
    };
  }, [spec, points]);
  return (
    <div className="min-w-0 py-3 pr-3">
      <div className="flex items-baseline gap-2 pl-4">
        <h3 className="text-small font-[550] text-fg-2">{spec.title}</h3>
        <span className="text-figure">{spec.figure(now)}</span>
        <span className="text-small text-fg-3">{spec.note(now)}</span>
      </div>
      <Chart
        label={`${spec.title} over time`}
        times={times}
        lines={lines}
        format={spec.format}
        max={spec.max}
        {...shared}
      />
    </div>
  );
}

/** What the gateway kept, and what was heard since this page was opened; held while somebody reads. */
function usePoints(node: Node, span: HistorySpan) {
  const history = useQuery(historyQuery(node.id, span));
  const kept = useSyncExternalStore(
    (call) => watchNode(node.id, call),
    () => samplesOf(node.id),
  );
  const samples = useMemo(() => {
    const now = reportOf(node);
    return kept.length > 0 || !now ? kept : [now];
  }, [kept, node]);
  const fresh = useMemo(() => joined(history.data, samples), [history.data, samples]);
  // An average comes into being with each minute that is over; a machine that is away brings none.
  const minute = Math.floor(Date.parse(samples.at(-1)?.at ?? "") / 60_000);
  const { refetch } = history;
  const [asked, setAsked] = useState(minute);
  useEffect(() => {
    if (Number.isNaN(minute) || minute === asked) return;
    // oxlint-disable-next-line react/set-state-in-effect
    setAsked(minute);
    if (!Number.isNaN(asked)) void refetch();
  }, [minute, asked, refetch]);
  // Held is what was drawn: a pointer that lies there before the history has come holds the history, not its absence.
  const shown = `${node.id} ${span}`;
  const drawn = !history.isPending && !history.isPlaceholderData;
  const [holding, hold] = useState(false);
  const [frozen, setFrozen] = useState<{ shown: string; points: Point[] }>();
  const held = holding && drawn ? (frozen?.shown === shown ? frozen : { shown, points: fresh }) : undefined;
  if (held !== frozen) setFrozen(held);
  return {
    history,
    points: held?.points ?? fresh,
    held: held !== undefined,
    hold,
    now: (samples.at(-1) ?? fresh.at(-1)?.figures ?? {}) as Figures,
  };
}

interface Props {
  node: Node;
  span: HistorySpan;
  onSpan: (span: HistorySpan) => void;
}

/** The figures of a machine over time: kept for a day by the gateway, and appended live. */
export function Charts({ node, span, onSpan }: Props) {
  const { history, points, held, hold, now } = usePoints(node, span);
  const [zoom, setZoom] = useState<[number, number]>();
  const away = node.connection === "disconnected";
  const end = Math.max(history.data ? endOf(history.data) : 0, points.at(-1)?.at ?? 0);
  const [from, to] = zoom ?? [end - SPANS[span].seconds, end];
  const range = useMemo((): [number, number] => [from, to], [from, to]);
  const specs = SPECS.filter(
    (spec) =>
      !spec.optional ||
      knows(
        spec,
        points.map(({ figures }) => figures),
      ),
  );
  // On a phone, five charts would be longer than a screen.
  const [first] = useState(() => (isNarrow() ? 2 : SPECS.length));
  const chart = (spec: (typeof SPECS)[number]) => (
    <HealthChart
      key={spec.title}
      spec={spec}
      points={points}
      now={now}
      sync={`node-${node.id}`}
      range={range}
      onZoom={setZoom}
      onHold={hold}
    />
  );
  const choose = (next: HistorySpan) => {
    setZoom(undefined);
    onSpan(next);
  };
  return (
    <Panel
      title="Health"
      aside={
        <>
          {held && <span className="max-sm:hidden">Held while you read</span>}
          {!held && !zoom && (
            <span className="max-md:hidden pointer-coarse:hidden">drag to zoom, double click to reset</span>
          )}
          {zoom && (
            <Button className="h-6" onClick={() => setZoom(undefined)}>
              All of {SPANS[span].label}
            </Button>
          )}
          <SpanChoice value={span} onChange={choose} />
        </>
      }
    >
      {history.isPending && points.length === 0 && <Loading what="the history" rows={6} />}
      {history.isError && !history.data && (
        <Failed error={history.error} retry={() => void history.refetch()} />
      )}
      {away && node.health && (
        <p className="px-4 pt-3 text-small text-fg-3">
          Last known, reported <Ago at={node.health.at} />
        </p>
      )}
      {points.length > 0 ? (
        <div className={cx(away && "grayscale")}>
          <div className="grid md:grid-cols-2 2xl:grid-cols-3">{specs.slice(0, first).map(chart)}</div>
          {specs.length > first && (
            <div className="p-3 pt-0">
              <Fold
                id="figures"
                title="More figures"
                summary={specs
                  .slice(first)
                  .map(({ title }) => title)
                  .join(", ")}
              >
                {specs.slice(first).map(chart)}
              </Fold>
            </div>
          )}
        </div>
      ) : (
        !history.isPending && (
          <p className="px-4 py-6 text-fg-3">
            Nothing was reported in {SPANS[span].words}.{" "}
            {away ? "It is not connected." : "The first report comes within ten seconds of connecting."}
          </p>
        )
      )}
    </Panel>
  );
}
