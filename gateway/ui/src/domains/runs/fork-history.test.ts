import { describe, expect, it } from "vitest";
import type { Run, RunStep } from "~/api/runs";
import { beginOf, forkedAt, isKept, ownSteps } from "./fork-history";

const at = (second: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString();
const step = (key: string, second: number) =>
  ({ key, lap: 1, node: key, purpose: "work", started_at: at(second) }) as RunStep;
const run = (more: Partial<Run> = {}) =>
  ({
    forked_from: "r1",
    forked_step: "coder#1",
    created_at: at(30),
    started_at: at(31),
    steps: [step("planner", 1), step("coder", 32)],
    graph: {
      kind: "pipeline",
      nodes: [
        { id: "coder", label: "Coder" },
        { id: "hub", label: "Head" },
      ],
    },
    ...more,
  }) as Run;

describe("a forked run", () => {
  it("is measured from its own beginning, not from that of the steps that it kept", () => {
    expect(run().steps.map((one) => isKept(run(), one))).toEqual([true, false]);
    expect(ownSteps(run()).map(({ key }) => key)).toEqual(["coder"]);
    expect(beginOf(run())).toBe(Date.parse(at(31)));
    expect(beginOf(run({ started_at: null }))).toBe(Date.parse(at(32)));
    expect(beginOf(run({ started_at: null, steps: [] }))).toBe(Date.parse(at(30)));
  });
  it("keeps nothing where nothing was forked", () => {
    expect(ownSteps(run({ forked_from: null }))).toHaveLength(2);
  });
  it("calls the step that it began at by its title", () => {
    expect(forkedAt(run())).toBe("Coder");
    expect(forkedAt(run({ forked_step: "hub/merge#2" }))).toBe("Head, where it puts together, lap 2");
    expect(forkedAt(run({ forked_step: null }))).toBe("its beginning");
    expect(forkedAt(run({ forked_step: "gone#1" }))).toBe("gone");
  });
});
