import { describe, expect, it } from "vitest";
import { stepIn, typedIn } from "./keys";

describe("keys in a choice", () => {
  it("lead through its options and stop at the ends", () => {
    expect(stepIn("ArrowDown", 0, 30)).toBe(1);
    expect(stepIn("ArrowUp", 0, 30)).toBe(0);
    expect(stepIn("PageDown", 25, 30)).toBe(29);
    expect(stepIn("PageUp", 25, 30)).toBe(15);
    expect(stepIn("Home", 9, 30)).toBe(0);
    expect(stepIn("End", 9, 30)).toBe(29);
    expect(stepIn("a", 9, 30)).toBeUndefined();
  });
  it("find what is typed, from the present one on and around the end", () => {
    const labels = ["Any", "Running", "Queued", "Completed", "Cancelled"];
    expect(typedIn(labels, 0, "c")).toBe(3);
    expect(typedIn(labels, 3, "cc"), "the same letter again is the next one").toBe(4);
    expect(typedIn(labels, 3, "can")).toBe(4);
    expect(typedIn(labels, 3, "com"), "more letters keep one that fits").toBe(3);
    expect(typedIn(labels, 4, "a")).toBe(0);
    expect(typedIn(labels, 4, "x")).toBeUndefined();
    expect(typedIn([], 0, "x")).toBeUndefined();
  });
});
