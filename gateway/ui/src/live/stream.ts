// The tab's one stream of /api/events: heartbeat watch, back-off, resume from the last event id. It is read from a fetch,
// because an EventSource does not show the field `about`, which tells two runs of one agent apart.
import { api } from "~/api/client";
import { link } from "./link";
import { readSse, type SseMessage } from "./sse";

/** What an event happened in, as far as it belongs to one. */
export interface About {
  run?: string;
  mission?: string;
  room?: string;
}

export interface LiveEvent {
  /** `<epoch>.<sequence>`; beats have none. */
  id?: string;
  type: string;
  data: Record<string, unknown>;
  about?: About;
}

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
  /** Coming back failed: the gateway may be away, or the session at its end. */
  onRefused?: () => void;
}

function object(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // One unreadable frame must not stop the stream.
  }
}

/** Opens the stream and keeps it open until closed. `from`: the id of the last event that is known already. */
export function openStream({ onEvent, onReset, onRefused }: Listener, from?: string): Stream {
  let lastId = from;
  let attempt = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let closed = false;
  /** Ends the connection that is open now. What a former one still brings is not read. */
  let reading = new AbortController();

  function receive({ event: type, data: text, id, about }: SseMessage) {
    if (id) lastId = id;
    const data = object(text);
    if (!data) return;
    if (type === "reset") {
      lastId = undefined;
      link.incomplete();
      onReset();
      return;
    }
    if (type === "trimmed") {
      // The gateway keeps deltas, screens and progress for a shorter time than the rest, and what follows has none of them.
      // What they announced is on its pages: everything on screen is asked again, and the stream goes on where it is.
      link.incomplete();
      onReset();
      return;
    }
    const happenedIn = object(about) as About | undefined;
    onEvent({ type, data, ...(id && { id }), ...(happenedIn && { about: happenedIn }) });
  }

  async function read(own: AbortController) {
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => lost(own), SILENCE_MS);
    };
    heard();
    try {
      const answer = await api.stream("/api/events", {
        query: { last_event_id: lastId },
        signal: own.signal,
      });
      if (own.signal.aborted) return;
      attempt = 0;
      link.live();
      // Without an id to resume from nothing says what was missed, so everything on screen is asked again: also the first
      // time, for what changed between the page's first questions and this moment.
      if (lastId === undefined) onReset();
      heard();
      if (answer.body)
        for await (const message of readSse(answer.body)) {
          if (own.signal.aborted) return;
          heard();
          receive(message);
        }
    } catch {
      // Whatever the reason, the stream is lost.
    }
    lost(own);
  }

  function open() {
    reading = new AbortController();
    void read(reading);
  }

  function lost(own: AbortController) {
    if (closed || own !== reading || own.signal.aborted) return;
    own.abort();
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
    reading.abort();
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
      reading.abort();
      link.closed();
    },
  };
}
