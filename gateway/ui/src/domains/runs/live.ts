// What the agents of a run say and show at this moment, from the page's one stream. Nothing of it is kept: what is kept
// comes from the run's journal, which is asked for again when a tool is called.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { watchEvents } from "~/live/provider";
import { renew } from "~/live/renew";
import { callsKey } from "./queries";
import { hear, type Channel, type Heard, type Screen } from "./weave";

export interface AgentNow {
  heard: readonly Heard[];
  screen?: Screen;
  tool?: { name: string; target: string };
}

const NONE: ReadonlyMap<string, AgentNow> = new Map();
const PAUSE_MS = 800;
const CHANNELS = new Set(["think", "say", "tool"]);
const words = (value: unknown) => (typeof value === "string" ? value : "");

function screen(data: Record<string, unknown>): Screen {
  const lines = Array.isArray(data["lines"]) ? (data["lines"] as Record<string, unknown>[]) : [];
  return {
    app: words(data["app"]),
    url: words(data["url"]) || undefined,
    lines: lines.map((line) => ({ text: words(line["text"]), kind: words(line["kind"]) || "plain" })),
  };
}

/** `agents`: who works in the run; the events name nobody else's run. */
export function useAgentsNow(run: string, agents: readonly string[], over: boolean) {
  const client = useQueryClient();
  const [shown, setShown] = useState(NONE);
  const who = agents.join(" ");
  useEffect(() => {
    if (over) return undefined;
    const mine = new Set(who.split(" "));
    const now = new Map<string, AgentNow>();
    // A call of a tool ends a turn.
    const fresh = new Set<string>();
    let frame = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setShown(new Map(now));
      });
    };
    const askLater = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void renew(client, { queryKey: callsKey(run) });
      }, PAUSE_MS);
    };
    const stop = watchEvents(({ type, data }) => {
      const agent = words(data["agentId"]);
      if (!mine.has(agent)) return;
      const before = now.get(agent) ?? { heard: [] };
      if (type === "agent.reasoning.delta") {
        const channel = words(data["channel"]) || "think";
        if (!CHANNELS.has(channel)) return;
        const heard = hear(before.heard, channel as Channel, words(data["text"]), fresh.delete(agent));
        now.set(agent, { ...before, heard });
      } else if (type === "agent.computer.frame") {
        now.set(agent, { ...before, screen: screen(data) });
      } else if (type === "agent.tool.call") {
        fresh.add(agent);
        now.set(agent, { ...before, tool: { name: words(data["tool"]), target: words(data["target"]) } });
        askLater();
      } else {
        if (type === "agent.task.update") askLater();
        return;
      }
      draw();
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [client, run, who, over]);
  return shown;
}
