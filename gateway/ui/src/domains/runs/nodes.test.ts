import { describe, expect, it, vi } from "vitest";
import type { Run, RunStep } from "~/api/runs";
import { isMoved, modelOf, panelsOf, stateOf, wayOf } from "./nodes";

const step = (node: string, more: Partial<RunStep> = {}) =>
  ({
    node,
    key: node,
    lap: 1,
    shard: 0,
    child_run_ids: [],
    purpose: "work",
    status: "done",
    ...more,
  }) as unknown as RunStep;
const run = (kind: string, steps: RunStep[], more: Partial<Run> = {}) =>
  ({
    status: "completed",
    graph: {
      kind,
      nodes: ["gate", "a", "b", "hub"].map((id) => ({ id, attributes: { agent: id } })),
      edges: ["a", "b"].flatMap((id) => [
        { from: "gate", to: id, kind: "flow" as const },
        { from: id, to: "hub", kind: "flow" as const },
      ]),
    },
    steps,
    ...more,
  }) as unknown as Run;

describe("a node of the drawing", () => {
  it("was not chosen where the gate chose others, and not reached where nobody came so far", () => {
    const moe = run("star_moe", [step("gate", { purpose: "gate" }), step("a")]);
    expect(["a", "b", "hub"].map((id) => stateOf(moe, id).word)).toEqual([
      "Done",
      "Not chosen",
      "Not reached",
    ]);
    expect(stateOf({ ...moe, status: "running" }, "b").word).toBe("Waits");
    const early = run("star_moe", [step("gate", { purpose: "gate", status: "failed" })]);
    expect(stateOf(early, "b").word).toBe("Not reached");
    expect(stateOf(run("pipeline", [step("gate")]), "b").word).toBe("Not reached");
  });
  it("leads to its part of the page, to its own run, or nowhere", () => {
    const show = vi.fn();
    const one = run("pipeline", [step("gate"), step("a", { child_run_ids: ["r7"] })]);
    expect(panelsOf(one)).toEqual(["gate"]);
    const way = wayOf(one, "gate", show);
    if (way && "show" in way) way.show();
    expect(show).toHaveBeenCalledWith("gate");
    expect(wayOf(one, "a", show)).toEqual({ run: "r7" });
    expect(wayOf(one, "b", show)).toBeUndefined();
  });
  it("of a candidate leads to its run as soon as there is one", () => {
    const candidates = [{ label: "A", run_id: "r8" }, { label: "B" }];
    const one = run("compare", [step("hub", { purpose: "verdict" })], {
      comparison: { candidates },
    } as unknown as Partial<Run>);
    expect(wayOf(one, "a", () => {})).toEqual({ run: "r8" });
    expect(wayOf(one, "b", () => {})).toBeUndefined();
    expect(wayOf(one, "hub", () => {})).toHaveProperty("show");
  });
  it("moves with its child's run, and with nobody else's", () => {
    const parent = run("pipeline", [step("a", { child_run_ids: ["r7"] })]);
    expect(["r7", "r9"].map((id) => isMoved(parent, id))).toEqual([true, false]);
    const compared = (ids: (string | null)[], status: string) =>
      ({
        ...run("compare", []),
        status,
        comparison: { candidates: ids.map((run_id) => ({ run_id })) },
      }) as Run;
    expect(["r1", "r9"].map((id) => isMoved(compared(["r1", "r2"], "running"), id))).toEqual([true, false]);
    expect(isMoved(compared(["r1", null], "running"), "r9")).toBe(true);
    expect(isMoved(compared(["r1", null], "failed"), "r9")).toBe(false);
  });
});

describe("the model of a run", () => {
  const graph = (...models: (string | undefined)[]) =>
    ({
      kind: "pipeline",
      nodes: models.map((model, at) => ({ id: `n${at}`, attributes: { model } })),
    }) as Run["graph"];

  it("is the one that every node has", () => {
    expect(modelOf(graph("large", "large"))).toBe("large");
    expect(modelOf(graph("large", undefined))).toBeUndefined();
    expect(modelOf(graph(undefined, undefined))).toBeUndefined();
    expect(modelOf(graph())).toBeUndefined();
  });
});
