// The output of one command: bytes by offset in, text for a terminal out. No repetition, and no byte is changed.

export type Stream = "stdout" | "stderr";

const ESC = "\u001b";
/** A colour that no program uses. The screen shows it as that of error output. */
export const ERROR_COLOUR = 0x010203;
const ERROR_ON = `${ESC}[38;2;1;2;3m`;
const DIM_ON = `${ESC}[2m`;
const PLAIN = `${ESC}[39m`;
const DIM_OFF = `${ESC}[22m`;

const sizeOf = (bytes: number) => (bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KiB`);

export class OutputLog {
  /** Offset of the next byte that is new. */
  next = 0;
  /** What the command wrote, as it was, for a download. */
  readonly pieces: Uint8Array<ArrayBuffer>[] = [];
  private decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };

  /** `write` gets the text in the order of the output. */
  constructor(private readonly write: (text: string) => void) {}

  /** Takes bytes that start at `offset`; what was seen before is ignored. */
  append(stream: Stream, offset: number, bytes: Uint8Array) {
    const fresh = bytes.slice(Math.max(0, this.next - offset));
    if (offset > this.next) this.gap(this.next, offset);
    if (fresh.length === 0) return;
    this.next = Math.max(this.next, offset) + fresh.length;
    this.pieces.push(fresh);
    this.text(stream, this.decoders[stream].decode(fresh, { stream: true }));
  }

  /** Bytes that nobody has any more. */
  gap(from: number, to: number) {
    if (to <= this.next) return;
    this.flush();
    const text = `[${sizeOf(to - Math.max(from, this.next))} of output are no longer kept]`;
    this.pieces.push(new TextEncoder().encode(`\n${text}\n`));
    this.write(`\r\n${DIM_ON}${text}${DIM_OFF}\r\n`);
    this.next = to;
  }

  /** Shows half a character at the end; called when nothing more will come. */
  flush() {
    for (const stream of ["stdout", "stderr"] as const) this.text(stream, this.decoders[stream].decode());
  }

  private text(stream: Stream, text: string) {
    if (text === "") return;
    // Error output has its own colour, unless the program chose colours by itself.
    if (stream === "stderr" && !text.includes(ESC)) this.write(`${ERROR_ON}${text}${PLAIN}`);
    else this.write(text);
  }
}
