import { describe, expect, it } from "vitest";
import { fitting, linesOf } from "./options";

const options = [
  { value: "a", label: "Ledger", group: "Teams" },
  { value: "b", label: "Mason", group: "Single agents", note: "Builds walls" },
  { value: "c", label: "Ledger keeper", group: "Single agents" },
];

describe("a long choice", () => {
  it("has the options with every word that was typed, in their order", () => {
    expect(fitting(options, "")).toEqual([0, 1, 2]);
    expect(fitting(options, "  ")).toEqual([0, 1, 2]);
    expect(fitting(options, "LEDG")).toEqual([0, 2]);
    expect(fitting(options, "keeper ledger")).toEqual([2]);
    expect(fitting(options, "walls"), "also by the second line").toEqual([1]);
    expect(fitting(options, "nothing")).toEqual([]);
  });
  it("has a heading before the first option of each group that has one", () => {
    expect(linesOf(options, [0, 1, 2])).toEqual([{ group: "Teams" }, 0, { group: "Single agents" }, 1, 2]);
    expect(linesOf(options, [2])).toEqual([{ group: "Single agents" }, 0]);
    expect(linesOf([{ value: "", label: "None" }, ...options], [0, 1])).toEqual([0, { group: "Teams" }, 1]);
  });
});
