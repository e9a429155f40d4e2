// What happens on the map just now, heard on the live stream.
import { useEffect, useState } from "react";
import { watchEvents } from "~/live/provider";
import { LIT_MS, touchWord, type Heard } from "./world";

/** The name that the world has for what an event is of, and what happened there. */
function touchOf(type: string, data: Record<string, unknown>): [string, string] | undefined {
  const [agent, node] = [data["agentId"], data["nodeId"]];
  if (type === "world.touch" && typeof agent === "string" && typeof node === "string")
    return [`agent:${agent}`, touchWord(node)];
  if (type === "node.activity" && typeof node === "string") return [node, "works"];
  return undefined;
}

const NOTHING: Heard = { touches: new Map(), states: new Map() };

/** What was heard in the last seconds, and the newest states of agents. Events that come together draw the map once. */
export function useHeard(): Heard {
  const [heard, setHeard] = useState(NOTHING);
  useEffect(() => {
    const touches = new Map<string, { what: string; at: number }>();
    const states = new Map<string, string>();
    let frame = 0;
    const stop = watchEvents(({ type, data }) => {
      const touch = touchOf(type, data);
      if (touch) touches.set(touch[0], { what: touch[1], at: Date.now() });
      else if (type === "agent.status") states.set(String(data["agentId"]), String(data["status"]));
      else return;
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        const now = Date.now();
        for (const [id, { at }] of touches) if (now - at > LIT_MS) touches.delete(id);
        setHeard({ touches: new Map(touches), states: new Map(states) });
      });
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, []);
  return heard;
}
