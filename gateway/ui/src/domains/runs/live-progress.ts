// The live progress of the agents of one run. An agent may work in several runs at once, so only events that name this run
// are taken, and only while the page knows a step of the agent that is at work: what comes earlier would join the turn of
// the step before.
import type { RunStep } from "~/api/runs";
import type { LiveEvent } from "~/live/stream";
import { addDelta, type Channel, type LiveTurn, type Screen } from "./transcript";

export interface AgentNow {
  heard: readonly LiveTurn[];
  screen?: Screen;
  tool?: { name: string; target: string };
}

/** What to do about an event: draw, ask for what was kept, or both. */
export interface Told {
  draw: boolean;
  ask: boolean;
}

const NOTHING: Told = { draw: false, ask: false };
const CHANNELS = new Set(["think", "say", "tool"]);
const words = (value: unknown) => (typeof value === "string" ? value : "");

function screenIn(data: Record<string, unknown>): Screen {
  const lines = Array.isArray(data["lines"]) ? (data["lines"] as Record<string, unknown>[]) : [];
  return {
    app: words(data["app"]),
    url: words(data["url"]) || undefined,
    lines: lines.map((line) => ({ text: words(line["text"]), kind: words(line["kind"]) || "plain" })),
  };
}

/** Which agents have a step at work, and which step. A child's run is told of on its own page. */
export function atWork(steps: readonly RunStep[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { agent_id, child_run_ids, status, key, lap, shard, attempt } of steps)
    if (agent_id && !child_run_ids.length && status === "running")
      found.set(agent_id, `${key}#${lap}.${shard}.${attempt}`);
  return found;
}

export class LiveProgress {
  readonly now = new Map<string, AgentNow>();
  private working = new Map<string, string>();
  /** Whose next piece begins a turn: a call of a tool ended the one before, or its step has just begun. */
  private fresh = new Set<string>();

  constructor(private readonly run: string) {}

  /** Whom to listen to from now on. A step that begins has its own screen and its own turns. */
  turnTo(working: Map<string, string>) {
    for (const [agent, step] of working) {
      if (this.working.get(agent) === step) continue;
      const before = this.now.get(agent);
      if (before) this.now.set(agent, { heard: before.heard });
      this.fresh.add(agent);
    }
    this.working = working;
  }

  take({ type, data, about }: LiveEvent): Told {
    const agent = words(data["agentId"]);
    if (about?.run !== this.run || !this.working.has(agent)) return NOTHING;
    const before = this.now.get(agent) ?? { heard: [] };
    switch (type) {
      case "agent.reasoning.delta": {
        const channel = words(data["channel"]) || "think";
        if (!CHANNELS.has(channel)) return NOTHING;
        const begins = this.fresh.delete(agent);
        const heard = addDelta(before.heard, channel as Channel, words(data["text"]), begins);
        this.now.set(agent, { ...before, heard });
        return { draw: true, ask: false };
      }
      case "agent.computer.frame":
        this.now.set(agent, { ...before, screen: screenIn(data) });
        return { draw: true, ask: false };
      case "agent.tool.call":
        this.fresh.add(agent);
        this.now.set(agent, {
          ...before,
          tool: { name: words(data["tool"]), target: words(data["target"]) },
        });
        return { draw: true, ask: true };
      case "agent.task.update":
        return { draw: false, ask: true };
      default:
        return NOTHING;
    }
  }
}
