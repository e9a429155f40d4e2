import { describe, expect, it } from "vitest";
import { changedLines, diffLines, type DiffLine, type Line, type Unshown } from "./diff";

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
});

const SIGNS: Record<string, string> = { same: " ", added: "+", removed: "-" };
const shown = (lines: (DiffLine | Unshown)[]) =>
  lines.map((one) =>
    one.kind === "unshown" ? `… ${one.lines.length}` : `${one.line}${SIGNS[one.kind]}${one.text}`,
  );
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `l${from + n}`).join("\n");

describe("the lines of a changed file", () => {
  it("have the numbers of the text that has them, and unchanged ones are folded", () => {
    const after = lines(1, 20).replace("l10", "new\nnewer");
    expect(shown(changedLines(lines(1, 20), after))).toEqual([
      "… 6",
      "7 l7",
      "8 l8",
      "9 l9",
      "10-l10",
      "10+new",
      "11+newer",
      "12 l11",
      "13 l12",
      "14 l13",
      "… 7",
    ]);
  });

  it("are all there once every fold is open", () => {
    const shownLines = changedLines(lines(1, 50), lines(3, 60));
    const all = shownLines.flatMap((one) => (one.kind === "unshown" ? one.lines : [one]));
    const side = (without: string) => all.filter(({ kind }) => kind !== without).map((one) => one.text);
    expect(side("added").join("\n")).toBe(lines(1, 50));
    expect(side("removed").join("\n")).toBe(lines(3, 60));
  });

  it("are not folded where the fold would hide a single line", () => {
    expect(shown(changedLines("a\nb\nc\nd\ne", "a\nb\nc\nd\nE"))[0]).toBe("1 a");
  });

  it("of a new file are all added", () => {
    expect(shown(changedLines("", "a\nb"))).toEqual(["1+a", "2+b"]);
  });
});
