// The parts of a diff as git writes it.
import { describe, expect, it } from "vitest";
import { patchFiles } from "./patch";

const TEXT = `diff --git a/a.txt b/a.txt
index 5626abf..814f4a4 100644
--- a/a.txt
+++ b/a.txt
@@ -1 +1,2 @@
 one
+two
diff --git a/old.bin b/old.bin
deleted file mode 100644
index e69de29..0000000
Binary files a/old.bin and /dev/null differ
diff --git a/b.txt b/b.txt
index 1..2 100644
--- a/b.txt
+++ b/b.txt
@@ -1 +1 @@
--- a title
+++ a title
\\ No newline at end of file
`;

describe("the files of a diff", () => {
  it("have their paths and lines", () => {
    const [first, second] = patchFiles(TEXT);
    expect(first).toStrictEqual({
      path: "a.txt",
      lines: [
        { kind: "place", text: "@@ -1 +1,2 @@" },
        { kind: "same", text: "one" },
        { kind: "added", text: "two" },
      ],
    });
    expect(second?.lines.map(({ kind }) => kind)).toStrictEqual(["note", "note"]);
  });

  it("keep changed lines that look like the head of a file", () => {
    const lines = patchFiles(TEXT)[2]?.lines.slice(1);
    expect(lines).toStrictEqual([
      { kind: "removed", text: "-- a title" },
      { kind: "added", text: "++ a title" },
      { kind: "note", text: "\\ No newline at end of file" },
    ]);
  });

  it("are none in a text that is not a diff", () => {
    expect(patchFiles("+ not a diff\n")).toStrictEqual([]);
    expect(patchFiles("")).toStrictEqual([]);
  });
});
