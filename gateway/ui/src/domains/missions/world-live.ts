// The world stream: the landmarks of the workspace, and what happens at them just now. It is open while a page shows it and
// can be seen, so that tabs behind it do not use up the browser's connections.
import { useEffect, useState } from "react";
import { api } from "~/api/client";
import { gatewayNow } from "~/api/clock";
import { readSse, type SseMessage } from "~/live/sse";
import { backoff } from "~/live/stream";
import { readLandmarks, type Landmarks, type TopologyUpdate } from "./landmarks";
import { LIT_MS, touchWord, type Heard } from "./world";

/** The gateway beats every ten seconds. */
const SILENCE_MS = 30_000;

/** The landmark that an event is of, and what happened there. */
function touchOf(type: string, data: Record<string, unknown>): [string, string] | undefined {
  const [agent, node] = [data["agentId"], data["nodeId"]];
  if (type === "world.touch" && typeof agent === "string" && typeof node === "string")
    return [`agent:${agent}`, touchWord(node)];
  if (type === "node.activity" && typeof node === "string") return [node, "works"];
  return undefined;
}

/** Reads the stream until the end of it, and again and again. Returns what ends it. */
function follow(take: (message: SseMessage) => void): () => void {
  let attempt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading = new AbortController();
  const read = async (own: AbortController) => {
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => own.abort(), SILENCE_MS);
    };
    heard();
    try {
      const { body } = await api.stream("/api/world/stream", { signal: own.signal });
      if (body)
        for await (const message of readSse(body)) {
          if (own.signal.aborted) break;
          attempt = 0;
          heard();
          take(message);
        }
    } catch {
      // Whatever the reason, the stream is lost. The page's own stream says so.
    }
    clearTimeout(silence);
    if (own !== reading) return;
    timer = setTimeout(begin, backoff((attempt += 1), Math.random()));
  };
  function begin() {
    end();
    reading = new AbortController();
    void read(reading);
  }
  function end() {
    clearTimeout(timer);
    const open = reading;
    reading = new AbortController();
    open.abort();
  }
  const look = () => (document.visibilityState === "visible" ? begin() : end());
  const online = () => attempt > 0 && look();
  document.addEventListener("visibilitychange", look);
  globalThis.addEventListener("online", online);
  look();
  return () => {
    document.removeEventListener("visibilitychange", look);
    globalThis.removeEventListener("online", online);
    end();
  };
}

export interface WorldNow {
  /** Nothing until the first ones come. */
  marks: Landmarks | undefined;
  heard: Heard;
}

const NOTHING: WorldNow = { marks: undefined, heard: { touches: new Map(), states: new Map() } };

/** The newest landmarks, what was heard in the last seconds, and the newest states of agents. */
export function useWorldStream(): WorldNow {
  const [now, setNow] = useState(NOTHING);
  useEffect(() => {
    const touches = new Map<string, { what: string; at: number }>();
    const states = new Map<string, string>();
    let marks: Landmarks | undefined;
    let frame = 0;
    const stop = follow(({ event: type, data: text, id }) => {
      let data: Record<string, unknown>;
      try {
        data = JSON.parse(text) as Record<string, unknown>;
      } catch {
        return; // One unreadable frame must not stop the stream.
      }
      const touch = touchOf(type, data);
      // The layout of one team is an event of the log, with an id.
      if (type === "topology.update" && !id) marks = readLandmarks(data as unknown as TopologyUpdate);
      else if (touch) touches.set(touch[0], { what: touch[1], at: gatewayNow() });
      else if (type === "agent.status") states.set(String(data["agentId"]), String(data["status"]));
      else return;
      // Events that come together draw the map once.
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        const at = gatewayNow();
        for (const [key, one] of touches) if (at - one.at > LIT_MS) touches.delete(key);
        setNow({ marks, heard: { touches: new Map(touches), states: new Map(states) } });
      });
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, []);
  return now;
}
