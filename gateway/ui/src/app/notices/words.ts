import type { Notice, NoticeKind } from "./model";
import type { Tone } from "~/ui/status";

/** The page of what a notification is about. */
export const TARGET = {
  node: "/fleet/$id",
  agent: "/claws/$id",
  team: "/teams/$id",
  door: "/approvals/$id",
  run: "/runs/$id",
  mission: "/missions/$id",
} as const;

const REASON: Record<string, string> = {
  node_offline: "it is offline",
  node_draining: "it is draining",
  node_paused: "its owner paused it",
  node_deleted: "it was removed",
};

/** The words around the name, and the state's mark. */
const SAID: Record<NoticeKind, { tone: Tone; before: string; after: (more: string) => string }> = {
  "node-offline": {
    tone: "offline",
    before: "",
    after: () => " went offline. Its sandboxes stay as they are.",
  },
  "node-back": { tone: "running", before: "", after: () => " is back." },
  "sandbox-lost": { tone: "failed", before: "The sandbox of ", after: (at) => ` was lost on ${at}.` },
  "sandbox-failed": { tone: "failed", before: "The sandbox of ", after: (at) => ` failed on ${at}.` },
  "placement-fallback": {
    tone: "warning",
    before: "The sandbox of ",
    after: (why) => ` was not made where you wanted it: ${REASON[why] ?? "that machine could not take it"}.`,
  },
  "door-asked": { tone: "waiting", before: "", after: (what) => ` asks for your approval to ${what}.` },
  "run-done": {
    tone: "done",
    before: "",
    after: (outcome) => (outcome ? ` has ended. The work is ${outcome}.` : " has ended."),
  },
  "run-failed": { tone: "failed", before: "", after: (why) => (why ? ` failed: ${why}` : " failed.") },
  "run-rejected": {
    tone: "failed",
    before: "",
    after: (why) => (why ? ` was rejected: ${why}` : " was rejected."),
  },
  "run-waits": { tone: "waiting", before: "", after: (what) => ` waits: ${what}` },
  "mission-done": { tone: "done", before: "The mission ", after: () => " is completed." },
  "mission-failed": {
    tone: "failed",
    before: "The mission ",
    after: (why) => (why ? ` failed: ${why}` : " failed."),
  },
  "mission-stuck": {
    tone: "waiting",
    before: "The mission ",
    after: (why) => ` is paused and waits for you: ${why}`,
  },
  "quota-refused": { tone: "warning", before: "Refused, the plan is used up: ", after: (why) => ` ${why}` },
  "export-done": { tone: "done", before: "Exported: ", after: (count) => `, ${count}.` },
  "export-failed": { tone: "failed", before: "Not exported: ", after: (why) => `. ${why}` },
};

export function said(notice: Notice): { tone: Tone; before: string; after: string } {
  const { tone, before, after } = SAID[notice.kind];
  return { tone, before, after: after(notice.more ?? "") };
}

/** One line for a screen reader: the newest, and how many more. */
export function summary(fresh: Notice[]): string {
  const [first] = fresh;
  if (!first) return "";
  const { before, after } = said(first);
  const text = `${before}${first.name}${after}`;
  return fresh.length === 1 ? text : `${text} And ${fresh.length - 1} more notifications.`;
}
