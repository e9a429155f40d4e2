// From what the gateway kept and what came since to the columns of a chart. Silence is a gap, never a zero.
import type { NodeHistory, NodeReport } from "~/api/types";

export type Figures = Partial<Omit<NodeReport, "at">>;
export type Read = (figures: Figures) => number | null | undefined;

export interface Point {
  /** Seconds since the epoch. */
  at: number;
  /** How long this says something about, seconds: silence longer than that breaks the line. */
  reach: number;
  figures: Figures;
}

/** A machine reports each ten seconds, less often in a large fleet. */
const SAMPLE_REACH_S = 45;

const PRESSURES = ["cpu_some10", "memory_some10", "memory_full10", "io_some10", "io_full10"];

/** Averages as points, each in the middle of its time; where nothing was reported there is none. */
export function fromHistory(history: NodeHistory): Point[] {
  const begin = Date.parse(history.from) / 1000;
  const points: Point[] = [];
  for (let index = 0; index < history.points; index += 1) {
    const figures: Record<string, unknown> = {};
    const psi: Record<string, number> = {};
    let known = false;
    for (const [metric, values] of Object.entries(history.series)) {
      const value = values[index];
      if (value === null || value === undefined) continue;
      known = true;
      if (PRESSURES.includes(metric)) psi[metric] = value;
      else figures[metric] = value;
    }
    if (!known) continue;
    points.push({
      at: begin + (index + 0.5) * history.step_s,
      reach: history.step_s * 1.5,
      figures: { ...figures, psi } as Figures,
    });
  }
  return points;
}

export const endOf = (history: NodeHistory): number =>
  Date.parse(history.from) / 1000 + history.points * history.step_s;

/** The averages, then whatever was heard after them. */
export function joined(history: NodeHistory | undefined, samples: NodeReport[]): Point[] {
  const before = history ? fromHistory(history) : [];
  const end = history ? endOf(history) : 0;
  const after = samples
    .map(({ at, ...figures }): Point => ({ at: Date.parse(at) / 1000, reach: SAMPLE_REACH_S, figures }))
    .filter((point) => point.at >= end);
  return [...before, ...after];
}

/** Points as columns, with an empty row wherever there was silence. */
export function columns(points: Point[], reads: Read[]): { times: number[]; values: (number | null)[][] } {
  const times: number[] = [];
  const values: (number | null)[][] = reads.map(() => []);
  let before: Point | undefined;
  for (const point of points) {
    if (before && point.at - before.at > Math.max(before.reach, point.reach)) {
      times.push(before.at + 1);
      values.forEach((column) => column.push(null));
    }
    times.push(point.at);
    reads.forEach((read, index) => values[index]?.push(read(point.figures) ?? null));
    before = point;
  }
  return { times, values };
}
