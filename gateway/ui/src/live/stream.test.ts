import { afterEach, describe, expect, it, vi } from "vitest";
import { openStream, type LiveEvent, type Stream } from "./stream";

const asked: string[] = [];
let open: Stream | undefined;

/** A gateway that answers the first request with these frames and leaves the stream open; the next ones it refuses. */
function gateway(frames: string) {
  vi.stubGlobal("fetch", (address: string) => {
    asked.push(address);
    if (asked.length > 1) return Promise.reject(new TypeError("away"));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(frames)),
    });
    return Promise.resolve(new Response(body, { status: 200 }));
  });
}

async function collect(frames: string, wanted: number, from?: string) {
  gateway(frames);
  const events: LiveEvent[] = [];
  let resets = 0;
  await new Promise<void>((done) => {
    open = openStream(
      {
        onEvent: (event) => {
          events.push(event);
          if (events.length === wanted) done();
        },
        onReset: () => (resets += 1),
      },
      from,
    );
  });
  return { events, resets };
}

afterEach(() => {
  open?.close();
  asked.length = 0;
  vi.unstubAllGlobals();
});

describe("the stream of a tab", () => {
  it("shows what an event happened in, its id, and heartbeats without one", async () => {
    const { events } = await collect(
      'retry: 500\n\nid: 1.7\nevent: agent.reasoning.delta\nabout: {"run":"r1"}\ndata: {"text":"a"}\n\n' +
        "event: beat\ndata: {}\n\nid: 1.8\nevent: telemetry\nabout: garbage\ndata: {}\n\n",
      3,
      "1.6",
    );
    expect(events).toEqual([
      { id: "1.7", type: "agent.reasoning.delta", data: { text: "a" }, about: { run: "r1" } },
      { type: "beat", data: {} },
      { id: "1.8", type: "telemetry", data: {} },
    ]);
    expect(asked).toEqual(["/api/events?last_event_id=1.6"]);
  });
  it("asks everything again after a part that has lost events, and goes on where it was", async () => {
    const { events, resets } = await collect(
      'event: trimmed\ndata: {"from":"1.7","to":"1.9","types":["telemetry"]}\n\n' +
        "id: 1.8\nevent: agent.status\ndata: {}\n\ngarbage\n\nid: 1.10\nevent: agent.status\ndata: {}\n\n",
      2,
      "1.6",
    );
    expect(resets).toBe(1);
    expect(events.map(({ id }) => id)).toEqual(["1.8", "1.10"]);
  });
  it("begins anew after a reset, without a place to resume at", async () => {
    const { resets } = await collect(
      'id: 2.5\nevent: reset\ndata: {"reason":"x"}\n\nevent: beat\ndata: {}\n\n',
      1,
      "1.6",
    );
    expect(resets).toBe(1);
    globalThis.dispatchEvent(new Event("online"));
    expect(asked, "the stream is not lost, so it is not opened again").toHaveLength(1);
  });
});
