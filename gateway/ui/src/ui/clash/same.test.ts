import { describe, expect, it } from "vitest";
import { changedIn, mineOver, onlyChanged, same } from "./same";

describe("two states of a form", () => {
  it("are the same whatever the order of keys, and with an absent value", () => {
    expect(same({ a: 1, b: null }, { a: 1 })).toBe(true);
    expect(same({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
    expect(same([1, 2], [2, 1])).toBe(false);
  });

  it("differ field by field", () => {
    expect(changedIn({ name: "a", tags: ["x"] }, { name: "b", tags: ["x"] })).toStrictEqual(["name"]);
    expect(onlyChanged({ name: "a", role: "" }, { name: "b", role: "" })).toStrictEqual({ name: "b" });
  });

  it("become one: what I changed goes over theirs, and what I left alone is theirs", () => {
    const was = { name: "a", role: "r", text: "t" };
    const theirs = { name: "theirs", role: "theirs", text: "t" };
    const mine = { name: "mine", role: "r", text: "mine" };
    expect(mineOver(was, theirs, mine)).toStrictEqual({ name: "mine", role: "theirs", text: "mine" });
  });
});
