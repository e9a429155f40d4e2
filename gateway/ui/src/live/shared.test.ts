import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { before, had, type Word } from "./lead";
import { link, useLink } from "./link";
import { openShared, type Channel } from "./shared";
import type { LiveEvent, Listener } from "./stream";

const opened: { close: () => void }[] = [];

/** All tabs of one browser, in memory: words arrive in order, a moment later, at everybody else. */
function browser() {
  const ends = new Set<{ call: (word: Word<LiveEvent>) => void }>();
  const tabs: Tab[] = [];
  function channel(): Channel {
    const end: { call: (word: Word<LiveEvent>) => void } = { call: () => {} };
    ends.add(end);
    return {
      post: (word) => {
        const copy = structuredClone(word);
        for (const other of ends) if (other !== end) setTimeout(() => ends.has(other) && other.call(copy));
      },
      listen: (call) => (end.call = call),
      close: () => void ends.delete(end),
    };
  }
  interface Tab {
    seen: string[];
    resets: number;
    /** The stream that it holds, if it does. */
    stream: (Listener & { from: string | undefined }) | undefined;
    leading: number;
    close: () => void;
    freeze: () => void;
  }
  function open(): Tab {
    const tab: Tab = {
      seen: [],
      resets: 0,
      stream: undefined,
      leading: 0,
      close: () => {},
      freeze: () => {},
    };
    const end = channel();
    const shared = openShared(
      end,
      {
        onEvent: (event, leading) => {
          tab.seen.push(event.id ?? event.type);
          if (leading) tab.leading += 1;
        },
        onReset: () => (tab.resets += 1),
      },
      (listener, from) => {
        tab.stream = { ...listener, from };
        return { close: () => (tab.stream = undefined) };
      },
    );
    tab.close = shared.close;
    opened.push(shared);
    // A tab that died says nothing any more, not even goodbye.
    tab.freeze = () => {
      end.close();
      tab.stream = undefined;
    };
    tabs.push(tab);
    return tab;
  }
  return { open, leaders: () => tabs.filter((tab) => tab.stream) };
}

const event = (id: string): LiveEvent => ({ id, type: "agent.status", data: {} });

describe("one stream for all tabs", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    link.closed();
  });
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
    vi.useRealTimers();
  });

  it("has one leader among tabs that open at once, and everybody hears every event once", async () => {
    const at = browser();
    const tabs = [at.open(), at.open(), at.open(), at.open(), at.open(), at.open(), at.open()];
    await vi.advanceTimersByTimeAsync(1000);
    expect(at.leaders()).toHaveLength(1);
    at.leaders()[0]?.stream?.onEvent(event("1.1"));
    at.leaders()[0]?.stream?.onEvent(event("1.2"));
    await vi.advanceTimersByTimeAsync(10);
    for (const tab of tabs) expect(tab.seen).toEqual(["1.1", "1.2"]);
    expect(tabs.map((tab) => tab.leading).reduce((a, b) => a + b)).toBe(2);
  });

  it("goes on in another tab where the leader stopped, without a gap, a double or a reset", async () => {
    const at = browser();
    const first = at.open();
    await vi.advanceTimersByTimeAsync(1000);
    const others = [at.open(), at.open()];
    await vi.advanceTimersByTimeAsync(1000);
    first.stream?.onEvent(event("1.7"));
    await vi.advanceTimersByTimeAsync(10);
    first.close();
    await vi.advanceTimersByTimeAsync(500);
    const [next] = at.leaders();
    expect(at.leaders()).toHaveLength(1);
    expect(next?.stream?.from).toBe("1.7");
    // The gateway repeats the last one to be sure; nobody hears it twice.
    next?.stream?.onEvent(event("1.7"));
    next?.stream?.onEvent(event("1.8"));
    await vi.advanceTimersByTimeAsync(10);
    for (const tab of others) {
      expect(tab.seen).toEqual(["1.7", "1.8"]);
      expect(tab.resets).toBe(0);
    }
  });

  it("replaces a leader that died without a word", async () => {
    const at = browser();
    const first = at.open();
    await vi.advanceTimersByTimeAsync(1000);
    const second = at.open();
    await vi.advanceTimersByTimeAsync(1000);
    first.freeze();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(second.stream).toBeDefined();
  });

  it("keeps a leader that is only quiet, because the gateway is away", async () => {
    const at = browser();
    const first = at.open();
    await vi.advanceTimersByTimeAsync(1000);
    const second = at.open();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(first.stream).toBeDefined();
    expect(second.stream).toBeUndefined();
  });

  it("passes on how fresh the page is, and that the past is incomplete", async () => {
    const at = browser();
    const first = at.open();
    await vi.advanceTimersByTimeAsync(1000);
    const second = at.open();
    await vi.advanceTimersByTimeAsync(1000);
    first.stream?.onReset();
    link.lost(3, Date.now());
    await vi.advanceTimersByTimeAsync(10);
    expect(second.resets).toBe(1);
    expect(useLink.getState().attempt).toBe(3);
  });
});

describe("claims and ids", () => {
  it("lets the older claim lead, and the id decide a draw", () => {
    expect(before({ since: 1, id: "z" }, { since: 2, id: "a" })).toBe(true);
    expect(before({ since: 1, id: "a" }, { since: 1, id: "b" })).toBe(true);
    expect(before({ since: 1, id: "b" }, { since: 1, id: "a" })).toBe(false);
  });
  it("compares sequence numbers as numbers, within an epoch only", () => {
    expect(had("1.9", "1.10")).toBe(true);
    expect(had("1.10", "1.9")).toBe(false);
    expect(had("2.1", "1.9")).toBe(false);
    expect(had("1.1", undefined)).toBe(false);
    expect(had(undefined, "1.1")).toBe(false);
  });
});

describe("the link", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    link.closed();
  });
  afterEach(() => vi.useRealTimers());
  it("says nothing of a stream that is back within three seconds, and for three seconds that a longer loss is over", () => {
    link.lost(1, Date.now());
    vi.advanceTimersByTime(2900);
    link.live();
    expect(useLink.getState().caughtUp).toBe(false);
    link.lost(1, Date.now());
    vi.advanceTimersByTime(3000);
    link.live();
    expect(useLink.getState().caughtUp).toBe(true);
    vi.advanceTimersByTime(3000);
    expect(useLink.getState().caughtUp).toBe(false);
  });
  it("says that it caught up after the gateway no longer had what was missed", () => {
    link.live();
    link.incomplete();
    expect(useLink.getState().caughtUp).toBe(true);
  });
});
