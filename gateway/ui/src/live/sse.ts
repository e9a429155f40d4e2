// Server-sent events read from a fetch, where the page must see refusals and choose the offset to resume at.

export interface SseMessage {
  event: string;
  data: string;
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
  let event = "message";
  const data: string[] = [];
  for (const line of frame.split("\n")) {
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") event = value;
    else if (name === "data") data.push(value);
  }
  return data.length > 0 ? { event, data: data.join("\n") } : undefined;
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
