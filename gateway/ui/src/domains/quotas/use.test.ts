import { describe, expect, it } from "vitest";
import { allOf, cutTo, daysOf, moreOf, partOf, rowsOf, sinceOf, totalOf, type RunsUse } from "./use";

const sums = (cost: number, more: object = {}) => ({
  runs: 1,
  input_tokens: 10,
  output_tokens: 5,
  cost_microusd: cost,
  seconds: 60,
  ...more,
});
const use = (more: Partial<RunsUse> = {}): RunsUse => ({
  by: "team",
  from: "2026-10-30T00:00:00Z",
  to: "2026-11-28T12:00:00Z",
  rows: [
    { key: "a", name: "Team a", ...sums(9000) },
    { key: "b", name: "Team b", ...sums(5000, { seconds: 600, runs: 3 }) },
    { key: "gone", name: null, ...sums(20) },
    { key: null, name: null, ...sums(10, { input_tokens: 9000 }) },
  ],
  others: null,
  ...more,
});

describe("use, compared", () => {
  it("has the highest of the measure first, and says what has no name any more", () => {
    expect(rowsOf(use(), "cost").map(({ name, cost }) => [name, cost])).toStrictEqual([
      ["Team a", 9000],
      ["Team b", 5000],
      ["Deleted team", 20],
      ["Without a team", 10],
    ]);
    expect(rowsOf(use(), "time")[0]).toMatchObject({ id: "b", time: 600_000 });
    expect(rowsOf(use(), "tokens")[0]).toMatchObject({ id: undefined, tokens: 9005, output: 5 });
    expect(rowsOf(use({ by: "model" }), "cost")[2]?.name, "a model's key is its name").toBe("gone");
  });

  it("keeps what the gateway left out as a row at the end", () => {
    const rows = rowsOf(use({ others: sums(99_000) }), "cost");
    expect(rows.at(-1)).toMatchObject({ key: "others", id: undefined, cost: 99_000 });
    expect(totalOf(rows)).toStrictEqual({
      cost: 113_030,
      tokens: 9065,
      output: 25,
      time: (4 * 60 + 600) * 1000,
      runs: 7,
    });
  });

  it("puts what a look does not take in into one row", () => {
    const rows = cutTo(rowsOf(use(), "cost"), 2);
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatchObject({ name: "3 others", cost: 5030, runs: 5 });
    expect(cutTo(rowsOf(use(), "cost"), 4)).toHaveLength(4);
  });

  it("has each day of the range, also those without a run", () => {
    const now = Date.parse("2026-11-28T12:00:00Z");
    const since = sinceOf(7, now);
    expect(new Date(since).toISOString()).toBe("2026-11-22T00:00:00.000Z");
    const days = daysOf(use({ by: "day", rows: [{ key: "2026-11-23", ...sums(7) }] }), since, 7);
    expect(days.map(({ key, cost }) => `${key} ${cost}`)).toStrictEqual([
      "2026-11-22 0",
      "2026-11-23 7",
      "2026-11-24 0",
      "2026-11-25 0",
      "2026-11-26 0",
      "2026-11-27 0",
      "2026-11-28 0",
    ]);
  });

  it("says a row in words", () => {
    const one = { cost: 2_000_000, tokens: 1500, output: 500, time: 60_000, runs: 1 };
    expect(allOf(one)).toMatch(/^\$2\.00, 1\.5K tokens, .*, 1 run$/);
    expect(moreOf(one, "tokens")).not.toContain("tokens");
    expect([partOf(1, 3), partOf(0, 0)]).toEqual(["33%", "0%"]);
  });
});
