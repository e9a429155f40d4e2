// How a mission spent its time: the attempts of its phases one after another, and what lies between them.
import type { MissionDetail, MissionPhase, PhaseKind, PhaseStatus } from "~/api/missions";
import { duration } from "~/ui/time";
import { phaseName, phaseState } from "./words";

export interface Span {
  /** In ms. */
  from: number;
  to: number;
  /** Absent: nothing worked. */
  work: { phase: string; kind: PhaseKind; attempt: number; status: PhaseStatus } | undefined;
  /** Whether it goes on. */
  open: boolean;
}

/** What is shorter is no wait: one phase ends and the next one begins. */
const LEAST_WAIT_MS = 1000;

/** The attempts of a phase. Its own times are those of the last one. An earlier one has the times of its runs, as far as these are not deleted. */
function attemptsOf(phase: MissionPhase, now: number): Span[] {
  const { id, kind, status, attempt: last } = phase;
  const found: Span[] = [];
  for (let attempt = 1; attempt < last; attempt += 1) {
    const here = phase.runs.flatMap(({ attempt: its, created_at: from, ended_at: to }) =>
      its === attempt && from && to ? [{ from: Date.parse(from), to: Date.parse(to) }] : [],
    );
    if (here.length === 0) continue;
    found.push({
      from: Math.min(...here.map(({ from }) => from)),
      to: Math.max(...here.map(({ to }) => to)),
      // There was another attempt, so this one failed.
      work: { phase: id, kind, attempt, status: "failed" },
      open: false,
    });
  }
  if (phase.started_at) {
    const open = !phase.ended_at;
    const to = phase.ended_at ? Date.parse(phase.ended_at) : now;
    found.push({
      from: Date.parse(phase.started_at),
      to,
      work: { phase: id, kind, attempt: last, status },
      open,
    });
  }
  return found;
}

type Told = Pick<MissionDetail, "phase_details" | "launched_at" | "ended_at">;

/** The whole time of a mission, without a gap, from its launch to its end or until now. */
export function spansOf(mission: Told, now: number): Span[] {
  if (!mission.launched_at) return [];
  const end = mission.ended_at ? Date.parse(mission.ended_at) : now;
  const worked = mission.phase_details
    .flatMap((phase) => attemptsOf(phase, now))
    .toSorted((a, b) => a.from - b.from);
  const spans: Span[] = [];
  let at = Date.parse(mission.launched_at);
  const wait = (to: number, open: boolean) => {
    if (to - at >= LEAST_WAIT_MS) spans.push({ from: at, to, work: undefined, open });
    at = Math.max(at, to);
  };
  for (const span of worked) {
    wait(span.from, false);
    // Clocks differ, and a run may end after its phase: nothing is counted twice.
    const from = Math.max(at, span.from);
    const to = Math.max(from, span.to);
    spans.push({ ...span, from, to });
    at = to;
  }
  wait(end, !mission.ended_at);
  return spans;
}

export const spanMs = ({ from, to }: Span) => to - from;
const sum = (spans: readonly Span[]) => spans.reduce((total, span) => total + spanMs(span), 0);

/** Why nothing works at the end of the line. */
function waitWord(
  span: Span,
  {
    status,
    status_reason,
    waits_for_node: node,
  }: Pick<MissionDetail, "status" | "status_reason" | "waits_for_node">,
): string {
  if (!span.open) return "Waited";
  if (node) return `Waits for ${node}`;
  if (status !== "paused") return "Waits";
  return status_reason === "person" ? "Paused" : "Waits for a person";
}

type Words = Parameters<typeof waitWord>[1];

/** A part of the line in words: `Coding, attempt 2, failed: 3 min 20 s`. */
export function spanWords(span: Span, mission: Words): string {
  const took = duration(spanMs(span));
  if (!span.work) return `${waitWord(span, mission)}: ${took}`;
  const { kind, attempt, status } = span.work;
  const which = attempt > 1 || status === "failed" ? `, attempt ${attempt}` : "";
  return `${phaseName(kind)}${which}, ${phaseState(status).word.toLowerCase()}: ${took}`;
}

/** The sums of the line. A mission that never waited says nothing about it. */
export function sumWords(spans: readonly Span[]): string {
  const waits = spans.filter(({ work }) => !work);
  const retries = spans.filter(({ work }) => work && work.attempt > 1).length;
  return [
    `${duration(sum(spans.filter(({ work }) => work)))} of work`,
    waits.length > 0 && `${duration(sum(waits))} of waiting`,
    retries > 0 && `${retries} ${retries === 1 ? "retry" : "retries"}`,
  ]
    .filter(Boolean)
    .join(", ");
}
