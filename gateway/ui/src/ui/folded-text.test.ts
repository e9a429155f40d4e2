import { describe, expect, it } from "vitest";
import { beginOf } from "./folded-text";

const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join("\n");

describe("the begin of a long text", () => {
  it("does not exist for a short text", () => {
    expect(beginOf("")).toBeUndefined();
    expect(beginOf(lines(16))).toBeUndefined();
  });

  it("is its first lines", () => {
    expect(beginOf(lines(17))).toBe(lines(10));
  });

  it("ends at a word in one long line, and is cut in a line without words", () => {
    const words = beginOf("word ".repeat(1000));
    expect(words?.length).toBeLessThanOrEqual(1000);
    expect(words).toMatch(/word$/);
    expect(beginOf("x".repeat(5000))).toBe("x".repeat(1000));
  });
});
