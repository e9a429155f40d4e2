import { describe, expect, it } from "vitest";
import type { RunStep } from "~/api/runs";
import { atWork, Ears } from "./ears";

const step = (agent_id: string, more: Partial<RunStep> = {}) =>
  ({ agent_id, key: agent_id, lap: 1, attempt: 1, status: "running", ...more }) as RunStep;
const say = (ears: Ears, agentId: string, text: string) =>
  ears.take("agent.reasoning.delta", { agentId, text, channel: "say" });
const said = (ears: Ears, agent: string) => ears.now.get(agent)?.heard.map((one) => one.say) ?? [];

describe("who is listened to", () => {
  it("is whoever has a step of this run at work, and nobody else", () => {
    expect([
      ...atWork([step("a"), step("b", { status: "done" }), step("c", { child_run_id: "r" })]).keys(),
    ]).toEqual(["a"]);
    const ears = new Ears();
    expect(say(ears, "a", "of another run").draw).toBe(false);
    ears.turnTo(atWork([step("a")]));
    expect(said(ears, "a")).toEqual([]);
    expect(say(ears, "a", "of this").draw).toBe(true);
    expect(say(ears, "b", "of nobody here").draw).toBe(false);
    ears.turnTo(atWork([step("a", { status: "done" })]));
    expect(ears.take("agent.tool.call", { agentId: "a", tool: "shell" })).toEqual({
      draw: false,
      ask: false,
    });
    expect(say(ears, "a", "of another run again").draw).toBe(false);
    expect(said(ears, "a")).toEqual(["of this"]);
  });
  it("begins a step with a screen and a turn of its own, and keeps what was heard of this run", () => {
    const ears = new Ears();
    ears.turnTo(atWork([step("a")]));
    say(ears, "a", "one");
    ears.take("agent.computer.frame", { agentId: "a", app: "terminal", lines: [{ text: "$ ls" }, 7] });
    expect(ears.now.get("a")?.screen?.lines).toHaveLength(2);
    ears.turnTo(atWork([step("a")]));
    say(ears, "a", " more");
    expect(ears.now.get("a")?.screen).toBeDefined();
    ears.turnTo(atWork([step("a", { lap: 2 })]));
    say(ears, "a", "two");
    expect(said(ears, "a")).toEqual(["one more", "two"]);
    expect(ears.now.get("a")?.screen).toBeUndefined();
  });
  it("asks for what was kept when a tool is called, and draws nothing of a task", () => {
    const ears = new Ears();
    ears.turnTo(atWork([step("a")]));
    expect(ears.take("agent.tool.call", { agentId: "a", tool: "shell" })).toEqual({ draw: true, ask: true });
    expect(ears.take("agent.task.update", { agentId: "a" })).toEqual({ draw: false, ask: true });
    expect(ears.take("agent.reasoning.delta", { agentId: "a", channel: "odd" }).draw).toBe(false);
    expect(ears.take("agent.status", { agentId: "a" })).toEqual({ draw: false, ask: false });
  });
});
