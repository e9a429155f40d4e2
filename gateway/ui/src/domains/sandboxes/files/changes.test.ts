// What differs between two snapshots.
import { describe, expect, it } from "vitest";
import { comparable, counted } from "./changes";

describe("the files that differ", () => {
  it("are counted by kind", () => {
    const change = (difference: "added" | "changed" | "removed") => ({ path: difference, difference });
    expect(counted([change("added"), change("changed"), change("added")])).toEqual({
      added: 2,
      changed: 1,
      removed: 0,
    });
  });
});

describe("a text that is compared", () => {
  it("has no line of its own for the newline at its end", () => {
    expect([comparable("a\nb\n"), comparable("a\r\n"), comparable("a\n\n"), comparable("a")]).toEqual([
      "a\nb",
      "a",
      "a\n",
      "a",
    ]);
  });
});
