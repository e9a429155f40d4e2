// What changed between two texts, line by line.

export interface Line {
  kind: "same" | "added" | "removed";
  text: string;
}
export interface Skip {
  kind: "skip";
  count: number;
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

/** Leaves out long runs of what did not change, but for `around` lines beside each change. */
export function folded(lines: Line[], around = 3): (Line | Skip)[] {
  const near = lines.map(() => false);
  lines.forEach((line, index) => {
    if (line.kind === "same") return;
    for (let i = Math.max(0, index - around); i <= Math.min(lines.length - 1, index + around); i += 1)
      near[i] = true;
  });
  const shown: (Line | Skip)[] = [];
  lines.forEach((line, index) => {
    if (near[index]) return shown.push(line);
    const last = shown.at(-1);
    if (last?.kind === "skip") last.count += 1;
    else shown.push({ kind: "skip", count: 1 });
    return undefined;
  });
  return shown;
}
