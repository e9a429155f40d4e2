import { expect, test } from "vitest";
import { apart } from "./apart";

const A = "018f0000-0000-7000-8000-00000000aaaa";
const B = "018f0000-0000-7000-8000-00000000bbbb";
const C = "018f0000-0000-7000-8000-00000000cccc";

test("only names that repeat get the end of their id", () => {
  const names = apart([
    [A, "Twin"],
    [B, "Ledger"],
    [C, "Twin"],
  ]);
  expect([...names]).toStrictEqual([
    [A, "Twin (0000aaaa)"],
    [B, "Ledger"],
    [C, "Twin (0000cccc)"],
  ]);
});

test("names that only look alike get the end of their id", () => {
  const looks = (...pair: [string, string]) =>
    apart([
      [A, pair[0]],
      [B, pair[1]],
    ]).get(B);
  expect(looks("mason", "m\u0430son")).toBe("m\u0430son (0000bbbb)");
  expect(looks("Ο1", "O1")).toBe("O1 (0000bbbb)");
  expect(looks("ｍason", "mason")).toBe("mason (0000bbbb)");
  expect(looks("bill", "bi|I")).toBe("bi|I (0000bbbb)");
  expect(looks("mason", "masons")).toBe("masons");
  expect(looks("agent-1", "agent-2")).toBe("agent-2");
});
