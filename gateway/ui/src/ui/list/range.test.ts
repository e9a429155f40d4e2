import { describe, expect, it } from "vitest";
import { beginOf, boundsOf, dayOf, rangeOf, stepOf, weeksOf, wordsOf } from "./range";

const NOW = "2026-11-27";
const at = (year: number, month: number, day: number) => new Date(year, month - 1, day).toISOString();

describe("a time range", () => {
  it("is whole days up to now, today included", () => {
    expect(boundsOf({ when: "today" }, NOW)).toEqual({ from: at(2026, 11, 27) });
    expect(boundsOf({ when: "7d" }, NOW)).toEqual({ from: at(2026, 11, 21) });
    expect(boundsOf({ when: "30d" }, NOW)).toEqual({ from: at(2026, 10, 29) });
  });
  it("includes both of its days, also over the end of a year", () => {
    expect(boundsOf({ from: "2026-12-30", until: "2026-12-31" }, NOW)).toEqual({
      from: at(2026, 12, 30),
      until: at(2027, 1, 1),
    });
    expect(boundsOf({ until: "2026-02-28" }, NOW)).toEqual({ until: at(2026, 3, 1) });
  });
  it("takes its days in the other order too", () => {
    expect(boundsOf({ from: "2026-11-09", until: "2026-11-03" }, NOW)).toEqual({
      from: at(2026, 11, 3),
      until: at(2026, 11, 10),
    });
  });
  it("ignores days that do not exist and words it does not know", () => {
    expect(boundsOf({ from: "2026-02-30", until: "soon", when: "ever" }, NOW)).toEqual({});
    expect(beginOf("2026-02-30")).toBeUndefined();
    expect(wordsOf({ from: "nonsense" })).toBe("Any time");
  });
  it("has its days in order, whichever was chosen first", () => {
    expect(rangeOf("2026-11-09", "2026-11-03")).toEqual({ from: "2026-11-03", until: "2026-11-09" });
  });
  it("is told in words", () => {
    expect(wordsOf({ when: "7d" })).toBe("Last 7 days");
    expect(wordsOf({ from: "2026-11-03", until: "2026-11-03" })).toBe("3 Nov 2026");
    expect(wordsOf({ from: "2026-11-03", until: "2026-11-09" })).toBe("3 Nov 2026 to 9 Nov 2026");
  });
});

describe("a calendar", () => {
  it("has the weeks that the month touches, from Monday", () => {
    const weeks = weeksOf(2026, 10).map((week) => week.map(dayOf));
    expect(weeks).toHaveLength(6);
    expect(weeks[0]?.[0]).toBe("2026-10-26");
    expect(weeks[5]?.[6]).toBe("2026-12-06");
    expect(weeksOf(2027, 1)).toHaveLength(4);
  });
  it("is walked by days, weeks, months and years", () => {
    const to = (key: string, shift = false) => {
      const next = stepOf(key, new Date(2026, 2, 31), shift);
      return next && dayOf(next);
    };
    expect(to("ArrowRight")).toBe("2026-04-01");
    expect(to("ArrowUp")).toBe("2026-03-24");
    expect(to("Home")).toBe("2026-03-30");
    expect(to("End")).toBe("2026-04-05");
    expect(to("PageUp")).toBe("2026-02-28");
    expect(to("PageDown")).toBe("2026-04-30");
    expect(to("PageUp", true)).toBe("2025-03-31");
    expect(to("x")).toBeUndefined();
  });
});
