import { describe, expect, it } from "vitest";
import type { Run, RunStep } from "~/api/runs";
import { changedIn } from "./changed";

const at = (second: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString();
const files = (second: number, snapshot_id?: string) =>
  snapshot_id ? { at: at(second), snapshot_id } : { at: at(second), missing: "It was away." };
const step = (owner: string, from: [number, string?], to?: [number, string?]) =>
  ({
    started_at: at(from[0]),
    files: {
      owner_kind: "claw",
      owner_id: owner,
      began: files(...from),
      ...(to && { ended: files(...to) }),
    },
  }) as unknown as RunStep;
const run = (steps: RunStep[], more: Partial<Run> = {}) => ({ created_at: at(0), steps, ...more }) as Run;

describe("what a run changed", () => {
  it("is between the first step and the last one of each sandbox", () => {
    const steps = [step("a", [5, "a2"], [9, "a3"]), step("b", [3, "b1"]), step("a", [1, "a1"], [4, "a2"])];
    expect(changedIn(run(steps))).toStrictEqual([
      { owner: { kind: "claw", id: "a" }, before: "a1", after: "a3", missing: undefined },
      { owner: { kind: "claw", id: "b" }, before: "b1", after: undefined, missing: undefined },
    ]);
  });

  it("says why files are not there", () => {
    expect(changedIn(run([step("a", [1], [2, "a1"])]))[0]).toMatchObject({ missing: "It was away." });
    expect(changedIn(run([step("a", [1, "a1"], [2])]))[0]).toMatchObject({ missing: "It was away." });
  });

  it("has nothing of the steps that a fork kept", () => {
    const kept = run([step("a", [1, "a1"], [2, "a2"])], { forked_from: "r", created_at: at(30) });
    expect(changedIn(kept)).toStrictEqual([]);
    expect(changedIn(run([{ started_at: at(1), files: null } as unknown as RunStep]))).toStrictEqual([]);
  });
});
