import { describe, expect, it } from "vitest";
import type { TemplateBrief } from "~/api/teams";
import type { NodeLine } from "~/api/types";
import { bodyOf, changed, draftOf, isTouched, lacksOf, missingAgents, working } from "./draft";
import { takesWork } from "~/ui/node-state";
import { machineOf, machineOptions } from "./place";
import { recentOf, sinceOf, sum } from "./recent";
import { microusdOf, typedOf } from "~/ui/dollars";

const template = {
  id: "t1",
  name: "Coding",
  default_topology: "pipeline",
  risk_profile: "coding_readwrite",
  image: { kind: "gpu", lacks: [{ what: "no_gpu", detail: "No GPU.", remedy: "Go on." }] },
  roles: ["planner", "coder"].map((slot) => ({ slot, title: slot, summary: "", skills: [] })),
} as unknown as TemplateBrief;

describe("a team that is put together", () => {
  it("sends only what differs from its template", () => {
    const draft = draftOf(template);
    expect(bodyOf(draft, template)).toEqual({
      name: "Coding",
      template_id: "t1",
      topology: "pipeline",
      roles: [{ slot: "planner" }, { slot: "coder" }],
      shared_sandbox: true,
    });
    const roles = draft.roles.map((role, at) =>
      at === 0 ? { ...role, here: false } : { ...role, name: " Mason " },
    );
    expect(bodyOf({ ...draft, roles, model: " m " }, template)).toMatchObject({
      roles: [{ slot: "coder", name: "Mason" }],
      model_binding: "m",
    });
  });
  it("says how many agents the plan lacks before it is made", () => {
    expect(missingAgents(2, { used: 3, limit: 5 })).toBeUndefined();
    expect(missingAgents(3, { used: 3, limit: 5 })).toMatch(
      /needs 3 agents.* room for 2 more: 1 is missing\.$/,
    );
    // A plan that was made smaller has no room at all.
    expect(missingAgents(2, { used: 9, limit: 5 })).toMatch(/room for 0 more: 2 are missing\.$/);
  });
  it("lacks what its template lacks, but nothing when its agents may not use files", () => {
    const draft = draftOf(template);
    expect(lacksOf(draft, template)).toEqual(template.image.lacks);
    expect(lacksOf({ ...draft, profile: "toolfree" }, template)).toEqual([]);
    expect(changed({ ...draft, accepts: true }, { name: "x" }).accepts).toBe(true);
    expect(changed({ ...draft, accepts: true }, { image: "node" }).accepts).toBe(false);
    // Another image may have the SDK, and no image has a GPU.
    const sdk = { what: "no_mobile_sdk" as const, detail: "No SDK.", remedy: "Go on." };
    const both = { ...template, image: { ...template.image, lacks: [...template.image.lacks, sdk] } };
    expect(lacksOf({ ...draft, image: "mobile" }, both)).toEqual(template.image.lacks);
    expect(bodyOf({ ...draft, image: "mobile" }, template)).toMatchObject({ image: "mobile" });
    expect(bodyOf(draft, template)).not.toHaveProperty("accept_lacks");
    expect(bodyOf({ ...draft, accepts: true }, template)).toMatchObject({ accept_lacks: true });
  });
  it("is made on the machine that was chosen, whatever became of it", () => {
    const draft = { ...draftOf(template), machine: "n1" };
    expect(bodyOf(draft, template)).toMatchObject({ machine_id: "n1" });
    expect(bodyOf({ ...draft, machine: null }, template)).not.toHaveProperty("machine_id");
    const node = { id: "n1", name: "box", status: "online", rev: 1, sandboxes: 0 } as NodeLine;
    const ids = (value: string | null, nodes = [node]) =>
      machineOptions(nodes, { target: "node", node_id: "n1" }, value).map(([id]) => id);
    expect(ids(null)).toEqual(["", "local", "n1"]);
    expect(ids("n9")).toEqual(["", "local", "n1", "n9"]);
    expect(ids("n1", [{ ...node, status: "pending" }])).toContain("n1");
    expect(ids(null, [{ ...node, status: "pending" }])).not.toContain("n1");
    expect([machineOf(null, { target: "local" }), machineOf("n2", { target: "local" })]).toEqual([
      "local",
      "n2",
    ]);
    expect(takesWork(node)).toBe(true);
    expect(
      [{ status: "draining" }, { connection: "suspect" }, { paused: true }].map((more) =>
        takesWork({ ...node, ...more } as NodeLine),
      ),
    ).toEqual([false, false, false]);
  });
  it("knows whether something was chosen that would be lost", () => {
    const draft = draftOf(template);
    expect(isTouched(draft, template)).toBe(false);
    expect(isTouched({ ...draft, shared: false }, template)).toBe(true);
    expect(
      isTouched({ ...draft, roles: draft.roles.map((role) => ({ ...role, name: "x" })) }, template),
    ).toBe(true);
  });
  it("has one member where one works alone", () => {
    expect(working({ ...draftOf(template), kind: "single" })).toHaveLength(1);
  });
  it("reads a sum of money as it is typed", () => {
    expect(["", " ", "0.5", "1,25", "0", "$2", ".5"].map(microusdOf)).toEqual([
      undefined,
      undefined,
      500_000,
      1_250_000,
      0,
      2_000_000,
      500_000,
    ]);
    expect(["-1", "much", "1.2.3", "1e3"].map(microusdOf)).toEqual([NaN, NaN, NaN, NaN]);
    expect([null, 0, 1_250_000].map(typedOf)).toEqual(["", "0", "1.25"]);
  });
});

describe("the last days of a team", () => {
  it("are values for each day of UTC, also of those without a run", () => {
    const since = sinceOf(Date.parse("2026-11-28T12:00:00Z"));
    expect(new Date(since).toISOString()).toBe("2026-10-30T00:00:00.000Z");
    const day = (key: string, runs: number) => ({
      key,
      name: key,
      runs,
      cost_microusd: 7,
      input_tokens: 10,
      output_tokens: 5,
      seconds: 7200,
    });
    const recent = recentOf([day("2026-11-25", 1), day("2026-11-28", 2), day("2026-10-29", 9)], since);
    expect(recent.runs.slice(-4)).toEqual([1, 0, 0, 2]);
    expect([sum(recent.cost), sum(recent.tokens), sum(recent.time)]).toEqual([14, 30, 4 * 3_600_000]);
  });
});
