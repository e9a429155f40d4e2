import { expect, test } from "vitest";
import { isPace, limitsOf, paceOf, timeMistake, turnsMistake } from "./pace";

test("limits are read from what was typed, and shown as it was", () => {
  expect(limitsOf({ turns: " ", time: "" })).toEqual({});
  expect(limitsOf({ turns: "40", time: "1,5" })).toEqual({ limits: { turns: 40, time_s: 90 } });
  expect(paceOf({ turns: 40, time_s: 90 })).toEqual({ turns: "40", time: "1.5" });
  expect(paceOf({})).toEqual({ turns: "", time: "" });
});

test.each([
  ["", true],
  ["1", true],
  ["100000", true],
  ["0", false],
  ["100001", false],
  ["1.5", false],
  ["many", false],
])("turns %j are right: %s", (typed, right) => {
  expect(turnsMistake(typed) === undefined).toBe(right);
});

test.each([
  ["", true],
  ["30", true],
  ["0,5", true],
  ["0.1", false],
  ["43201", false],
  ["an hour", false],
])("a time of %j minutes is right: %s", (typed, right) => {
  expect(timeMistake(typed) === undefined).toBe(right);
  expect(isPace({ turns: "", time: typed })).toBe(right);
});
