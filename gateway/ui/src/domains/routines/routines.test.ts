import { describe, expect, test } from "vitest";
import { bodyOf, EMPTY, mistakesOf, scheduleOf } from "./draft";
import { marksOf } from "./places";

describe("routines", () => {
  test("marks lie on the line from now to the last due time", () => {
    const now = Date.parse("2026-11-28T00:00:00Z");
    const due = ["2026-11-28T01:00:00Z", "2026-11-28T03:00:00Z", "2026-11-28T04:00:00Z"];
    expect(marksOf(due, now).map(({ left }) => left)).toStrictEqual([25, 75, 100]);
    expect(
      marksOf(due, Date.parse("2026-11-28T05:00:00Z")).every(({ left }) => left >= 0 && left <= 100),
    ).toBe(true);
    expect(marksOf([], now)).toStrictEqual([]);
  });

  test("a loop without a number of times has no end, and what is no number is refused by the gateway", () => {
    const loop = { ...EMPTY, kind: "loop" as const };
    expect(scheduleOf({ ...loop, minutes: " 30 " })).toStrictEqual({ kind: "loop", every_minutes: 30 });
    expect(scheduleOf({ ...loop, minutes: "x", times: "2" })).toStrictEqual({
      kind: "loop",
      every_minutes: 0,
      times: 2,
    });
  });

  test("the request has the recipe that was chosen", () => {
    const draft = { ...EMPTY, name: " News ", template: "t", goal: " Read. " };
    expect(mistakesOf(draft)).toStrictEqual({});
    expect(Object.keys(mistakesOf(EMPTY))).toStrictEqual(["name", "template", "goal"]);
    expect(bodyOf(draft)).toMatchObject({
      name: "News",
      recipe: { kind: "team", template_id: "t", goal: "Read." },
    });
    expect(bodyOf({ ...draft, starts: "mission" }).recipe).toMatchObject({
      kind: "mission",
      mission: { template_kind: "research", team_template_id: "t" },
    });
  });
});
