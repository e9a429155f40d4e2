// What the mock's machines "reported" over the last day: smooth, the same each time, with a gap where they were silent.

import type { Node, Schemas } from "./schema.ts";
import type { State } from "./state.ts";

type Metric = Schemas["FleetMetric"];

/** How many points, and the minutes between them. */
const SPANS: Record<string, [points: number, step: number]> = {
  "1h": [60, 1],
  "6h": [180, 2],
  "24h": [240, 6],
};
const METRICS: Metric[] = ["cpu", "memory", "disk", "load", "gpu", "temperature", "io_pressure"];
const GIB = 1024 ** 3;

/** A value between 0 and 1 that depends on the machine and the minute alone. */
function wave(seed: string, minute: number) {
  const phase = [...seed].reduce((sum, char) => sum + char.charCodeAt(0), 0);
  return 0.5 + 0.3 * Math.sin(minute / 17 + phase) + 0.15 * Math.sin(minute / 5 + phase * 2);
}

function grid(points: number, step: number) {
  const now = Math.floor(Date.now() / 60_000);
  const end = Math.ceil(now / step) * step;
  const from = end - points * step;
  return { from: new Date(from * 60_000).toISOString(), step_s: step * 60, points, first: from };
}

/** Silent for a while, and since it went away. */
const silent = (node: Node, minute: number, first: number, points: number, step: number) => {
  const at = (minute - first) / (points * step);
  const seen = Date.parse(node.last_seen_at ?? "1970-01-01") / 60_000;
  return (at > 0.35 && at < 0.45) || (node.connection === "disconnected" && minute > seen);
};

const along = (
  node: Node,
  { first, points }: { first: number; points: number },
  step: number,
  figure: (minute: number) => number,
) =>
  Array.from({ length: points }, (_, index) => {
    const minute = first + index * step;
    return silent(node, minute, first, points, step) ? null : Math.round(figure(minute) * 100) / 100;
  });

export function nodeHistory(node: Node, query: URLSearchParams): Schemas["NodeHistory"] {
  const [points, step] = SPANS[query.get("span") ?? "1h"];
  const { first, ...shown } = grid(points, step);
  const line = (figure: (minute: number) => number) => along(node, { first, points }, step, figure);
  if (!node.health) return { ...shown, series: {} };
  const at = (scale: number, name = "") => line((minute) => scale * wave(node.name + name, minute));
  return {
    ...shown,
    series: {
      cpu_pct: at(100),
      memory_used_bytes: at(15.5 * GIB, "m"),
      memory_total_bytes: line(() => 15.5 * GIB),
      swap_used_bytes: at(0.4 * GIB, "s"),
      swap_total_bytes: line(() => 2 * GIB),
      disk_used_bytes: line(() => 118 * GIB),
      disk_total_bytes: line(() => 476 * GIB),
      load1: at(6),
      load5: at(5),
      load15: at(4),
      cpu_some10: at(20),
      io_some10: at(8),
      temp_max: at(80),
      ...(node.gpu_pct == null ? {} : { gpu_pct: at(100, "g") }),
    },
  };
}

export function fleetHistory(state: State, query: URLSearchParams): Schemas["FleetHistory"] {
  const asked = query.get("metric");
  const metric = METRICS.find((one) => one === asked) ?? "cpu";
  const span = query.get("span") ?? "1h";
  const step = { "1h": 1, "6h": 6 }[span] ?? 24;
  const { first, ...shown } = grid(60, step);
  const knows = (node: Node) => node.health && (metric !== "gpu" || node.gpu_pct != null);
  const nodes = state.nodes.filter(knows).map((node) => ({
    id: node.id,
    values: along(node, { first, points: 60 }, step, (minute) => 100 * wave(node.name + metric, minute)),
  }));
  return { metric, ...shown, nodes };
}
