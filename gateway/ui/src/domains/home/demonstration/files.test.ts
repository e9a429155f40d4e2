import { expect, test } from "vitest";
import { entries } from "./files";

test("the page has every file of the demonstration's repository, and nothing that cargo built", () => {
  const files = entries();
  expect(files.map(({ path }) => path)).toStrictEqual([
    ".gitignore",
    "Cargo.lock",
    "Cargo.toml",
    "README.md",
    "src/format.rs",
    "src/lib.rs",
    "src/parse.rs",
    "tests/durations.rs",
  ]);
  // None of them is empty.
  expect(files.every(({ file }) => file.size > 0)).toBe(true);
});
