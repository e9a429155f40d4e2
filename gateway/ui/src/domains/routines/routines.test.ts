import { describe, expect, test } from "vitest";
import type { Routine } from "~/api/routines";
import { bodyOf, changeOf, draftOf, EMPTY, mistakesOf, partsChanged, scheduleOf } from "./draft";
import { readAsked, shown, sorted } from "./list";
import { marksOf } from "./places";
import { causeWord, limitOf } from "./words";

const routine = (more: Partial<Routine> = {}): Routine => ({
  id: "r",
  name: "News",
  schedule: { kind: "cron", expression: "0 9 * * *", time_zone: "UTC" },
  words: "",
  recipe: { kind: "team", template_id: "t", goal: "Read.", machine_id: "m", cost_ceiling_microusd: 500_000 },
  missed: "once",
  overlap: "skip",
  enabled: true,
  state: "scheduled",
  next_due: [],
  at_work: 0,
  created_at: "",
  updated_at: "",
  version: 3,
  ...more,
});

describe("routines", () => {
  test("the list sorts by the next due time, and routines that start no more come last", () => {
    const all = [
      routine({ id: "a", name: "a", next_due: ["2026-11-29T09:00:00Z"], enabled: false, state: "paused" }),
      routine({ id: "b", name: "b", next_due: ["2026-11-29T09:00:00Z"] }),
      routine({ id: "c", name: "c", next_due: ["2026-11-28T09:00:00Z"], words: "Every day" }),
    ];
    const order = (by: string) => sorted(all, by).map(({ id }) => id);
    expect(order("due")).toStrictEqual(["c", "b", "a"]);
    expect(order("-due")).toStrictEqual(["b", "c", "a"]);
    expect(order("-name")).toStrictEqual(["c", "b", "a"]);
    expect(order("state")).toStrictEqual(["a", "b", "c"]);
    expect(shown(all, "PAUSED").map(({ id }) => id)).toStrictEqual(["a"]);
    expect(shown(all, "every c").map(({ id }) => id)).toStrictEqual(["c"]);
    expect(readAsked({ q: "x", sort: "cost" })).toStrictEqual({ q: "x" });
  });

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
    const body = { template_kind: "full_cycle" as const, goal: "Mend." };
    const mission = { ...draft, starts: "mission" as const, template: "", goal: "" };
    expect(Object.keys(mistakesOf(mission))).toStrictEqual(["mission"]);
    expect(Object.keys(mistakesOf({ ...mission, mission: { body, complete: false } }))).toStrictEqual([
      "mission",
    ]);
    expect(mistakesOf({ ...mission, mission: { body, complete: true } })).toStrictEqual({});
    expect(bodyOf({ ...mission, mission: { body, complete: true } }).recipe).toStrictEqual({
      kind: "mission",
      mission: body,
      accept_lacks: false,
    });
  });

  test("a change holds what was touched, and what the form does not show stays", () => {
    const before = routine();
    expect(changeOf(draftOf(before), before)).toStrictEqual({});
    expect(changeOf({ ...draftOf(before), name: " News " }, before)).toStrictEqual({});
    expect(changeOf({ ...draftOf(before), goal: "Read all." }, before)).toStrictEqual({
      recipe: {
        kind: "team",
        template_id: "t",
        goal: "Read all.",
        machine_id: "m",
        cost_ceiling_microusd: 500_000,
        accept_lacks: false,
      },
    });
    const until = "2027-01-01T00:00:00Z";
    const schedule = { kind: "loop" as const, every_minutes: 5, starts_at: "2026-01-01T00:00:00Z", until };
    const loop = routine({ schedule });
    expect(changeOf(draftOf(loop), loop)).toStrictEqual({});
    expect(changeOf({ ...draftOf(loop), minutes: "7" }, loop)).toStrictEqual({
      schedule: { kind: "loop", every_minutes: 7, until },
    });
  });

  test("a start is no change of a routine, and neither is another order of its keys", () => {
    const before = routine();
    const recipe = { goal: "Read.", accept_lacks: undefined, ...before.recipe } as Routine["recipe"];
    expect(partsChanged(before, routine({ version: 9, at_work: 1, state: "running", recipe }))).toStrictEqual(
      [],
    );
    const now = routine({ overlap: "allow", recipe: { kind: "team", template_id: "t", goal: "Write." } });
    expect(partsChanged(before, now)).toStrictEqual(["recipe", "overlap"]);
  });

  test("a due time that was missed started nothing", () => {
    expect(causeWord({ cause: "schedule", state: "missed" })).toBe("not started");
    expect(causeWord({ cause: "schedule", state: "skipped" })).toBe("not started");
    expect(causeWord({ cause: "catch_up", state: "done" })).toBe("after a downtime");
  });

  test("the cost limit is that of a run or of a mission", () => {
    expect(limitOf(routine().recipe)).toBe("$0.500");
    expect(limitOf({ kind: "mission", mission: { template_kind: "research", budget_usd: 2 } })).toBe("$2.00");
    expect(limitOf({ kind: "mission", mission: { template_kind: "research" } })).toBe("no limit");
  });
});
