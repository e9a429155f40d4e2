// What a command's output looks like: a terminal that nobody sees interprets colours, carriage returns and cursor moves.
// Its lines become elements, so that they can be selected, found and read aloud. Loaded with the first output.
import { Terminal, type IBufferLine } from "@xterm/xterm";
import { ERROR_COLOUR } from "./output";

/** Characters that look the same. */
export interface Run {
  text: string;
  look: string;
  /** A colour that is no token of the page. */
  colour?: string | undefined;
}

/** Some lines. A finished block never changes. */
export interface Block {
  id: number;
  runs: Run[];
}

const COLS = 200;
const ROWS = 40;
/** Lines that are kept above the ones that can still change. */
const SCROLLBACK = 10_000;
const BLOCK_LINES = 200;
const MOST_BLOCKS = SCROLLBACK / BLOCK_LINES;

// The eight colours of a terminal, as the page has them. Tokens keep their contrast in both themes.
const BASE = [
  "text-fg-3",
  "text-failed",
  "text-done",
  "text-waiting",
  "text-info",
  "",
  "text-accent",
  "text-fg",
] as const;
const MAGENTA = 0xc678dd;

const hex = (rgb: number) => `#${rgb.toString(16).padStart(6, "0")}`;
/** Mixed with the text's own colour: a program does not know which theme the reader has. */
const mixed = (rgb: number) => `color-mix(in srgb, ${hex(rgb)} 60%, var(--fg))`;

const LEVELS = [0, 95, 135, 175, 215, 255];
/** A colour of the palette of 256, from the sixteenth on. */
function ofPalette(index: number): number {
  if (index >= 232) return (8 + (index - 232) * 10) * 0x010101;
  const at = index - 16;
  const level = (n: number) => LEVELS[n % 6] ?? 0;
  return (level(Math.floor(at / 36)) << 16) | (level(Math.floor(at / 6)) << 8) | level(at);
}

type Cell = NonNullable<ReturnType<IBufferLine["getCell"]>>;

function lookOf(cell: Cell): Omit<Run, "text"> {
  const words: string[] = [];
  let colour: string | undefined;
  if (cell.isFgPalette()) {
    const index = cell.getFgColor();
    if (index >= 16) colour = mixed(ofPalette(index));
    else if (index % 8 === 5) colour = mixed(MAGENTA);
    else words.push(BASE[index % 8] ?? "");
  } else if (cell.isFgRGB()) {
    if (cell.getFgColor() === ERROR_COLOUR) words.push("text-waiting");
    else colour = mixed(cell.getFgColor());
  }
  if (cell.isBold()) words.push("font-[650]");
  if (cell.isDim()) words.push("text-fg-3");
  if (cell.isItalic()) words.push("italic");
  if (cell.isUnderline()) words.push("underline");
  if (cell.isStrikethrough()) words.push("line-through");
  if (cell.isInverse()) words.push("bg-line-strong/40");
  else if (!cell.isBgDefault()) words.push("bg-line");
  return { look: words.join(" "), colour };
}

export class Screen {
  /** Lines that are not shown any more. */
  dropped = 0;
  private readonly term = new Terminal({
    cols: COLS,
    rows: ROWS,
    scrollback: SCROLLBACK,
    convertEol: true,
    allowProposedApi: false,
  });
  private done: Block[] = [];
  private lines = 0;
  private ids = 0;
  /** How many lines the terminal has let go. */
  private trimmed = 0;
  private read = 0;
  private mark: { line: number; at: number; marker: ReturnType<Terminal["registerMarker"]> } | undefined;

  /** `changed` is called when a snapshot would show more. */
  write(text: string, changed: () => void) {
    this.term.write(text, changed);
  }

  /** What to show. Finished blocks stay the same objects. */
  snapshot(): Block[] {
    const buffer = this.term.buffer.active;
    this.follow();
    const fixed = this.trimmed + buffer.baseY;
    this.read = Math.max(this.read, this.trimmed);
    for (; this.read < fixed; this.read += 1) this.finish(this.runsAt(this.read - this.trimmed));
    const tail: Run[] = [];
    let last = buffer.cursorY;
    while (last < ROWS - 1 && !this.isEmpty(buffer.baseY + last + 1)) last += 1;
    for (let row = 0; row <= last; row += 1) join(tail, this.runsAt(buffer.baseY + row));
    return [...this.done, { id: -1, runs: tail }];
  }

  /** All that is shown, as plain text. */
  text(): string {
    return this.snapshot()
      .flatMap(({ runs }) => runs.map(({ text }) => text))
      .join("")
      .trimEnd();
  }

  dispose() {
    this.term.dispose();
  }

  /** The terminal lets old lines go; a mark at the cursor moves with them and so counts them. */
  private follow() {
    const { mark } = this;
    if (mark?.marker) this.trimmed += mark.at - Math.max(0, mark.marker.line);
    mark?.marker?.dispose();
    const marker = this.term.registerMarker(0);
    this.mark = { line: marker.line, at: marker.line, marker };
  }

  private isEmpty(y: number): boolean {
    return (this.term.buffer.active.getLine(y)?.translateToString(true) ?? "") === "";
  }

  private finish(runs: Run[]) {
    const last = this.done.at(-1);
    if (last && this.lines % BLOCK_LINES !== 0) {
      const grown = [...last.runs];
      join(grown, runs);
      this.done[this.done.length - 1] = { id: last.id, runs: grown };
    } else {
      this.ids += 1;
      this.done.push({ id: this.ids, runs });
    }
    this.lines += 1;
    if (this.done.length > MOST_BLOCKS) {
      this.done.shift();
      this.dropped += BLOCK_LINES;
    }
  }

  /** A line with its line end in front, unless it continues the line above. */
  private runsAt(y: number): Run[] {
    const buffer = this.term.buffer.active;
    const line = buffer.getLine(y);
    if (!line) return [];
    const runs: Run[] = [];
    const isFirst = y + this.trimmed === 0;
    if (!line.isWrapped && !isFirst) runs.push({ text: "\n", look: "" });
    const goesOn = buffer.getLine(y + 1)?.isWrapped ?? false;
    const { length } = goesOn ? line.translateToString() : line.translateToString(true);
    let cell: Cell | undefined;
    // A wide character takes two cells, and some are two units of a string.
    for (let x = 0, taken = 0; x < COLS && taken < length; x += 1) {
      cell = line.getCell(x, cell);
      if (!cell || cell.getWidth() === 0) continue;
      const text = cell.getChars() || " ";
      taken += text.length;
      join(runs, [{ text, ...lookOf(cell) }]);
    }
    return runs;
  }
}

/** Adds runs; neighbours of one look become one. */
function join(all: Run[], more: Run[]) {
  for (const run of more) {
    const last = all.at(-1);
    // A line end has no look of its own.
    const same = last && (run.text === "\n" || (last.look === run.look && last.colour === run.colour));
    if (same) all[all.length - 1] = { ...last, text: last.text + run.text };
    else all.push(run);
  }
}
