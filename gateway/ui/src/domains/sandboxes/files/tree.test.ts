// The rows of a tree, its keys, and what the page makes of a file's bytes.
import { describe, expect, it } from "vitest";
import type { FileEntry, FileList } from "~/api/types";
import { contentOf, MOST_TEXT, textRows } from "./content";
import { above, isEntry, move, nameOf, parentOf, treeOf, typed, type Folder, type Row } from "./tree";

const entry = (name: string, kind: FileEntry["kind"] = "file"): FileEntry => ({
  name,
  kind,
  mode: "0644",
  modified_at: "2026-11-25T00:00:00Z",
});

const list = (...entries: FileEntry[]): Folder => ({ list: { entries, more: false } });

const FOLDERS: Record<string, Folder> = {
  "": list(entry("file-10"), entry("file-9"), entry("src", "folder"), entry("none", "folder")),
  src: list(entry("deep", "folder"), entry("main.rs")),
  "src/deep": {},
  none: list(),
};

const rowsOf = (...open: string[]) => treeOf(new Set(open), (path) => FOLDERS[path] ?? {}).rows;
const said = (rows: Row[]) =>
  rows.map((row) => `${row.level} ${isEntry(row) ? row.path : `${row.note} in ${row.path}`}`);

describe("the rows of a tree", () => {
  it("are folders first, then files by name and number", () => {
    expect(said(rowsOf())).toEqual(["1 none", "1 src", "1 file-9", "1 file-10"]);
  });

  it("have those of an open folder below it, and a note where there is nothing to show yet", () => {
    expect(said(rowsOf("src", "src/deep", "none"))).toEqual([
      "1 none",
      "2 empty in none",
      "1 src",
      "2 src/deep",
      "3 loading in src/deep",
      "2 src/main.rs",
      "1 file-9",
      "1 file-10",
    ]);
  });

  it("request only folders that are open and in sight", () => {
    const open = new Set(["src/deep", "gone", "none"]);
    expect(treeOf(open, (path) => FOLDERS[path] ?? {}).reached).toEqual(["", "none"]);
  });

  it("say that a folder has more entries, or that it could not be loaded", () => {
    const many: FileList = { entries: [entry("a")], more: true };
    expect(said(treeOf(new Set(), () => ({ list: many })).rows)).toEqual(["1 a", "1 more in "]);
    expect(said(treeOf(new Set(), () => ({ failed: true })).rows)).toEqual(["1 failed in "]);
  });

  it("are made of ten thousand files, of which each folder is read once", () => {
    const asked: string[] = [];
    const many = list(...Array.from({ length: 5000 }, (_, n) => entry(`f${n}`)));
    const folders: Record<string, Folder> = {
      "": list(entry("a", "folder"), entry("b", "folder")),
      a: many,
      b: many,
    };
    const { rows } = treeOf(new Set(["a", "b"]), (path) => {
      asked.push(path);
      return folders[path] ?? {};
    });
    expect(asked).toEqual(["", "a", "b"]);
    expect(rows).toHaveLength(10_002);
  });
});

describe("the keys of a tree", () => {
  const rows = rowsOf("src");
  const at = (path: string) => rows.findIndex((row) => isEntry(row) && row.path === path);

  it("go up and down and stop at its ends", () => {
    expect(move(rows, 0, "ArrowDown", 5)).toEqual({ to: 1 });
    expect(move(rows, 0, "ArrowUp", 5)).toEqual({ to: 0 });
    expect(move(rows, 1, "PageDown", 50)).toEqual({ to: rows.length - 1 });
  });

  it("open, enter, leave and close a folder", () => {
    expect(move(rows, at("none"), "ArrowRight", 5)).toEqual({ toggle: "none" });
    expect(move(rows, at("src"), "ArrowRight", 5)).toEqual({ to: at("src") + 1 });
    expect(move(rows, at("src/main.rs"), "ArrowLeft", 5)).toEqual({ to: at("src") });
    expect(move(rows, at("src"), "ArrowLeft", 5)).toEqual({ toggle: "src" });
    expect(move(rows, at("file-9"), "ArrowLeft", 5)).toBeUndefined();
  });

  it("choose a row, and find the next name with a letter", () => {
    expect(move(rows, at("file-9"), "Enter", 5)).toEqual({ choose: rows[at("file-9")] });
    expect(typed(rows, at("file-9"), "f")).toBe(at("file-10"));
    expect(typed(rows, at("file-10"), "F")).toBe(at("file-9"));
    expect(typed(rows, 0, "z")).toBeUndefined();
  });
});

describe("a path", () => {
  it("has folders above it and a name", () => {
    expect(above("a/b/c.txt")).toEqual(["a", "a/b"]);
    expect(above("c.txt")).toEqual([]);
    expect([parentOf("a/b/c"), nameOf("a/b/c"), parentOf("c"), nameOf("c")]).toEqual(["a/b", "c", "", "c"]);
  });
});

describe("the content of a file", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  it("is text, a picture, binary, empty or too large, whatever its name says", () => {
    expect(contentOf(bytes("grün\n"))).toEqual({ kind: "text", text: "grün\n" });
    expect(contentOf(Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]))).toEqual({
      kind: "image",
      type: "image/png",
    });
    expect(contentOf(bytes("a\0b")).kind).toBe("binary");
    expect(contentOf(Uint8Array.from([0xc3, 0x28])).kind).toBe("binary");
    expect(contentOf(new Uint8Array()).kind).toBe("empty");
    expect(contentOf(bytes("a".repeat(MOST_TEXT + 1))).kind).toBe("large");
    expect(contentOf(null).kind).toBe("large");
    expect(contentOf(bytes("<svg onload=alert(1)>")).kind).toBe("text");
  });

  it("has numbered lines, and a long line goes on without losing a letter", () => {
    expect(textRows("a\r\n\nb\n")).toEqual([
      { line: 1, text: "a" },
      { line: 2, text: "" },
      { line: 3, text: "b" },
    ]);
    const long = "xy".repeat(2500);
    const rows = textRows(`${long}\nz`);
    expect(rows.map(({ line }) => line)).toEqual([1, undefined, undefined, 2]);
    expect(
      rows
        .slice(0, 3)
        .map(({ text }) => text)
        .join(""),
    ).toBe(long);
  });
});
