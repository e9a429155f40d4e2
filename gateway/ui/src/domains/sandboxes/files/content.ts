// What the page makes of a file's bytes. Agents wrote them, so nothing is taken from the file's name.

const MIB = 1024 ** 2;

/** The most bytes of a file that the page requests to show it. */
export const MOST_SHOWN = 8 * MIB;

/** The most bytes of a text that the page shows or compares. */
export const MOST_TEXT = MIB / 2;

/** A longer line goes on in a further row, so that no row is too wide to draw. */
const LONGEST_ROW = 2000;

export type Content =
  | { kind: "empty" }
  | { kind: "text"; text: string }
  | { kind: "image"; type: string }
  | { kind: "binary" }
  | { kind: "large" };

const IMAGES: [type: string, at: number, begin: string][] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
  ["image/avif", 4, "ftypavif"],
];

function imageType(bytes: Uint8Array): string | undefined {
  const begins = (at: number, text: string) =>
    [...text].every((letter, index) => bytes[at + index] === letter.charCodeAt(0));
  return IMAGES.find(([, at, begin]) => begins(at, begin))?.[0];
}

/** Text is valid UTF-8 without a zero byte. An SVG is text: its source can be read, and it runs nothing. */
export function contentOf(bytes: Uint8Array | null): Content {
  if (bytes === null) return { kind: "large" };
  if (bytes.length === 0) return { kind: "empty" };
  const type = imageType(bytes);
  if (type) return { kind: "image", type };
  if (bytes.includes(0)) return { kind: "binary" };
  if (bytes.length > MOST_TEXT) return { kind: "large" };
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { kind: "binary" };
  }
}

export interface TextRow {
  /** The line's number, on its first row only. */
  line?: number;
  text: string;
}

/** A text as rows to draw. The newline at its end begins no further line. */
export function textRows(text: string): TextRow[] {
  const lines = text.split(/\r?\n/);
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines.flatMap((line, index) => {
    const rows: TextRow[] = [{ line: index + 1, text: line.slice(0, LONGEST_ROW) }];
    for (let at = LONGEST_ROW; at < line.length; at += LONGEST_ROW)
      rows.push({ text: line.slice(at, at + LONGEST_ROW) });
    return rows;
  });
}
