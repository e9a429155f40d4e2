// The tab's one EventSource on /api/events: heartbeat watch, back-off, resume from the last event id.
import { url } from "~/api/client";
import { link } from "./link";

export interface LiveEvent {
  /** `<epoch>.<sequence>`; beats have none. */
  id?: string;
  type: string;
  data: Record<string, unknown>;
}

const TYPES = [
  "agent.status",
  "agent.task.update",
  "agent.reasoning.delta",
  "agent.computer.frame",
  "agent.tool.call",
  "node.activity",
  "resource.changed",
  "placement.fallback",
  "door.request",
  "door.resolve",
  "reset",
  "beat",
] as const;

const SILENCE_MS = 30_000;

/** Half a second, doubling to thirty, with jitter so that many tabs do not return at once. */
export function backoff(attempt: number, random: number): number {
  const full = Math.min(30_000, 500 * 2 ** Math.max(0, attempt - 1));
  return full / 2 + (full / 2) * random;
}

export interface Stream {
  close(): void;
}

export interface Listener {
  onEvent: (event: LiveEvent) => void;
  /** The past may be incomplete: everything on screen is to be asked again. */
  onReset: () => void;
  /** Coming back failed. An EventSource does not say why: the gateway may be away, or the session at its end. */
  onRefused?: () => void;
}

/** Opens the stream and keeps it open until closed. `from`: the id of the last event that is known already. */
export function openStream({ onEvent, onReset, onRefused }: Listener, from?: string): Stream {
  let source: EventSource | undefined;
  let lastId = from;
  let attempt = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(lost, SILENCE_MS);
  };

  function receive(type: string, message: MessageEvent<string>) {
    heard();
    // A beat carries no id of its own, but the browser shows the last one.
    const id = message.lastEventId !== "" && message.lastEventId !== lastId ? message.lastEventId : undefined;
    if (id) lastId = id;
    let data: Record<string, unknown>;
    try {
      data = JSON.parse(message.data) as Record<string, unknown>;
    } catch {
      return; // One unreadable frame must not stop the stream.
    }
    if (type === "reset") {
      lastId = undefined;
      link.incomplete();
      onReset();
      return;
    }
    onEvent({ type, data, ...(id !== undefined && { id }) });
  }

  function open() {
    source = new EventSource(url("/api/events", { last_event_id: lastId }), { withCredentials: true });
    heard();
    source.addEventListener("open", () => {
      attempt = 0;
      link.live();
      // Without an id to resume from nothing says what was missed, so everything on screen is asked again: also the first
      // time, for what changed between the page's first questions and this moment.
      if (lastId === undefined) onReset();
      heard();
    });
    source.addEventListener("error", lost);
    for (const type of TYPES)
      source.addEventListener(type, (event) => receive(type, event as MessageEvent<string>));
  }

  function lost() {
    if (closed) return;
    source?.close();
    clearTimeout(silence);
    clearTimeout(retry);
    attempt += 1;
    link.lost(attempt, Date.now());
    if (attempt > 1) onRefused?.();
    retry = setTimeout(open, backoff(attempt, Math.random()));
  }

  /** The browser knows that the network came back before the timer does. */
  function online() {
    if (attempt === 0) return;
    clearTimeout(retry);
    source?.close();
    open();
  }

  globalThis.addEventListener("online", online);
  open();
  return {
    close() {
      closed = true;
      globalThis.removeEventListener("online", online);
      clearTimeout(retry);
      clearTimeout(silence);
      source?.close();
      link.closed();
    },
  };
}
