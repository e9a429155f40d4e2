// A line of an agent's history as a sentence. What a node or a person called something stays plain text.
import type { Activity } from "~/api/types";
import { asked, ended } from "~/ui/operation";
import type { Tone } from "~/ui/status";
import { visible } from "~/ui/visible";

export interface Told {
  tone: Tone;
  word: string;
  text: string;
  /** Shown in a fixed-width font: a command. */
  code?: string;
}

const ACTIONS: Record<string, string> = {
  "claw.created": "created this agent",
  "claw.changed": "changed this agent",
  "claw.deleted": "deleted this agent",
  "claw.purge_begun": "deleted this agent and all its data",
  "brain.written": "edited its brain",
  "avatar.uploaded": "uploaded its picture",
  "avatar.removed": "removed its picture",
  "sandbox.provisioned": "created its sandbox",
  "sandbox.moved": "saved and ended its sandbox on a draining machine",
  "sandbox.destroyed": "destroyed its sandbox",
  "template.upgraded": "upgraded its template",
};

const REASONS: Record<string, string> = {
  node_offline: "the chosen machine is offline",
  node_draining: "the chosen machine is draining",
  node_paused: "the chosen machine is paused",
  node_deleted: "the chosen machine was removed",
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * The events that tell a person something. All others (changes of state, pieces of thoughts and of screens) make pages
 * live, and have no line of their own.
 */
const EVENTS: Record<string, (data: Record<string, unknown>) => Told> = {
  "placement.fallback": (data) => ({
    tone: "warning",
    word: "Event",
    text: `The sandbox was created on the gateway's own machine, because ${REASONS[text(data["reason"])] ?? "the chosen machine could not take it"}`,
  }),
  "door.request": (data) => ({
    tone: "waiting",
    word: "Approval",
    text: `Asked for approval: ${visible(text(data["summary"]).slice(0, 200)) || "an action outside"}`,
  }),
};

/** What happened, for people; nothing where a line would say nothing. */
export function told(one: Activity): Told | undefined {
  const data = one.data as Record<string, unknown>;
  if (one.source === "event") return EVENTS[one.what]?.(data);
  if (one.source === "operation") {
    const operation = { ...one, kind: one.what, request: data };
    return { ...ended(operation), ...asked(operation) };
  }
  const who = one.by ? one.by.name || one.by.email : "Somebody";
  return { tone: "idle", word: "Change", text: `${who} ${ACTIONS[one.what] ?? "made a change"}` };
}
