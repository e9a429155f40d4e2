import { describe, expect, it } from "vitest";
import type { RunSummary } from "~/api/runs";
import { merge } from "./work";

const run = (id: string, minute: number, more: Partial<RunSummary> = {}) =>
  ({
    id,
    created_at: `2026-03-10T12:${String(minute).padStart(2, "0")}:00Z`,
    cost_microusd: 0,
    ...more,
  }) as RunSummary;
const ids = (runs: readonly RunSummary[]) => runs.map(({ id }) => id);

describe("the list of work", () => {
  it("has the runs of teams and of single agents in one order", () => {
    const page = merge(
      [
        { cursor: undefined, left: [run("t2", 30), run("t1", 10)] },
        { cursor: undefined, left: [run("a2", 40), run("a1", 20)] },
      ],
      undefined,
    );
    expect(ids(page.items)).toEqual(["a2", "t2", "a1", "t1"]);
    expect(page.next).toBeUndefined();
  });

  it("keeps what is behind the end of a list that has more", () => {
    const page = merge(
      [
        { cursor: "more", left: [run("t2", 30), run("t1", 20)] },
        { cursor: undefined, left: [run("a2", 25), run("a1", 10)] },
      ],
      undefined,
    );
    expect(ids(page.items)).toEqual(["t2", "a2", "t1"]);
    expect(page.next?.map(({ cursor, left }) => [cursor, ids(left)])).toEqual([
      ["more", []],
      [undefined, ["a1"]],
    ]);
  });

  it("follows the order that a person chose", () => {
    const first = (sort: "-cost" | "created_at" | "-duration", ...two: [RunSummary, RunSummary]) =>
      merge(
        two.map((one) => ({ cursor: undefined, left: [one] })),
        sort,
      ).items[0]?.id;
    const [cheap, dear] = [run("cheap", 30, { cost_microusd: 1 }), run("dear", 10, { cost_microusd: 9 })];
    expect(first("-cost", cheap, dear)).toBe("dear");
    expect(first("created_at", cheap, dear)).toBe("dear");
    const long = { started_at: "2026-03-10T12:00:00Z", ended_at: "2026-03-10T13:00:00Z" };
    expect(first("-duration", run("short", 1), run("long", 2, long))).toBe("long");
  });
});
