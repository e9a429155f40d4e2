// Commands of the mock's sandboxes: a handful of pretended programs over one byte-numbered output.
import type { ServerResponse } from "node:http";
import { newId } from "./ids.ts";
import type { Schemas } from "./schema.ts";

type Events = Schemas["ExecEvents"];
type Exit = Schemas["ExecExit"];

export interface Exec {
  id: string;
  argv: string[];
  /** Whose sandbox it runs in, and its line in the list of commands. */
  owner: string;
  line: Pick<
    Schemas["SandboxCommand"],
    "user" | "agent" | "tool" | "command" | "is_shell" | "created_at" | "run_id" | "step"
  >;
  pieces: { stream: string; offset: number; bytes: Buffer }[];
  end: number;
  exit: Exit | null;
  stdin: number;
  watchers: Set<() => void>;
  connections: Set<ServerResponse>;
  onInput: (bytes: Buffer) => void;
  onEof: () => void;
  timers: NodeJS.Timeout[];
  say: (text: string, stream?: string) => void;
  finish: (state: Exit["state"], code: number | null, more?: Partial<Exit>) => void;
}

type Line = Partial<Exec["line"]>;

export function makeExec(
  owner: string,
  argv: string[],
  tty: Schemas["NewExec"]["tty"],
  line: Line = {},
): Exec {
  const started = Date.now();
  const tell = () => exec.watchers.forEach((watcher) => watcher());
  const exec: Exec = {
    id: newId(),
    argv,
    owner,
    line: {
      command: argv.at(-1) ?? "",
      is_shell: Boolean(tty),
      created_at: new Date(started).toISOString(),
      ...line,
    },
    pieces: [],
    end: 0,
    exit: null,
    stdin: 0,
    watchers: new Set(),
    connections: new Set(),
    onInput: () => {},
    onEof: () => {},
    timers: [],
    say(text, stream = "stdout") {
      const bytes = Buffer.from(text);
      exec.pieces.push({ stream, offset: exec.end, bytes });
      exec.end += bytes.length;
      tell();
    },
    finish(state, code, more = {}) {
      if (exec.exit) return;
      exec.timers.forEach(clearInterval);
      exec.exit = { code, state, truncated: false, duration_ms: Date.now() - started, ...more };
      tell();
    },
  };
  if (tty) runShell(exec);
  else runCommand(exec, argv.at(-1) ?? "");
  return exec;
}

function runCommand(exec: Exec, command: string): void {
  const later = (ms: number, call: () => void) => {
    exec.timers.push(setTimeout(call, ms));
  };
  if (command.startsWith("echo ")) {
    exec.say(`${command.slice(5)}\n`);
    return later(20, () => exec.finish("done", 0));
  }
  if (command === "count") {
    let n = 0;
    exec.timers.push(
      setInterval(() => {
        exec.say(`line ${(n += 1)}\n`, n % 5 === 0 ? "stderr" : "stdout");
        if (n === 30) exec.finish("done", 0);
      }, 60),
    );
    return undefined;
  }
  if (command === "cat") {
    exec.onInput = (bytes) => exec.say(bytes.toString());
    exec.onEof = () => exec.finish("done", 0);
    return undefined;
  }
  if (command === "vanish")
    return later(
      50,
      () => (
        exec.say("half a li"),
        exec.finish("lost", null, { detail: "The machine left and did not bring the result back." })
      ),
    );
  if (command === "sleep 900")
    return later(20, () =>
      exec.finish("failed", null, {
        detail: "the deadline of 600 s passed; the whole process tree was killed",
      }),
    );
  if (command === "sleep 1000") return undefined;
  if (command === "colours") {
    exec.say(
      "\u001b[1;31merror\u001b[0m: \u001b[38;5;208morange\u001b[0m\nDone  10%\rDone  70%\rDone 100%\n",
    );
    exec.say("one\ntwo\n\u001b[1A\u001b[2KTWO\n");
    return later(20, () => exec.finish("done", 0));
  }
  if (command === "cargo test") {
    exec.say("   Compiling roost-protocol v0.1.0\n   Compiling roost-gateway v0.1.0\n", "stderr");
    exec.say(
      "running 3 tests\ntest codec::golden_bytes ... \u001b[32mok\u001b[0m\ntest codec::refuses_a_frame_too_large ... ok\ntest ledger::replays_after_a_cut ... ok\n\ntest result: ok. 3 passed; 0 failed\n",
    );
    return later(40, () => exec.finish("done", 0));
  }
  if (command.startsWith("exit ")) return later(20, () => exec.finish("failed", Number(command.slice(5))));
  exec.say(`sh: 1: ${command}: not found\n`, "stderr");
  return later(20, () => exec.finish("failed", 127));
}

function runShell(exec: Exec): void {
  let line = "";
  exec.say("\u001b[32magent@sandbox\u001b[0m:\u001b[34m~\u001b[0m$ ");
  exec.onInput = (bytes) => {
    for (const char of bytes.toString()) {
      if (char === "\u0004") return exec.finish("done", 0);
      if (char !== "\r") {
        line += char;
        exec.say(char);
        continue;
      }
      exec.say("\r\n");
      if (line === "exit") return exec.finish("done", 0);
      if (line.startsWith("echo ")) exec.say(`${line.slice(5)}\r\n`);
      line = "";
      exec.say("\u001b[32magent@sandbox\u001b[0m:\u001b[34m~\u001b[0m$ ");
    }
  };
}

/** A command as lists show it. */
export function lineOf(exec: Exec, owner: Schemas["CommandOwner"]): Schemas["SandboxCommand"] {
  const { id, line, exit, end } = exec;
  return {
    id,
    owner,
    ...line,
    state: exit?.state ?? "running",
    cancelling: false,
    started_at: line.created_at,
    output_bytes: exit ? end : 0,
    ...(exit
      ? {
          exit_code: exit.code,
          detail: exit.detail,
          duration_ms: exit.duration_ms,
          finished_at: new Date().toISOString(),
        }
      : {}),
  };
}

/** Streams an operation from an offset on; the connection is closed after its exit. */
export function streamExec(exec: Exec, offset: number, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.write(": hello\n\n");
  let next = offset;
  const send = <T extends keyof Events>(event: T, data: Events[T]) =>
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const pump = () => {
    for (const piece of exec.pieces) {
      const skip = next - piece.offset;
      if (skip >= piece.bytes.length) continue;
      const bytes = piece.bytes.subarray(Math.max(0, skip));
      send("output", {
        stream: piece.stream,
        offset: piece.offset + Math.max(0, skip),
        data_base64: bytes.toString("base64"),
      });
      next = piece.offset + piece.bytes.length;
    }
    if (!exec.exit) return;
    exec.watchers.delete(pump);
    send("exit", exec.exit);
    response.end();
  };
  exec.watchers.add(pump);
  response.on("close", () => exec.watchers.delete(pump));
  exec.connections.add(response);
  pump();
}
