// What was asked of a sandbox or a machine, and how it ended, for people. Protocol names and Roost's own programs are
// never shown.
import type { CommandFacts } from "~/api/types";
import type { Tone } from "./status";
import { visible } from "./visible";

interface Operated extends CommandFacts {
  kind: string;
  state?: string | null;
  detail?: string | null;
  /** The request as the gateway keeps it. */
  request: Record<string, unknown>;
}

const EXEC = "sb_exec";

const KINDS: Record<string, string> = {
  sb_provision: "Create sandbox",
  sb_destroy: "Destroy sandbox",
  sb_health: "Check sandbox",
  sb_list: "List sandboxes",
  sb_flush: "Store files",
  verify: "Verify machine",
};

const TOOLS: Record<string, string> = {
  shell: "Agent: run command",
  read_file: "Agent: read file",
  write_file: "Agent: write file",
  list_files: "Agent: list files",
  status: "Agent: show repository status",
  diff: "Agent: show changes",
  commit: "Agent: commit changes",
  log: "Agent: show commit history",
  pane: "Roost: open terminal",
  probe: "Roost: check hardening",
};

const STATES: Record<string, { tone: Tone; word: string }> = {
  pending: { tone: "waiting", word: "Waiting" },
  running: { tone: "running", word: "Running" },
  done: { tone: "done", word: "Done" },
  failed: { tone: "failed", word: "Failed" },
  cancelled: { tone: "paused", word: "Cancelled" },
  lost: { tone: "failed", word: "Lost" },
};

/** The gateway has no code for this: the sentence is what it says. */
const TIMED_OUT = /\bdeadline\b.*\bpassed\b/i;

/** How it ended. An operation is done when the machine has answered; only the exit code tells how the command went. */
export function ended(one: Pick<Operated, "kind" | "state" | "detail" | "exit_code">) {
  const { kind, state, detail, exit_code: code } = one;
  if (state === "done" && kind === EXEC) {
    if (code === undefined || code === null) return { tone: "idle" as Tone, word: "Ended" };
    if (code !== 0) return { tone: "failed" as Tone, word: `Exit ${code}` };
  }
  if (state === "failed" && TIMED_OUT.test(detail ?? ""))
    return { tone: "failed" as Tone, word: "Timed out" };
  return STATES[state ?? ""] ?? { tone: "idle" as Tone, word: "Unknown" };
}

const quoted = (part: string) => (/^[\w@%+=:,./-]+$/.test(part) ? part : JSON.stringify(part));

/** Roost runs its tools with a program of its own in front. Where the gateway does not say which tool it was, nothing is shown. */
const isOwn = ([program = "", flag = "", line = ""]: string[]) =>
  program.startsWith("/usr/local/lib/roost/") || flag === "-I" || line.startsWith("command -v python3");

/** The command as a person would type it, where only the words that were run are known. */
function typed(argv: unknown): string | undefined {
  if (!Array.isArray(argv)) return undefined;
  const words = argv.map(String);
  if (words.length === 0 || isOwn(words)) return undefined;
  const [program = "", flag, line] = words;
  // The console gives a line to a shell; the line is what somebody typed.
  if (words.length === 3 && flag === "-c" && /(^|\/)\w*sh$/.test(program)) return line;
  return words.map(quoted).join(" ");
}

/** What was asked, and the command, shown in a fixed-width font. */
export function asked(one: Operated): { text: string; code?: string } {
  const { kind, tool, request } = one;
  if (kind !== EXEC) return { text: KINDS[kind] ?? "Operation" };
  if (!tool && request["tty"]) return { text: "Shell session" };
  const known = one.command ?? (tool ? undefined : typed(request["argv"]));
  // A file tool is told as `read_file src/a.rs`; its name is in the text already.
  const code = tool && known?.startsWith(`${tool} `) ? known.slice(tool.length + 1) : known;
  const own = !known && Array.isArray(request["argv"]);
  const text = tool
    ? (TOOLS[tool] ?? `Agent: ${tool.replaceAll("_", " ")}`)
    : own
      ? "Internal step"
      : "Command";
  return { text, ...(code && code !== tool ? { code: visible(code) } : {}) };
}
