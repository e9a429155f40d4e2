// The text of a diff, as git writes it, in files and lines. It comes from agents: everything that is not understood stays
// text.

export type PatchKind = "same" | "added" | "removed" | "place" | "note";

export interface PatchLine {
  kind: PatchKind;
  text: string;
}

export interface PatchFile {
  /** The path after the change, or before it where the file was removed. */
  path: string;
  lines: PatchLine[];
}

const HEAD = /^diff --git a\/.* b\/(.*)$/;

/** Lines between the head of a file and its first change that say nothing to people. */
const QUIET = /^(index |--- |\+\+\+ )/;

function lineOf(text: string): PatchLine {
  if (text.startsWith("@@")) return { kind: "place", text };
  if (text.startsWith("+")) return { kind: "added", text: text.slice(1) };
  if (text.startsWith("-")) return { kind: "removed", text: text.slice(1) };
  if (text.startsWith(" ")) return { kind: "same", text: text.slice(1) };
  return { kind: "note", text };
}

/** The files of a diff, in its order. */
export function patchFiles(text: string): PatchFile[] {
  const files: PatchFile[] = [];
  let inside = false;
  for (const line of text.split("\n")) {
    const head = HEAD.exec(line);
    if (head) {
      files.push({ path: head[1] ?? "", lines: [] });
      inside = false;
      continue;
    }
    const file = files.at(-1);
    if (!file || (!inside && QUIET.test(line))) continue;
    inside ||= line.startsWith("@@");
    if (line !== "") file.lines.push(lineOf(line));
  }
  return files;
}

/** How many lines came and went. */
export const countOf = (lines: readonly { kind: string }[]): { added: number; removed: number } => ({
  added: lines.filter(({ kind }) => kind === "added").length,
  removed: lines.filter(({ kind }) => kind === "removed").length,
});
