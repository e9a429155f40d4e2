import { describe, expect, it } from "vitest";
import type { Claw } from "~/api/types";
import { agentWord } from "~/ui/agent-state";
import { grouped, readAsked, shown, sorted, teamsOf } from "./arrange";

const agent = (name: string, status: Claw["status"] = "idle", updated_at = "2026-11-27T00:00:00Z") =>
  ({ id: `id-${name}`, name, status, updated_at, role: "", sandbox: null }) as unknown as Claw;
const team = (name: string, ...members: string[]) =>
  ({ id: name, name, members: members.map((one) => ({ agent_id: `id-${one}` })) }) as never;

const all = [
  agent("b10", "offline"),
  agent("b9", "working", "2026-11-27T02:00:00Z"),
  agent("a", "idle", "2026-11-27T01:00:00Z"),
];
const teams = teamsOf([team("Zeal", "a", "b9"), team("Alpha", "b9")]);
const names = (agents: Claw[]) => agents.map(({ name }) => name);

describe("the list of agents", () => {
  it("is sorted by name, state or change", () => {
    expect(names(sorted(all, "name"))).toEqual(["a", "b9", "b10"]);
    expect(names(sorted(all, "-name"))).toEqual(["b10", "b9", "a"]);
    expect(names(sorted(all, "state"))).toEqual(["b9", "a", "b10"]);
    expect(names(sorted(all, "-changed"))).toEqual(["b9", "a", "b10"]);
  });
  it("is narrowed by words, state and team", () => {
    expect(names(shown(all, { q: "B" }, teams))).toEqual(["b10", "b9"]);
    expect(names(shown(all, { state: "ready" }, teams))).toEqual(["b10", "a"]);
    expect(names(shown(all, { team: "Alpha" }, teams))).toEqual(["b9"]);
  });
  it("has each agent once below the first of its teams, and agents of no team last", () => {
    expect(grouped(sorted(all, "name"), teams).map(({ name, rows }) => [name, names(rows)])).toEqual([
      ["Alpha", ["b9"]],
      ["Zeal", ["a"]],
      ["No team", ["b10"]],
    ]);
  });
  it("takes from the address only what it knows", () => {
    expect(readAsked({ sort: "-size", group: "x", state: "asleep", q: "a" })).toEqual({ q: "a" });
    expect(readAsked({ sort: "-changed", group: "team" })).toEqual({ sort: "-changed", group: "team" });
    // A view that was saved before agents were Ready.
    expect(readAsked({ state: "idle" })).toEqual({ state: "ready" });
  });
  it("says of each agent what a person can expect of it", () => {
    expect(agentWord({ status: "offline", sandbox: null }, false)).toBe("ready");
    expect(agentWord({ status: "idle", sandbox: { state: "running" } }, false)).toBe("ready");
    expect(agentWord({ status: "offline", sandbox: { state: "lost" } }, false)).toBe("failed");
    expect(agentWord({ status: "working", sandbox: { state: "running" } }, false)).toBe("working");
    expect(agentWord({ status: "working", sandbox: { state: "running" } }, true)).toBe("waiting");
  });
});
