import { describe, expect, it } from "vitest";
import type { MissionPhase } from "~/api/missions";
import { spanMs, spansOf, spanWords, sumWords } from "./spans";

const at = (s: number) => new Date(s * 1000).toISOString();
const phase = (id: string, more: Partial<MissionPhase>): MissionPhase => ({
  id,
  mission_id: "m",
  position: 0,
  kind: "research",
  status: "completed",
  attempt: 1,
  dropped_tasks: 0,
  has_card: false,
  runs: [],
  ...more,
});
type Run = MissionPhase["runs"][number];
const missionRun = (run_id: string, attempt: number, more: Partial<Run> = {}): Run => ({
  run_id,
  attempt,
  is_paused: false,
  cancelling: false,
  steps_done: 1,
  steps_most: 1,
  cost_microusd: 0,
  ...more,
});
const RUNNING = { status: "running" as const };

describe("the line in time of a mission", () => {
  const research = phase("r", { started_at: at(110), ended_at: at(200) });
  const coding = phase("c", {
    kind: "coding",
    status: "running",
    attempt: 2,
    started_at: at(500),
    runs: [
      missionRun("one", 1, { created_at: at(200), ended_at: at(250) }),
      missionRun("two", 1, { created_at: at(200), ended_at: at(300) }),
      // A run that was deleted has no times.
      missionRun("gone", 1),
      missionRun("now", 2, { created_at: at(500) }),
    ],
  });
  const mission = { launched_at: at(100), phase_details: [research, coding] };

  it("shows each attempt with its real time, and each wait", () => {
    const spans = spansOf(mission, 600_000);
    expect(
      spans.map((span) => [span.work?.phase ?? "wait", span.work?.attempt, spanMs(span) / 1000]),
    ).toStrictEqual([
      ["wait", undefined, 10],
      ["r", 1, 90],
      ["c", 1, 100],
      ["wait", undefined, 200],
      ["c", 2, 100],
    ]);
    expect(spans.map((span) => spanWords(span, RUNNING))).toStrictEqual([
      "Waited: 10 s",
      "Research, completed: 1 min 30 s",
      "Coding, attempt 1, failed: 1 min 40 s",
      "Waited: 3 min 20 s",
      "Coding, attempt 2, running: 1 min 40 s",
    ]);
    expect(sumWords(spans)).toBe("4 min 50 s of work, 3 min 30 s of waiting, 1 retry");
    // Nothing is missing between the launch and now.
    spans.slice(1).forEach(({ from }, index) => expect(from).toBe(spans[index]?.to));
  });

  it("says for what the mission waits now", () => {
    const spans = spansOf({ ...mission, phase_details: [research] }, 600_000);
    const last = spans.at(-1)!;
    expect(last.open).toBe(true);
    expect(spanWords(last, { status: "paused", status_reason: "phase_failed" })).toBe(
      "Waits for a person: 6 min 40 s",
    );
    expect(spanWords(last, { status: "paused", status_reason: "person" })).toBe("Paused: 6 min 40 s");
    expect(spanWords(last, { ...RUNNING, waits_for_node: "box" })).toBe("Waits for box: 6 min 40 s");
  });

  it("calls an attempt a wait when its runs are deleted", () => {
    const gone = { ...coding, runs: [missionRun("gone", 1), missionRun("now", 2, { created_at: at(500) })] };
    const spans = spansOf({ ...mission, phase_details: [research, gone] }, 600_000);
    expect(spans.map((span) => [span.work?.phase ?? "wait", spanMs(span) / 1000])).toStrictEqual([
      ["wait", 10],
      ["r", 90],
      ["wait", 300],
      ["c", 100],
    ]);
  });

  it("ends with the mission, counts nothing twice, and has nothing before the launch", () => {
    const over = { ...mission, ended_at: at(205), phase_details: [research] };
    expect(spansOf(over, 9e9).map(spanMs)).toStrictEqual([10_000, 90_000, 5000]);
    const late = phase("l", { started_at: at(190), ended_at: at(205) });
    const both = spansOf({ ...over, phase_details: [research, late] }, 9e9);
    expect(both.map(spanMs)).toStrictEqual([10_000, 90_000, 5000]);
    expect(spansOf({ phase_details: [research] }, 9e9)).toStrictEqual([]);
    // A pause of a moment is no wait.
    const next = phase("n", { started_at: at(200.5), ended_at: at(205) });
    expect(spansOf({ ...over, phase_details: [research, next] }, 9e9).map(spanMs)).toStrictEqual([
      10_000, 90_000, 4500,
    ]);
  });
});
