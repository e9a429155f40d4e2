// What benchmark and security phases leave, from the JSON of their artifacts. Pure code.
import type { Tone } from "~/ui/status";

export type Verdict =
  | "regression"
  | "improvement"
  | "changed"
  | "only_before"
  | "only_after"
  | "too_few_samples"
  | "no_difference";

interface Side {
  median: number;
  spread: number;
  runs: number;
}

export interface MeasuredRow {
  name: string;
  unit: string;
  before: Side | null;
  after: Side | null;
  change_percent: number | null;
  p_value: number | null;
  verdict: Verdict;
}

interface Reading {
  samples: { name: string; unit: string; values: number[] }[];
}

export interface Measured {
  before: string;
  after: string;
  comparison: {
    rows: MeasuredRow[];
    iterations: number;
    iterations_needed: number;
    rules: { alpha: number; least_effect: number };
  };
  snapshots: { iteration: number; before: Reading; after: Reading }[];
  notes: string[];
}

export type Severity = "critical" | "high" | "medium" | "low" | "info";

export interface OpenFinding {
  rule: string;
  severity: Severity;
  message: string;
  file: string | null;
  line: number | null;
  fingerprint: string;
  snippet?: string;
  subject?: string;
  help?: string;
  tools: string[];
  is_new: boolean;
}

export interface Findings {
  before: string;
  after: string;
  tools: { tool: string; ran: boolean; detail: string }[];
  counts: Record<Severity, number>;
  new: Record<Severity, number>;
  open: OpenFinding[];
  suppressed: { rule: string; file: string | null; line: number | null; reason: string }[];
  notes: string[];
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The measurements; nothing for a text of another form. */
export function measuredOf(text: string): Measured | undefined {
  const found = parsed(text);
  return found && "comparison" in found && "snapshots" in found ? (found as unknown as Measured) : undefined;
}

/** The findings; nothing for a text of another form, such as SARIF. */
export function findingsOf(text: string): Findings | undefined {
  const found = parsed(text);
  return found && "open" in found && "tools" in found ? (found as unknown as Findings) : undefined;
}

export const VERDICTS: Record<Verdict, { tone: Tone; word: string }> = {
  regression: { tone: "failed", word: "Regression" },
  improvement: { tone: "done", word: "Improvement" },
  changed: { tone: "waiting", word: "Changed" },
  only_before: { tone: "waiting", word: "Only before" },
  only_after: { tone: "waiting", word: "Only after" },
  too_few_samples: { tone: "idle", word: "Too few runs" },
  no_difference: { tone: "idle", word: "No difference" },
};

export const SEVERITIES: [Severity, string, Tone][] = [
  ["critical", "Critical", "failed"],
  ["high", "High", "failed"],
  ["medium", "Medium", "waiting"],
  ["low", "Low", "idle"],
  ["info", "Info", "idle"],
];

const STEPS: Record<string, [number, string][]> = {
  ns: [
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
    [1, "ns"],
  ],
  B: [
    [2 ** 30, "GiB"],
    [2 ** 20, "MiB"],
    [2 ** 10, "KiB"],
    [1, "B"],
  ],
};

/** A value with its unit, in three digits. */
export function amount(value: number, unit: string): string {
  const steps = STEPS[unit] ?? [[1, unit]];
  const [by, name] = steps.find(([from]) => Math.abs(value) >= from) ?? steps.at(-1) ?? [1, unit];
  return `${Number((value / by).toPrecision(3)).toString()} ${name}`.trim();
}

export const change = (percent: number | null): string =>
  percent === null ? "–" : `${percent > 0 ? "+" : ""}${percent.toFixed(1)} %`;

const middle = (values: number[]): number | undefined => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = Math.floor(sorted.length / 2);
  const high = sorted[at];
  const low = sorted.length % 2 === 0 ? sorted[at - 1] : high;
  return high === undefined || low === undefined ? undefined : (high + low) / 2;
};

/** The value of each run of one benchmark: the median of what the run printed. */
export function runsOf(measured: Measured, row: MeasuredRow): { before: number[]; after: number[] } {
  const of = (side: "before" | "after") =>
    measured.snapshots.flatMap((snapshot) => {
      const sample = snapshot[side].samples.find(({ name, unit }) => name === row.name && unit === row.unit);
      const value = sample && middle(sample.values);
      return value === undefined ? [] : [value];
    });
  return { before: of("before"), after: of("after") };
}

/** Where values stand between 0 and 1, with a margin at both ends. */
export function scaleOf(values: number[]): (value: number) => number {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const width = high - low || Math.abs(high) || 1;
  return (value) => 0.04 + (0.92 * (value - low)) / width;
}

/** The worst first, and the new ones before the others of the same severity. */
export function inOrder(open: readonly OpenFinding[]): OpenFinding[] {
  const rank = (one: OpenFinding) => SEVERITIES.findIndex(([severity]) => severity === one.severity);
  return open.toSorted((a, b) => rank(a) - rank(b) || Number(b.is_new) - Number(a.is_new));
}
