// What happened, in words: from each shape that the gateway has for it. Names from outside stay plain text.
import type { Door } from "~/api/doors";
import type { RunSummary } from "~/api/runs";
import type { Owner } from "~/api/sandboxes";
import type { components } from "~/api/schema";
import type { Activity, AuditEntry, Operation } from "~/api/types";
import { byRoost, sentence } from "~/ui/audit-words";
import { asked as askedOutside } from "~/ui/door-words";
import { asked, ended } from "~/ui/operation";
import { isOver, outcomeState, runState, took } from "~/ui/run-state";
import type { Tone } from "~/ui/status";
import { visible } from "~/ui/visible";
import type { Entry, Target, Who } from "./model";

type Command = components["schemas"]["SandboxCommand"];

const EXEC = "sb_exec";

/** What an agent did with a tool, before the path or the command. */
const TOOLS: Record<string, [withCode: string, without: string]> = {
  shell: ["ran", "ran a command"],
  read_file: ["read", "read a file"],
  write_file: ["wrote", "wrote a file"],
  list_files: ["listed the files in", "listed files"],
  status: ["looked at the state of the repository in", "looked at the state of the repository"],
  diff: ["looked at the changes in", "looked at the changes"],
  commit: ["committed", "committed changes"],
  log: ["looked at the commits of", "looked at the commits"],
};
const ROOST_TOOLS: Record<string, string> = {
  pane: "opened a terminal for the agents",
  probe: "checked the hardening",
};

/** What was asked of a machine that is no command. */
const KINDS: Record<string, string> = {
  sb_provision: "created the sandbox",
  sb_destroy: "ended the sandbox",
  sb_health: "checked the sandbox",
  sb_list: "listed the sandboxes",
  sb_flush: "stored the files",
  verify: "verified the machine",
};

const over = (state: string | null | undefined) => state !== "pending" && state !== "running";

interface Operated {
  id: string;
  kind: string;
  state?: Operation["state"] | null;
  detail?: string | null;
  tool?: string | null;
  command?: string | null;
  exit_code?: number | null;
  user?: Command["user"] | undefined;
  agent?: Command["agent"] | undefined;
  run_id?: string | null;
  step?: string | null;
  request: Record<string, unknown>;
}

/** What somebody did in a sandbox, and how it ended. */
function done(one: Operated): Pick<Entry, "before" | "code" | "results" | "detail"> {
  const { kind, tool, detail } = one;
  const { text, code } = asked(one);
  const results = [ended(one)];
  // A sentence of the gateway is shown as it is; the end in a word has the code already.
  const why = detail ? visible(detail) : undefined;
  if (kind !== EXEC) return { before: KINDS[kind] ?? "asked something of the machine", results, detail: why };
  const own = tool ? ROOST_TOOLS[tool] : undefined;
  const [withCode, without] = TOOLS[tool ?? "shell"] ?? [
    `used the tool ${visible(tool ?? "")} with`,
    `used the tool ${visible(tool ?? "")}`,
  ];
  const none =
    text === "Shell session" ? "opened a shell" : text === "Internal step" ? "ran an internal step" : without;
  return { before: own ?? (code ? withCode : none), code: own ? undefined : code, results, detail: why };
}

const person = ({ id, name, email }: { id?: string; name: string; email: string }): Who => ({
  kind: "person",
  id,
  name: visible(name || email),
});

/** Who ran a command, where the gateway knows it. */
const doerOf = ({ user, agent }: Pick<Operated, "user" | "agent">): Who | undefined =>
  user
    ? person(user)
    : agent
      ? { kind: "agent", id: agent.id, name: agent.name ? visible(agent.name) : undefined }
      : undefined;

/** A command of a sandbox: the gateway says who ran it, and for which run. */
export function ofCommand(one: Command): Entry {
  const { owner, run_id: run, step } = one;
  const who: Who = doerOf(one) ?? { kind: "roost" };
  return {
    id: `op:${one.id}`,
    at: one.created_at,
    who,
    ...done({ ...one, kind: EXEC, request: { tty: one.is_shell } }),
    took: one.duration_ms,
    since: over(one.state) ? undefined : (one.started_at ?? one.created_at),
    run: run ?? undefined,
    step: step ? visible(step) : undefined,
    place: owner.id,
    command: one.is_shell ? undefined : { owner, op: one.id, size: one.output_bytes },
  };
}

/** A line of a machine's log or of an agent's history. A command of an older gateway does not say who ran it. */
function ofOperation(
  one: Operated,
  place: string | undefined,
  owner: Owner | undefined,
  at: string,
  took?: number | null,
): Entry {
  const own = asked(one).text === "Internal step" || (one.tool ?? "") in ROOST_TOOLS;
  const somebody: Who = one.tool && place !== undefined ? { kind: "inside", place } : { kind: "somebody" };
  return {
    id: `op:${one.id}`,
    at,
    thin: true,
    who: one.kind !== EXEC || own ? { kind: "roost" } : (doerOf(one) ?? somebody),
    ...done(one),
    took,
    since: over(one.state) ? undefined : at,
    run: one.run_id ?? undefined,
    step: one.step ? visible(one.step) : undefined,
    place,
    command: one.kind === EXEC && !one.request["tty"] ? { owner, op: one.id, size: undefined } : undefined,
  };
}

export function ofMachine(one: Operation): Entry {
  const { request, owner_id: place, created_at: at, duration_ms: took } = one;
  const operation = { ...one, request: request as Record<string, unknown> };
  return ofOperation(operation, place ?? undefined, undefined, at, took);
}

const REASONS: Record<string, string> = {
  node_offline: "the chosen machine is offline",
  node_draining: "the chosen machine is draining",
  node_paused: "the chosen machine is paused",
  node_deleted: "the chosen machine was removed",
};

/** A line of an agent's history; nothing for an event that only keeps pages live. */
export function ofActivity(one: Activity, agent: string): Entry | undefined {
  const data = one.data as Record<string, unknown>;
  if (one.source === "operation") {
    const operation = { ...one, kind: one.what, request: data };
    return ofOperation(operation, agent, { kind: "claw", id: agent }, one.at, one.duration_ms);
  }
  if (one.source === "audit") {
    const { by, id, at, what: action } = one;
    const entry = { id, at, action, by: by ?? null, actor: by?.id ?? "-", details: one.data };
    return ofAudit({ ...entry, entity_kind: "claw", entity_id: agent });
  }
  if (one.what !== "placement.fallback") return undefined;
  const why = REASONS[String(data["reason"])] ?? "the chosen machine could not take it";
  return {
    id: `event:${one.id}`,
    at: one.at,
    who: { kind: "roost" },
    before: `created the sandbox on the gateway's own machine, because ${why}`,
    results: [{ tone: "warning", word: "Elsewhere" }],
  };
}

/** A run, as the person who started it tells it. */
export function ofRun(run: RunSummary): Entry {
  const outcome = outcomeState(run);
  const why =
    run.status === "failed" ? run.error : outcome && run.outcome !== "accepted" ? run.outcome_reason : null;
  return {
    id: `run:${run.id}`,
    at: run.ended_at ?? run.created_at,
    who: run.created_by ? person(run.created_by) : { kind: "roost" },
    before: "started the run",
    worker: run.team_id ?? run.agent_id ?? undefined,
    thing: { text: visible(run.title) || "untitled", to: { to: "/runs/$id", id: run.id } },
    results: [runState(run), ...(outcome ? [outcome] : [])],
    detail: why ? visible(why) : undefined,
    took: isOver(run.status) ? took(run.started_at, run.ended_at, 0) : undefined,
    since: isOver(run.status) ? undefined : (run.started_at ?? undefined),
    cost: run.cost_microusd,
    run: run.id,
    isRun: true,
  };
}

const DOORS: Record<Door["state"], { tone: Tone; word: string }> = {
  pending: { tone: "waiting", word: "Waiting" },
  approved: { tone: "moving", word: "Approved" },
  performing: { tone: "moving", word: "Approved" },
  performed: { tone: "done", word: "Done" },
  denied: { tone: "offline", word: "Denied" },
  expired: { tone: "offline", word: "Expired" },
  failed: { tone: "failed", word: "Failed" },
  unclear: { tone: "warning", word: "Unclear" },
};

/** What an agent asked to do outside, and what became of it. */
export function ofDoor(door: Door): Entry {
  const { decided_by: by, state } = door;
  const verb = state === "denied" ? "denied it" : "allowed it";
  const decided = by
    ? `${visible(by.name || by.email)} ${verb}.`
    : door.allowed_by_setting
      ? "A setting allowed it."
      : "";
  const message = door.result?.message ? visible(door.result.message) : "";
  return {
    id: `door:${door.id}`,
    at: door.created_at,
    who: { kind: "agent", id: door.agent_id, name: visible(door.agent_name) },
    before: "asked to",
    thing: { text: askedOutside(door.action, door.target) },
    results: [DOORS[state] ?? { tone: "idle", word: state }],
    detail: [decided, message].filter(Boolean).join(" ") || undefined,
    run: door.run_id ?? undefined,
    step: door.step ? visible(door.step) : undefined,
  };
}

const PAGES: Record<string, Target["to"]> = {
  claw: "/claws/$id",
  team: "/teams/$id",
  node: "/fleet/$id",
  run: "/runs/$id",
};

/** A change that is in the audit log. */
export function ofAudit(entry: AuditEntry): Entry {
  const { action, entity_kind: kind, entity_id: id, by, at } = entry;
  const [before, name, after] = sentence(entry);
  const gone = /\.(deleted|purge_begun)$/.test(action);
  const to = PAGES[kind];
  return {
    id: `audit:${entry.id}`,
    at,
    who: byRoost(entry) ? { kind: "roost" } : by ? person(by) : { kind: "person", name: "Somebody" },
    before: before.trim(),
    thing: name === undefined ? undefined : { text: name, to: to && !gone ? { to, id } : undefined },
    after: after.trim(),
    results: [
      action.endsWith(".failed") ? { tone: "failed", word: "Failed" } : { tone: "idle", word: "Change" },
    ],
    run: kind === "run" && action.startsWith("run.") ? id : undefined,
  };
}
