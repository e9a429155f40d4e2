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
