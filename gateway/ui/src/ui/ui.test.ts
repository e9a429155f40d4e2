import { describe, expect, it } from "vitest";
import { bytes, number, percent, share } from "./bytes";
import { factText } from "./hardening";
import { holdOrder } from "./row-order";
import { duration, span } from "./time";

describe("numbers", () => {
  it("shows the unknown as a dash, and zero as zero", () => {
    expect([bytes(null), percent(undefined), number(NaN), duration(null)]).toEqual(["–", "–", "–", "–"]);
    expect([bytes(0), percent(0), number(0)]).toEqual(["0 B", "0 %", "0"]);
    expect(share(1, undefined)).toBeUndefined();
    expect(share(null, 4)).toBeUndefined();
    expect(share(0, 4)).toBe(0);
  });
  it("chooses a unit", () => {
    expect(bytes(1536)).toBe("1.5 KiB");
    expect(bytes(512 * 1024 ** 2)).toBe("512 MiB");
    expect([percent(4.04), percent(99.6)]).toEqual(["4.0 %", "100 %"]);
  });
  it("says spans in one or two units", () => {
    expect([span(900), span(61_000), span(3_700_000), span(90_000_000)]).toEqual([
      "0 s",
      "1 min 1 s",
      "1 h 1 min",
      "1 d 1 h",
    ]);
    expect([duration(41), duration(1840)]).toEqual(["41 ms", "1.8 s"]);
  });
  it("shows values of a report without guessing", () => {
    expect([factText(null), factText(""), factText(0), factText(["lo"])]).toEqual([
      "not reported",
      "empty",
      "0",
      '["lo"]',
    ]);
  });
});

describe("held rows", () => {
  const row = (id: string, value = 0) => ({ id, value });
  it("keeps the order, renews values, marks the gone, counts the new", () => {
    const shown = [row("b"), row("a")].map((item) => ({ item, gone: false }));
    const { rows, waiting } = holdOrder(shown, [row("a", 7), row("c")]);
    expect(rows.map(({ item, gone }) => [item.id, item.value, gone])).toEqual([
      ["b", 0, true],
      ["a", 7, false],
    ]);
    expect(waiting).toBe(1);
  });
});
