import { describe, expect, it } from "vitest";
import { linePoints, topOf } from "./scale";

describe("the scale of charts", () => {
  it("ends at a round number that holds every bar", () => {
    expect([0, 1, 3, 7, 10, 18_342, 0.4].map((value) => topOf([value]))).toEqual([
      1, 1, 5, 10, 10, 20_000, 0.5,
    ]);
    expect(topOf([])).toBe(1);
  });

  it("gives a line its highest value at the top", () => {
    expect(linePoints([0, 2, 1])).toBe("0.00,100.00 50.00,0.00 100.00,50.00");
    expect(linePoints([0, 0])).toBe("0.00,100.00 100.00,100.00");
  });
});
