// A line of an agent's history as a sentence. What a node or a person called something stays plain text.
import type { Activity } from "~/api/types";
import type { Tone } from "~/ui/status";

interface Told {
  tone: Tone;
  word: string;
  text: string;
  /** Shown in a fixed-width font: a command. */
  code?: string;
}

const OPERATIONS: Record<string, string> = {
  sb_provision: "Sandbox made",
  sb_exec: "Command",
  sb_destroy: "Sandbox destroyed",
  sb_health: "Sandbox looked at",
  sb_list: "Sandboxes counted",
  verify: "Machine measured",
};

const STATES: Record<string, { tone: Tone; word: string }> = {
  pending: { tone: "waiting", word: "Waiting" },
  running: { tone: "running", word: "Running" },
  done: { tone: "done", word: "Done" },
  failed: { tone: "failed", word: "Failed" },
  cancelled: { tone: "paused", word: "Cancelled" },
  lost: { tone: "failed", word: "Lost" },
};

const ACTIONS: Record<string, string> = {
  "claw.created": "created it",
  "claw.changed": "changed it",
  "claw.deleted": "deleted it",
  "claw.purge_begun": "had everything of it destroyed for good",
  "brain.written": "wrote its brain",
  "avatar.uploaded": "gave it a picture",
  "avatar.removed": "took its picture away",
  "sandbox.provisioned": "had its sandbox made",
  "sandbox.destroyed": "had its sandbox destroyed",
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The command of an operation as somebody would type it. */
export function command(data: Record<string, unknown>): string | undefined {
  const argv = data["argv"];
  if (!Array.isArray(argv)) return undefined;
  return argv
    .map((part) => (/^[\w@%+=:,./-]+$/.test(String(part)) ? String(part) : JSON.stringify(part)))
    .join(" ");
}

function operation(one: Activity, data: Record<string, unknown>): Told {
  const state = STATES[one.state ?? ""] ?? { tone: "idle", word: one.state ?? "" };
  const code = command(data);
  return { ...state, text: OPERATIONS[one.what] ?? one.what, ...(code ? { code } : {}) };
}

function event(one: Activity, data: Record<string, unknown>): Told {
  if (one.what === "agent.status")
    return { tone: "idle", word: "Event", text: `Its state became ${text(data["status"]) || "unknown"}` };
  if (one.what === "placement.fallback")
    return {
      tone: "warning",
      word: "Event",
      text: `Its sandbox was made on the gateway's own machine: ${text(data["reason"]).replaceAll("_", " ")}`,
    };
  return { tone: "idle", word: "Event", text: one.what };
}

/** What happened, for people. */
export function told(one: Activity): Told {
  const data = one.data as Record<string, unknown>;
  if (one.source === "operation") return operation(one, data);
  if (one.source === "event") return event(one, data);
  const who = one.by ? one.by.name || one.by.email : "Somebody";
  return { tone: "idle", word: "Change", text: `${who} ${ACTIONS[one.what] ?? one.what}` };
}
