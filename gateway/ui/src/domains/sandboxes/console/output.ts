// The output of one command as text: bytes by offset in, readable blocks out. No repetition, no unbounded growth.

export type Stream = "stdout" | "stderr";
export type Block =
  | { id: number; kind: "text"; stream: Stream; text: string }
  | { id: number; kind: "gap"; from: number; to: number };

const BLOCK_CHARS = 8_192;
const KEEP_CHARS = 2_000_000;
// Colours and cursor moves mean nothing in a plain log. An unfinished sequence at the end waits for its rest.
const SEQUENCE =
  /\u001b(?:\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()][0-9A-B]|[=>78cDEHMNOZ])/g;
const UNFINISHED = /(?:\u001b(?:\[[0-9;:?<=>]*[ -/]*|\][^\u0007\u001b]{0,4096}|[()])?|\r)$/;

interface Half {
  decoder: TextDecoder;
  held: string;
}

const half = (): Half => ({ decoder: new TextDecoder(), held: "" });

export class OutputLog {
  /** Offset of the next byte that is new. */
  next = 0;
  /** Characters that were let go from the top of the view. */
  dropped = 0;
  private blocks: Block[] = [];
  private chars = 0;
  private ids = 0;
  private halves: Record<Stream, Half> = { stdout: half(), stderr: half() };

  /** What to show. A new list each time, whose finished blocks stay the same objects. */
  snapshot(): Block[] {
    return [...this.blocks];
  }

  /** Takes bytes that start at `offset`; what was seen before is ignored. */
  append(stream: Stream, offset: number, bytes: Uint8Array) {
    const fresh = bytes.subarray(Math.max(0, this.next - offset));
    if (offset > this.next) this.gap(this.next, offset);
    if (fresh.length === 0) return;
    this.next = Math.max(this.next, offset) + fresh.length;
    const part = this.halves[stream];
    this.text(stream, this.clean(part, part.decoder.decode(fresh, { stream: true })));
  }

  /** Bytes that nobody has any more. */
  gap(from: number, to: number) {
    if (to <= this.next) return;
    this.flush();
    this.ids += 1;
    this.blocks.push({ id: this.ids, kind: "gap", from, to });
    this.next = to;
  }

  /** Shows what was waiting for its rest; called when nothing more will come. */
  flush() {
    for (const stream of ["stdout", "stderr"] as const) {
      const part = this.halves[stream];
      const rest = part.held + part.decoder.decode();
      this.halves[stream] = half();
      this.text(stream, rest.replace(/\u001b/g, "").replace(/\r/g, "\n"));
    }
  }

  private clean(part: Half, text: string): string {
    const all = part.held + text;
    part.held = UNFINISHED.exec(all)?.[0] ?? "";
    const whole = all.slice(0, all.length - part.held.length);
    return whole.replace(SEQUENCE, "").replace(/\r\n?/g, "\n");
  }

  private text(stream: Stream, text: string) {
    if (text === "") return;
    const last = this.blocks.at(-1);
    if (last?.kind === "text" && last.stream === stream && last.text.length < BLOCK_CHARS) {
      this.blocks[this.blocks.length - 1] = { ...last, text: last.text + text };
    } else {
      this.ids += 1;
      this.blocks.push({ id: this.ids, kind: "text", stream, text });
    }
    this.chars += text.length;
    while (this.chars > KEEP_CHARS && this.blocks.length > 1) {
      const first = this.blocks.shift();
      const size = first?.kind === "text" ? first.text.length : 0;
      this.chars -= size;
      this.dropped += size;
    }
  }
}
