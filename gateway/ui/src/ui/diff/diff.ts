// What changed between two texts, line by line.
import type { PatchKind } from "./patch";

export interface Line {
  kind: "same" | "added" | "removed";
  text: string;
}

/** A line of a diff as it is drawn. */
export interface DiffLine {
  kind: PatchKind;
  text: string;
  /** Its number in the text that has it. */
  line?: number;
}

/** Lines that did not change and are not shown. */
export interface Unshown {
  kind: "unshown";
  lines: DiffLine[];
}

/** Above this many comparisons the middle is shown as taken out and put in whole. */
const MOST = 4_000_000;

/** The longest common subsequence of lines, after what both begin and end with is set aside. */
export function diffLines(before: string, after: string): Line[] {
  const a = before === "" ? [] : before.split("\n");
  const b = after === "" ? [] : after.split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  )
    tail += 1;
  const line = (kind: Line["kind"]) => (text: string) => ({ kind, text });
  return [
    ...a.slice(0, head).map(line("same")),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(line("same")),
  ];
}

function middle(a: string[], b: string[]): Line[] {
  const removed = (text: string): Line => ({ kind: "removed", text });
  const added = (text: string): Line => ({ kind: "added", text });
  if (a.length * b.length > MOST) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push({ kind: "same", text: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(left));
      i += 1;
    } else {
      lines.push(added(right ?? ""));
      j += 1;
    }
  }
  return lines;
}

/** Unchanged lines that stay around a change. */
const AROUND = 3;

/** A fold that would hide fewer lines than its own button takes is not made. */
const LEAST = 2;

const numbered = (lines: readonly Line[]): DiffLine[] => {
  let before = 0;
  let after = 0;
  return lines.map(({ kind, text }) => {
    if (kind !== "added") before += 1;
    if (kind !== "removed") after += 1;
    return { kind, text, line: kind === "removed" ? before : after };
  });
};

/** The lines of two texts as one, where long runs of unchanged lines are folded. */
export function changedLines(before: string, after: string): (DiffLine | Unshown)[] {
  const lines = numbered(diffLines(before, after));
  const near = new Uint8Array(lines.length);
  lines.forEach(({ kind }, index) => {
    if (kind !== "same") near.fill(1, Math.max(0, index - AROUND), index + AROUND + 1);
  });
  const shown: (DiffLine | Unshown)[] = [];
  let run: DiffLine[] = [];
  const end = () => {
    if (run.length < LEAST) shown.push(...run);
    else shown.push({ kind: "unshown", lines: run });
    run = [];
  };
  lines.forEach((line, index) => {
    if (!near[index]) return void run.push(line);
    end();
    shown.push(line);
    return undefined;
  });
  end();
  return shown;
}
