// The marks of a history of files.
import { describe, expect, it } from "vitest";
import type { Snapshot } from "~/api/types";
import { beforeOf, firstShown, marksOf, stretch } from "./time-line";

const snapshot = (id: string, taken_at: string, files: number, bytes: number, uploaded = true): Snapshot => ({
  id,
  digest: id,
  files,
  bytes,
  taken_at,
  left_out: [],
  uploaded,
  sandbox_id: "s",
  node_id: "n",
});

const ALL = [
  snapshot("c", "2026-11-25T12:05:00Z", 12, 300, false),
  snapshot("b", "2026-11-25T12:00:00Z", 10, 400),
  snapshot("a", "2026-11-22T12:00:00Z", 11, 400),
];

describe("a history of files", () => {
  it("names each day once, and how each snapshot differs from the one before it", () => {
    const marks = marksOf(ALL);
    expect(marks.map(({ day }) => day !== undefined)).toEqual([true, false, true]);
    expect(marks.map(({ files, bytes }) => [files, bytes])).toEqual([
      [2, -100],
      [-1, 0],
      [undefined, undefined],
    ]);
    expect(marks.map(({ share }) => share)).toEqual([0.75, 1, 1]);
    expect(marks.map(({ gap }) => stretch(gap))).toEqual([0, 3, 0]);
  });

  it("draws a longer time as a longer line", () => {
    expect([60_000, 1_200_000, 7_200_000, 172_800_000].map(stretch)).toEqual([0, 1, 2, 3]);
  });

  it("begins with the newest snapshot that the gateway has", () => {
    expect(firstShown(ALL)?.id).toBe("b");
    expect(firstShown(ALL.slice(0, 1))?.id).toBe("c");
    expect(firstShown([])).toBeUndefined();
  });

  it("compares a snapshot with the one before it that the gateway has", () => {
    expect(beforeOf(ALL, "c")?.id).toBe("b");
    expect(beforeOf(ALL, "a")).toBeUndefined();
    expect(beforeOf(ALL, "gone")).toBeUndefined();
  });
});
