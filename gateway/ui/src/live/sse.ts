// Server-sent events read from a fetch, where the page must see refusals, choose where to resume, or read a field that an
// EventSource leaves out.

export interface SseMessage {
  event: string;
  data: string;
  /** The frame's own id. Unlike an EventSource, a frame without one does not repeat the last. */
  id?: string;
  /** What the event happened in, as JSON. The gateway's own field, which clients of the standard ignore. */
  about?: string;
}

/** Cuts a growing text into whole frames; what is left of an unfinished frame stays for the next call. */
export function makeSseParser(): (text: string) => SseMessage[] {
  let rest = "";
  return (text) => {
    rest += text;
    // A carriage return at the very end may be half of a line end.
    const held = rest.endsWith("\r") ? "\r" : "";
    const whole = rest.slice(0, rest.length - held.length).replace(/\r\n?/g, "\n");
    const frames = whole.split("\n\n");
    rest = (frames.pop() ?? "") + held;
    return frames.map(parseFrame).filter((message) => message !== undefined);
  };
}

function parseFrame(frame: string): SseMessage | undefined {
  const data: string[] = [];
  const message: SseMessage = { event: "message", data: "" };
  for (const line of frame.split("\n")) {
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") data.push(value);
    else if (name === "event" || name === "id" || name === "about") message[name] = value;
  }
  return data.length > 0 ? { ...message, data: data.join("\n") } : undefined;
}

export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<SseMessage> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parse = makeSseParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parse(decoder.decode(value, { stream: true }));
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
