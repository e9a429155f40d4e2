import { describe, expect, it } from "vitest";
import { slotsOf } from "./slots";

const entries = (of: ReadonlyMap<string, number>) => [...of];

describe("the slots of rows", () => {
  const first = slotsOf(new Map(), ["a", "b", "c"]);
  it("are numbered at first", () => {
    expect(entries(first)).toEqual([
      ["a", 0],
      ["b", 1],
      ["c", 2],
    ]);
  });
  it("stay with their rows, and a new row takes that of one that is gone", () => {
    expect(entries(slotsOf(first, ["b", "c", "d"]))).toEqual([
      ["b", 1],
      ["c", 2],
      ["d", 0],
    ]);
  });
  it("are not taken from a row that has the focus", () => {
    expect(slotsOf(first, ["b", "c", "d"], 0).get("d")).toBe(3);
  });
  it("are never given to two rows", () => {
    let slots = first;
    for (const ids of [
      ["c", "d", "e", "f"],
      ["f", "a"],
      ["a", "b", "c", "d", "e"],
    ]) {
      slots = slotsOf(slots, ids, 1);
      expect(new Set(slots.values()).size).toBe(ids.length);
    }
  });
});
