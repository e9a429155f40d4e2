import { describe, expect, it } from "vitest";
import { OutputLog } from "./output";

const bytes = (text: string) => new TextEncoder().encode(text);

function log() {
  const said: string[] = [];
  const log = new OutputLog((text) => said.push(text));
  // Without the colour of error output.
  const text = () => said.join("").replaceAll("\u001b[38;2;1;2;3m", "<").replaceAll("\u001b[39m", ">");
  return { log, text };
}

describe("output by offset", () => {
  it("takes a repeated and an overlapping piece once", () => {
    const { log: one, text } = log();
    one.append("stdout", 0, bytes("hello "));
    one.append("stdout", 0, bytes("hello "));
    one.append("stdout", 3, bytes("lo world"));
    expect(text()).toBe("hello world");
    expect(one.next).toBe(11);
  });

  it("marks where bytes are missing", () => {
    const { log: one, text } = log();
    one.append("stdout", 0, bytes("a"));
    one.gap(1, 3);
    one.gap(1, 3);
    one.append("stdout", 3, bytes("b"));
    expect(text()).toMatch(/^a[^[]+\[2m\[2 bytes of output are no longer kept\].*\nb$/s);
  });

  it("keeps a character that two pieces share, in each stream", () => {
    const { log: one, text } = log();
    const euro = bytes("€");
    one.append("stdout", 0, euro.slice(0, 2));
    one.append("stderr", 2, bytes("!"));
    one.append("stdout", 3, euro.slice(2));
    expect(text()).toBe("<!>€");
  });

  it("leaves colours, carriage returns and the bytes as they are", () => {
    const { log: one, text } = log();
    const line = "\u001b[31mred\u001b[0m 10%\r20%";
    one.append("stderr", 0, bytes(line));
    expect(text()).toBe(line);
    expect(new TextDecoder().decode(one.pieces[0])).toBe(line);
  });
});
