import type { MissionPhase } from "~/api/missions";
import { took } from "~/ui/run-state";

/** No phase is narrower than a sixth of the widest, so that its words fit. */
const LEAST = 1;
const MOST = 6;

/** How wide each phase of the line is, from 1 to 6. A phase that has not started is as narrow as can be. */
export function weights(
  phases: readonly Pick<MissionPhase, "started_at" | "ended_at">[],
  now: number,
): number[] {
  const times = phases.map(({ started_at, ended_at }) => took(started_at, ended_at, now) ?? 0);
  const longest = Math.max(...times, 1);
  return times.map((time) => Math.max(LEAST, (time / longest) * MOST));
}
