// Which figures of a machine are drawn, and how.
import { bytes, number, percent, share } from "~/ui/bytes";
import type { Figures, Read } from "./columns";

export interface Spec {
  title: string;
  figure: (now: Figures) => string;
  note: (now: Figures) => string;
  max?: number;
  format: (value: number | null | undefined) => string;
  lines: { label: string; color: string; read: Read; dash?: number[]; fill?: boolean }[];
  /** Left out where a machine has none of it: a dash would suggest a fault. */
  optional?: boolean;
}

const degrees = (value: number | null | undefined) =>
  value === null || value === undefined ? "–" : `${number(value)} °C`;

export const SPECS: Spec[] = [
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
  {
    title: "Graphics",
    figure: (now) => percent(now.gpu_pct),
    note: () => "of the processor",
    max: 100,
    format: percent,
    lines: [{ label: "In use", color: "accent", read: (h) => h.gpu_pct, fill: true }],
    optional: true,
  },
  {
    title: "Temperature",
    figure: (now) => degrees(now.temp_max),
    note: () => "the hottest part",
    format: degrees,
    lines: [{ label: "Highest", color: "accent", read: (h) => h.temp_max, fill: true }],
    optional: true,
  },
];

/** Whether anything of this is known. */
export function knows(spec: Spec, all: Figures[]): boolean {
  return spec.lines.some((line) =>
    all.some((figures) => line.read(figures) !== null && line.read(figures) !== undefined),
  );
}
