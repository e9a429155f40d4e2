import { describe, expect, it } from "vitest";
import { asked, ended } from "./operation";

const exec = (more = {}) => ({ kind: "sb_exec", state: "done", request: {}, ...more });
const argv = (...words: string[]) => exec({ request: { argv: words } });

describe("how an operation ended", () => {
  it("is done only when the command's exit code is 0", () => {
    expect(ended(exec({ exit_code: 0 }))).toEqual({ tone: "done", word: "Done" });
    for (const exit_code of [1, 2, 3, 7, 137, -1])
      expect(ended(exec({ exit_code }))).toEqual({ tone: "failed", word: `Exit ${exit_code}` });
  });

  it("claims no success where the exit code is not known", () => {
    expect(ended(exec())).toEqual({ tone: "idle", word: "Ended" });
    expect(ended(exec({ exit_code: null }))).toEqual({ tone: "idle", word: "Ended" });
    expect(ended({ kind: "sb_provision", state: "done" })).toEqual({ tone: "done", word: "Done" });
  });

  it("tells a deadline, a cancel and a loss apart", () => {
    const word = (state: string, detail?: string) => ended(exec({ state, detail })).word;
    expect(word("failed", "the deadline of 600 s passed; the whole process tree was killed")).toBe(
      "Timed out",
    );
    expect(word("failed", "not found: /bin/bash")).toBe("Failed");
    expect([word("cancelled"), word("lost"), word("running")]).toEqual(["Cancelled", "Lost", "Running"]);
    expect(word("of a newer gateway")).toBe("Unknown");
  });
});

describe("what was asked", () => {
  it("is a person's line, without the shell that ran it", () => {
    expect(asked(argv("/bin/sh", "-c", "ls /nope; exit 3"))).toEqual({
      text: "Command",
      code: "ls /nope; exit 3",
    });
    expect(asked(argv("cargo", "test", "two words")).code).toBe('cargo test "two words"');
    expect(asked(exec({ request: { argv: ["/bin/sh"], tty: { rows: 24, cols: 80 } } }))).toEqual({
      text: "Shell session",
    });
  });

  it("is the agent's own command, never a program of Roost's", () => {
    expect(asked(exec({ tool: "shell", command: "cargo test" }))).toEqual({
      text: "Agent: run command",
      code: "cargo test",
    });
    expect(asked(exec({ tool: "read_file", command: "read_file src/a.rs" }))).toEqual({
      text: "Agent: read file",
      code: "src/a.rs",
    });
    expect(asked(exec({ tool: "new_thing", command: "new_thing" }))).toEqual({ text: "Agent: new thing" });
    for (const own of [
      argv("python3", "-I", "-S", "-c", "import base64", "e30="),
      argv("/bin/sh", "-c", "command -v python3 >/dev/null 2>&1 && exec python3", "sh", "import os", "make"),
      argv("/usr/local/lib/roost/escape-probe", "--quick"),
    ])
      expect(asked(own)).toEqual({ text: "Internal step" });
  });

  it("shows what cannot be seen", () => {
    expect(asked(exec({ command: "rm \u202Egpj" })).code).not.toContain("\u202E");
  });
});
