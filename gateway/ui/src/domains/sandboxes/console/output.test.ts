import { describe, expect, it } from "vitest";
import { OutputLog } from "./output";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (log: OutputLog) =>
  log
    .snapshot()
    .map((block) => (block.kind === "text" ? block.text : `[${block.from}-${block.to}]`))
    .join("");

describe("output by offset", () => {
  it("takes a repeated and an overlapping piece once", () => {
    const log = new OutputLog();
    log.append("stdout", 0, bytes("hello "));
    log.append("stdout", 0, bytes("hello "));
    log.append("stdout", 3, bytes("lo world"));
    expect(text(log)).toBe("hello world");
    expect(log.next).toBe(11);
  });
  it("says where bytes are missing", () => {
    const log = new OutputLog();
    log.append("stdout", 0, bytes("a"));
    log.append("stdout", 5, bytes("b"));
    log.gap(6, 10);
    log.gap(2, 8);
    expect(text(log)).toBe("a[1-5]b[6-10]");
    expect(log.next).toBe(10);
  });
  it("joins a character that was cut in two", () => {
    const log = new OutputLog();
    const snow = bytes("☃!");
    log.append("stdout", 0, snow.subarray(0, 2));
    log.append("stdout", 2, snow.subarray(2));
    expect(text(log)).toBe("☃!");
  });
  it("shows bytes that are no UTF-8 as replacement characters", () => {
    const log = new OutputLog();
    log.append("stdout", 0, new Uint8Array([0x66, 0xff, 0xfe, 0x6f]));
    log.append("stdout", 4, new Uint8Array([0xe2]));
    log.flush();
    expect(text(log)).toBe("f\ufffd\ufffdo\ufffd");
  });
  it("drops colours, also when the sequence is cut anywhere", () => {
    const raw = "\u001b[32mok\u001b[0m \u001b]0;title\u0007done\r\nnext\rlast\n";
    for (let cut = 0; cut <= raw.length; cut += 1) {
      const log = new OutputLog();
      log.append("stdout", 0, bytes(raw.slice(0, cut)));
      log.append("stdout", cut, bytes(raw.slice(cut)));
      log.flush();
      expect(text(log), `cut at ${cut}`).toBe("ok done\nnext\nlast\n");
    }
  });
  it("keeps the streams apart and finished blocks the same objects", () => {
    const log = new OutputLog();
    log.append("stdout", 0, bytes("out"));
    const before = log.snapshot();
    log.append("stderr", 3, bytes("err"));
    const after = log.snapshot();
    expect(after.map((block) => block.kind === "text" && block.stream)).toEqual(["stdout", "stderr"]);
    expect(after[0]).toBe(before[0]);
  });
  it("lets go of the top when the view grows too long, and counts it", () => {
    const log = new OutputLog();
    const piece = bytes("x".repeat(100_000));
    for (let round = 0; round < 30; round += 1) log.append("stdout", round * piece.length, piece);
    expect(log.dropped).toBe(1_000_000);
    expect(text(log).length).toBe(2_000_000);
    expect(log.next).toBe(3_000_000);
  });
});
