// What an agent thought, said and did, in one row: what the gateway has kept, and after it what is just being said.
import type { RunCall } from "~/api/runs";
import { spoken, targetOf } from "./words";

/** A turn of a model as it was heard. */
export interface LiveTurn {
  think: string;
  say: string;
  tool: string;
}

export interface Turn {
  kind: "turn";
  id: string;
  model?: string;
  think: string;
  say: string;
  /** A call that is being written. */
  writing: string;
  demonstration: boolean;
  ms?: number;
  tokens?: number;
  cost?: number;
  failed: boolean;
  live: boolean;
}

export interface ToolUse {
  kind: "tool";
  id: string;
  name: string;
  target: string;
  input: unknown;
  text: string;
  exit: number | undefined;
  ms: number;
  failed: boolean;
}

/** What a person said to the run, before the next turn of the agent. */
export interface Heard {
  kind: "heard";
  id: string;
  by: string;
  text: string;
}

export type Entry = Turn | ToolUse | Heard;

const words = (value: unknown) => (typeof value === "string" ? value : "");
/** What was kept does not change, and each piece that is heard is compared with it. */
const flattened = new WeakMap<RunCall, string>();
const flat = (text: string) => spoken(text).text.replace(/\s+/g, " ").trim();

/** What the entry of a call is called. Those of one step begin with the name of the step and a dot. */
export const entryId = ({ step, lap, shard, index }: RunCall): string => `${step}#${lap}.${shard}/${index}`;

function kept(call: RunCall, heard: LiveTurn | undefined): Entry {
  const { content } = call;
  const id = entryId(call);
  const ms = Math.max(0, Date.parse(call.ended_at) - Date.parse(call.started_at));
  const text = words(content["text"]);
  if (call.kind === "note" && content["message"]) return { kind: "heard", id, by: call.name, text };
  if (call.kind === "note")
    return {
      kind: "turn",
      id,
      model: call.name,
      think: "",
      say: `Older turns were summarised to fit the model's window.\n\n${text}`,
      writing: "",
      demonstration: false,
      ms,
      tokens: call.tokens_in + call.tokens_out,
      cost: call.cost_microusd,
      failed: false,
      live: false,
    };
  if (call.kind === "check") {
    const command = words(content["command"]);
    const exit = content["exit_code"];
    return {
      kind: "tool",
      id,
      name: "check",
      target: targetOf("shell", { command }),
      input: { command },
      text,
      exit: typeof exit === "number" ? exit : undefined,
      ms,
      failed: call.failed,
    };
  }
  if (call.kind === "command") {
    const exit = content["exit_code"];
    return {
      kind: "tool",
      id,
      name: "command",
      target: words(content["what"]),
      input: {},
      text,
      exit: typeof exit === "number" ? exit : undefined,
      ms,
      failed: call.failed,
    };
  }
  if (call.kind !== "model") {
    const exit = content["exit_code"];
    const code = typeof exit === "number" ? exit : undefined;
    return {
      kind: "tool",
      id,
      name: call.name,
      target: targetOf(call.name, content["arguments"]),
      input: content["arguments"],
      text,
      exit: code,
      ms,
      failed: call.failed || content["is_error"] === true,
    };
  }
  const said = spoken(text);
  return {
    kind: "turn",
    id,
    model: call.name,
    // Journals of older runs have no thoughts; then what was heard is all there is.
    think: words(content["thought"]) || (heard?.think ?? ""),
    say: said.text,
    writing: "",
    demonstration: said.demonstration,
    ms,
    tokens: call.tokens_in + call.tokens_out,
    cost: call.cost_microusd,
    failed: call.failed,
    live: false,
  };
}

/** Whether what was heard is what was kept; somebody may have begun to listen in the middle of it. */
const same = (heard: LiveTurn, call: RunCall) => {
  const all = flattened.get(call) ?? flat(words(call.content["text"]));
  flattened.set(call, all);
  const now = flat(heard.say);
  return now === "" ? all === "" : all.includes(now);
};

/** Everything of one agent, oldest first. `busy`: its step is at work, so what was heard last may not be kept yet. */
export function transcriptOf(calls: readonly RunCall[], heard: readonly LiveTurn[], busy: boolean): Entry[] {
  const of = new Map<RunCall, LiveTurn>();
  const turns = calls.filter((call) => call.kind === "model");
  let from = 0;
  let unkept = 0;
  for (const [at, one] of heard.entries()) {
    const found = turns.findIndex((call, index) => index >= from && same(one, call));
    const call = turns[found];
    if (!call) continue;
    of.set(call, one);
    from = found + 1;
    unkept = at + 1;
  }
  const entries = calls.map((call) => kept(call, of.get(call)));
  if (!busy) return entries;
  for (const [at, one] of heard.slice(unkept).entries()) {
    const said = spoken(one.say);
    entries.push({
      kind: "turn",
      id: `live-${unkept + at}`,
      think: one.think,
      say: said.text,
      writing: one.tool,
      demonstration: said.demonstration,
      failed: false,
      live: true,
    });
  }
  return entries;
}

export type Channel = "think" | "say" | "tool";
const MOST_CHARS = 40_000;
const MOST_TURNS = 60;

/** A piece more. Thinking after words, or words after a call, begin another turn. */
export function addDelta(
  before: readonly LiveTurn[],
  channel: Channel,
  text: string,
  fresh: boolean,
): LiveTurn[] {
  const last = before.at(-1);
  const begins =
    !last || fresh || (channel === "think" && (last.say || last.tool)) || (channel === "say" && last.tool);
  const base = begins ? { think: "", say: "", tool: "" } : last;
  const next = { ...base, [channel]: (base[channel] + text).slice(-MOST_CHARS) };
  return [...(begins ? before : before.slice(0, -1)), next].slice(-MOST_TURNS);
}

export interface ScreenLine {
  text: string;
  kind: string;
}
export interface Screen {
  app: string;
  url?: string | undefined;
  lines: ScreenLine[];
}
const MOST_LINES = 24;

// Colour alone says nothing: each kind has a sign as well.
const SIGN: Record<string, string> = { add: "+", del: "-", ok: "✓", warn: "!", cursor: "›" };
/** The sign before a line; a line of a diff brings its own. */
export function signOf({ kind, text }: ScreenLine): string {
  const sign = SIGN[kind] ?? "";
  return text.startsWith(sign) ? "" : sign;
}

/** The agent's screen as its last tool left it: for those who came after the live picture. */
export function screenOf(entries: readonly Entry[]): Screen | undefined {
  const last = entries.findLast((entry) => entry.kind === "tool");
  if (!last || last.kind !== "tool") return undefined;
  const head = last.name === "shell" ? `$ ${last.target}` : `# ${last.name} ${last.target}`;
  const body = last.text.trimEnd().split("\n").slice(-MOST_LINES);
  const lines: ScreenLine[] = [{ text: head, kind: "cursor" }];
  for (const text of body) {
    if (/^\[exit code -?\d+\]$/.test(text)) continue;
    const changed = last.exit === undefined ? { "+": "add", "-": "del" }[text.charAt(0)] : undefined;
    lines.push({ text, kind: last.failed ? "warn" : (changed ?? "plain") });
  }
  if (last.exit !== undefined)
    lines.push({ text: `exit ${last.exit}`, kind: last.exit === 0 ? "ok" : "warn" });
  return { app: "terminal", lines };
}
