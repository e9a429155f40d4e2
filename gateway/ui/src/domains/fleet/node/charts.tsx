import { useMemo, useSyncExternalStore } from "react";
import type { Health, Node } from "~/api/types";
import { samplesOf, watchNode } from "~/live/samples";
import { bytes, number, percent, share } from "~/ui/bytes";
import { Chart, type Line } from "~/ui/chart/chart";
import { cx } from "~/ui/class";
import { Panel } from "~/ui/panel";
import { Ago, clockTime } from "~/ui/time";
import { columns, type Read } from "./columns";

interface Spec {
  title: string;
  figure: (now: Health) => string;
  note: (now: Health) => string;
  max?: number;
  format: (value: number | null | undefined) => string;
  lines: { label: string; color: string; read: Read; dash?: number[]; fill?: boolean }[];
}

const SPECS: Spec[] = [
  {
    title: "CPU",
    figure: (now) => percent(now.cpu_pct),
    note: (now) => (now.cores ? `of ${now.cores} cores` : ""),
    max: 100,
    format: percent,
    lines: [
      { label: "In use", color: "accent", read: (h) => h.cpu_pct, fill: true },
      { label: "Tasks waiting", color: "waiting", read: (h) => h.psi?.cpu_some10, dash: [6, 3] },
    ],
  },
  {
    title: "Memory",
    figure: (now) => bytes(now.memory_used_bytes),
    note: (now) => `of ${bytes(now.memory_total_bytes)}`,
    max: 100,
    format: percent,
    lines: [
      {
        label: "In use",
        color: "accent",
        read: (h) => share(h.memory_used_bytes, h.memory_total_bytes),
        fill: true,
      },
      {
        label: "Swap",
        color: "info",
        read: (h) => share(h.swap_used_bytes, h.swap_total_bytes),
        dash: [6, 3],
      },
    ],
  },
  {
    title: "Disk",
    figure: (now) => bytes(now.disk_used_bytes),
    note: (now) => `of ${bytes(now.disk_total_bytes)}`,
    max: 100,
    format: percent,
    lines: [
      {
        label: "In use",
        color: "accent",
        read: (h) => share(h.disk_used_bytes, h.disk_total_bytes),
        fill: true,
      },
      { label: "Tasks waiting", color: "waiting", read: (h) => h.psi?.io_some10, dash: [6, 3] },
    ],
  },
  {
    title: "Load",
    figure: (now) => number(now.load1, 2),
    note: (now) => (now.cores ? `on ${now.cores} cores` : ""),
    format: (value) => number(value, 1),
    lines: [
      { label: "1 min", color: "accent", read: (h) => h.load1, fill: true },
      { label: "5 min", color: "info", read: (h) => h.load5, dash: [6, 3] },
      { label: "15 min", color: "idle", read: (h) => h.load15, dash: [2, 3] },
    ],
  },
];

function HealthChart({ spec, samples, node }: { spec: Spec; samples: Health[]; node: string }) {
  const { times, lines } = useMemo(() => {
    // A line of which nothing was ever reported is left out rather than drawn as zero.
    const known = spec.lines.filter((line) =>
      samples.some((sample) => line.read(sample) !== null && line.read(sample) !== undefined),
    );
    const { times, values } = columns(
      samples,
      known.map((line) => line.read),
    );
    return {
      times,
      lines: known.map(({ read: _read, ...line }, index): Line => ({ ...line, values: values[index] ?? [] })),
    };
  }, [spec, samples]);
  const now = samples.at(-1);
  return (
    <div className="min-w-0 py-3 pr-3">
      <div className="flex items-baseline gap-2 pl-4">
        <h3 className="text-small font-[550] text-fg-2">{spec.title}</h3>
        <span className="text-figure">{now && spec.figure(now)}</span>
        <span className="text-small text-fg-3">{now && spec.note(now)}</span>
      </div>
      <Chart
        label={`${spec.title} over time`}
        times={times}
        lines={lines}
        format={spec.format}
        max={spec.max}
        sync={`node-${node}`}
      />
    </div>
  );
}

/** Four figures over time. The gateway keeps the newest report only, so the lines begin when this tab was opened. */
export function Charts({ node }: { node: Node }) {
  const kept = useSyncExternalStore(
    (call) => watchNode(node.id, call),
    () => samplesOf(node.id),
  );
  const samples = useMemo(
    () => (kept.length > 0 || !node.health ? kept : [node.health]),
    [kept, node.health],
  );
  const first = samples[0];
  const away = node.connection === "disconnected";
  return (
    <Panel
      title="Health"
      aside={
        first &&
        (away ? (
          <>
            Last known, reported <Ago at={samples.at(-1)?.at} />
          </>
        ) : (
          <>
            Since {clockTime(first.at)}
            <span className="max-sm:hidden pointer-coarse:hidden">
              {" "}
              · drag to zoom, double click to reset
            </span>
          </>
        ))
      }
    >
      {first ? (
        <div className={cx("grid md:grid-cols-2", away && "grayscale")}>
          {SPECS.map((spec) => (
            <HealthChart key={spec.title} spec={spec} samples={samples} node={node.id} />
          ))}
        </div>
      ) : (
        <p className="px-4 py-6 text-fg-3">
          Nothing reported yet. The first report comes within ten seconds of connecting.
        </p>
      )}
    </Panel>
  );
}
