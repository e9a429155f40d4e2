import { describe, expect, it } from "vitest";
import { diffLines, folded, type Line } from "./diff";

const told = (lines: Line[]) =>
  lines.map(({ kind, text }) => `${{ same: " ", added: "+", removed: "-" }[kind]}${text}`);
const side = (lines: Line[], without: Line["kind"]) =>
  lines.filter((line) => line.kind !== without).map((line) => line.text);

describe("the difference of two texts", () => {
  it("names what was added and what was removed, and nothing else", () => {
    expect(told(diffLines("a\nb\nc", "a\nx\nc\nd"))).toEqual([" a", "-b", "+x", " c", "+d"]);
    expect(told(diffLines("", "a"))).toEqual(["+a"]);
    expect(told(diffLines("a\n", ""))).toEqual(["-a", "-"]);
    expect(diffLines("same", "same").every((line) => line.kind === "same")).toBe(true);
  });

  it("gives both texts back, whatever they are", () => {
    let seed = 7;
    const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 300; round += 1) {
      const text = () => Array.from({ length: 1 + next(12) }, () => "abc"[next(3)]).join("\n");
      const [before, after] = [text(), text()];
      const lines = diffLines(before, after);
      expect(side(lines, "added").join("\n")).toBe(before);
      expect(side(lines, "removed").join("\n")).toBe(after);
    }
  });

  it("does not hang on two long texts that have nothing in common", () => {
    const long = (of: string) => Array.from({ length: 20_000 }, (_, n) => `${of} ${n}`).join("\n");
    expect(diffLines(long("a"), long("b"))).toHaveLength(40_000);
  });

  it("folds what did not change, but for a few lines around", () => {
    const lines = Array.from({ length: 30 }, (_, n) => `line ${n}`);
    const shown = folded(diffLines(lines.join("\n"), lines.with(15, "other").join("\n")));
    expect(shown[0]).toEqual({ kind: "skip", count: 12 });
    expect(shown).toHaveLength(1 + 3 + 2 + 3 + 1);
  });
});
