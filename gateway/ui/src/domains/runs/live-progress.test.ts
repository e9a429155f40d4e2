import { describe, expect, it } from "vitest";
import type { RunStep } from "~/api/runs";
import { atWork, LiveProgress } from "./live-progress";

const step = (agent_id: string, more: Partial<RunStep> = {}) =>
  ({
    agent_id,
    key: agent_id,
    lap: 1,
    shard: 0,
    attempt: 1,
    status: "running",
    child_run_ids: [],
    ...more,
  }) as unknown as RunStep;
const RUN = "r1";
const take = (
  progress: LiveProgress,
  type: string,
  data: Record<string, unknown>,
  run: string | null = RUN,
) => progress.take({ type, data, ...(run !== null && { about: { run } }) });
const say = (progress: LiveProgress, agentId: string, text: string, run: string | null = RUN) =>
  take(progress, "agent.reasoning.delta", { agentId, text, channel: "say" }, run);
const said = (progress: LiveProgress, agent: string) =>
  progress.now.get(agent)?.heard.map((one) => one.say) ?? [];

describe("who is listened to", () => {
  it("names the agents that have a step of this run at work, and no others", () => {
    expect([
      ...atWork([step("a"), step("b", { status: "done" }), step("c", { child_run_ids: ["r"] })]).keys(),
    ]).toEqual(["a"]);
    const progress = new LiveProgress(RUN);
    expect(say(progress, "a", "of another run").draw).toBe(false);
    progress.turnTo(atWork([step("a")]));
    expect(said(progress, "a")).toEqual([]);
    expect(say(progress, "a", "of this").draw).toBe(true);
    expect(say(progress, "b", "of nobody here").draw).toBe(false);
    progress.turnTo(atWork([step("a", { status: "done" })]));
    expect(take(progress, "agent.tool.call", { agentId: "a", tool: "shell" })).toEqual({
      draw: false,
      ask: false,
    });
    expect(say(progress, "a", "of another run again").draw).toBe(false);
    expect(said(progress, "a")).toEqual(["of this"]);
  });
  it("takes nothing that the same agent says and shows in another run at the same time", () => {
    const progress = new LiveProgress(RUN);
    progress.turnTo(atWork([step("a")]));
    expect(say(progress, "a", "elsewhere", "r2").draw).toBe(false);
    expect(say(progress, "a", "in no run", null).draw).toBe(false);
    const frame = { agentId: "a", app: "terminal", lines: [{ text: "$ ls" }] };
    expect(take(progress, "agent.computer.frame", frame, "r2").draw).toBe(false);
    expect(progress.now.get("a")).toBeUndefined();
    expect(say(progress, "a", "here").draw).toBe(true);
    expect(said(progress, "a")).toEqual(["here"]);
  });
  it("begins a step with a screen and a turn of its own, and keeps what was heard of this run", () => {
    const progress = new LiveProgress(RUN);
    progress.turnTo(atWork([step("a")]));
    say(progress, "a", "one");
    take(progress, "agent.computer.frame", { agentId: "a", app: "terminal", lines: [{ text: "$ ls" }, 7] });
    expect(progress.now.get("a")?.screen?.lines).toHaveLength(2);
    progress.turnTo(atWork([step("a")]));
    say(progress, "a", " more");
    expect(progress.now.get("a")?.screen).toBeDefined();
    progress.turnTo(atWork([step("a", { lap: 2 })]));
    say(progress, "a", "two");
    expect(said(progress, "a")).toEqual(["one more", "two"]);
    expect(progress.now.get("a")?.screen).toBeUndefined();
  });
  it("asks for what was kept when a tool is called, and draws nothing of a task", () => {
    const progress = new LiveProgress(RUN);
    progress.turnTo(atWork([step("a")]));
    expect(take(progress, "agent.tool.call", { agentId: "a", tool: "shell" })).toEqual({
      draw: true,
      ask: true,
    });
    expect(take(progress, "agent.task.update", { agentId: "a" })).toEqual({ draw: false, ask: true });
    expect(take(progress, "agent.reasoning.delta", { agentId: "a", channel: "odd" }).draw).toBe(false);
    expect(take(progress, "agent.status", { agentId: "a" })).toEqual({ draw: false, ask: false });
  });
});
