import type { AuditEntry } from "~/api/types";

/** What somebody did, as the middle of a sentence; `*` stands for the thing. */
const DONE: Record<string, string> = {
  "claw.created": "created the agent *",
  "claw.changed": "changed the agent *",
  "claw.deleted": "deleted the agent *",
  "claw.purge_begun": "had everything of the agent * destroyed for good",
  "brain.written": "wrote the brain of *",
  "avatar.uploaded": "gave * a picture",
  "avatar.removed": "took the picture of * away",
  "sandbox.provisioned": "had a sandbox made for the agent *",
  "sandbox.destroyed": "destroyed the sandbox of the agent *",
  "node.paired": "began to pair the machine *",
  "node.joined": "had the machine * join",
  "node.renamed": "renamed the machine *",
  "node.drained": "set the machine * to draining",
  "node.undrained": "let the machine * take new sandboxes again",
  "node.deleted": "removed the machine *",
  "placement.set": "chose where new sandboxes run",
  "placement.cleared": "let new sandboxes run on the gateway's machine",
  "session.opened": "signed in",
  "session.ended": "ended a session",
  "password.changed": "set another password",
  "invitation.created": "made an invitation",
  "invitation.withdrawn": "took an invitation back",
  "member.joined": "joined the workspace",
  "member.removed": "took a member out of the workspace",
  "member.role_changed": "changed the role of a member",
  "workspace.renamed": "renamed the workspace",
  "actor.restarted": "restarted the actor *",
  "workspace.created": "created the workspace *",
  "mesh.connected": "connected a mesh network",
  "mesh.disconnected": "disconnected the mesh network",
  "repos.connected": "connected a code host",
  "repos.disconnected": "removed a code host",
  "repos.sync_requested": "had a code host synced",
  "workspace.deleted": "deleted the workspace *",
};

const BRAIN: Record<string, string> = {
  seed: "seeded the brain of *",
  consolidation: "put the brain of * in order",
  restore: "took an earlier version of the brain of * back",
};

const KINDS: Record<string, string> = {
  claw: "agent",
  node: "machine",
  user: "person",
  workspace: "workspace",
  repo_connection: "code host",
  mesh_network: "mesh network",
  actor: "actor",
};

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Who did it, for people. */
export function who(entry: AuditEntry): string {
  if (entry.by) return entry.by.name || entry.by.email;
  return /^[0-]+$/.test(entry.actor) ? "Roost itself" : "Somebody who is gone";
}

/** The name of the thing, as it was then; else what is known of it. */
export function thing(entry: AuditEntry): string {
  const name = text(entry.details["name"]) ?? text(entry.details["to"]);
  if (name) return name;
  return entry.entity_kind === "actor" ? entry.entity_id : entry.entity_id.slice(0, 8);
}

/** The sentence in three parts: before the thing, the thing (if it is named), after it. */
export function sentence(entry: AuditEntry): [string, string | undefined, string] {
  const cause = entry.action === "brain.written" ? BRAIN[String(entry.details["cause"])] : undefined;
  // An action that this page does not know yet is told as it is named.
  const known =
    cause ??
    DONE[entry.action] ??
    `did “${entry.action}” to the ${KINDS[entry.entity_kind] ?? entry.entity_kind} *`;
  const star = known.indexOf("*");
  return star < 0 ? [known, undefined, ""] : [known.slice(0, star), thing(entry), known.slice(star + 1)];
}

/** Families of actions to choose from. */
export const families: [string, string][] = [
  ["", "Everything"],
  ["claw.*", "Agents"],
  ["brain.*", "Brains"],
  ["avatar.*", "Pictures"],
  ["sandbox.*", "Sandboxes"],
  ["node.*", "Machines"],
  ["placement.*", "Placement"],
  ["session.*", "Sign-ins"],
  ["member.*", "Members"],
  ["invitation.*", "Invitations"],
  ["workspace.*", "Workspace"],
  ["actor.*", "Actors"],
];

export const words = {
  lead: "Who did what, on whose authority. Nothing here can be changed or removed, not even with the workspace.",
  chain:
    "Each entry is linked to the one before it by its hash, so a changed one no longer fits. Verifying compares every entry of this workspace with its link; that none was removed or moved is proved by whoever runs the gateway, with",
};
