import type { AuditEntry } from "~/api/types";
import { appName } from "~/ui/app-name";
import { asked } from "~/ui/door-words";
import { isolate } from "~/ui/isolate";
import { visible } from "~/ui/visible";

/** What somebody did, as the middle of a sentence; `*` stands for the thing, `@` for the agent
 * or for whose sandbox it is, and `#` for the kind of thing. */
const DONE: Record<string, string> = {
  "claw.created": "created the agent *",
  "claw.changed": "changed the agent *",
  "claw.configured": "changed what the agent * may use",
  "claw.deleted": "deleted the agent *",
  "claw.purge_begun": "permanently deleted all data of the agent *",
  "brain.written": "wrote the brain of *",
  "avatar.uploaded": "uploaded a picture of *",
  "avatar.removed": "removed the picture of *",
  "sandbox.provisioned": "created a sandbox for the # *",
  "sandbox.moved": "saved and ended the sandbox of the # * on a draining machine",
  "sandbox.destroyed": "destroyed the sandbox of the # *",
  "sandbox.exec": "ran a command in the sandbox of the # @: *",
  "sandbox.upload": "put files into the sandbox of the # @: *",
  "sandbox.download": "downloaded a saved file of the # @: *",
  "sandbox.shell": "opened a terminal in the sandbox of the # @: *",
  "node.paired": "began to pair the machine *",
  "node.joined": "joined the machine * to the workspace",
  "node.renamed": "renamed the machine *",
  "node.labelled": "changed the labels of the machine *",
  "node.drained": "set the machine * to draining",
  "node.emptied": "found the machine * empty after its drain",
  "node.undrained": "ended draining of the machine *",
  "node.deleted": "removed the machine *",
  "placement.set": "chose where new sandboxes run",
  "placement.cleared": "let new sandboxes run on the gateway's machine",
  "session.opened": "signed in",
  "session.ended": "ended a session",
  "session.refused": "refused a wrong password for *",
  "session.ended_by_issuer": "was signed out: the identity provider ended the sign-in",
  "token.created": "made the API token *",
  "agent_token.created": "made a tool token of the agent @: *",
  "agent_token.revoked": "revoked a tool token of the agent @: *",
  "terminal.confirmed": "let the terminal * sign in",
  "account.linked": "linked the account to the identity provider",
  "account.address_taken": "lost the address * to its owner at the identity provider",
  "operator.granted": "made * an operator of the deployment",
  "password.changed": "changed the password",
  "account.password_refused": "gave a wrong present password",
  "account.renamed": "changed their name",
  "account.address_wanted": "asked for another e-mail address",
  "account.address_changed": "changed their e-mail address",
  "account.notices_set": "changed their notices by e-mail",
  "account.picture_set": "set their picture",
  "account.picture_removed": "removed their picture",
  "deployment.set_up": "set this Roost up",
  "plan.limits_set": "changed the limits of a plan",
  "invitation.created": "created an invitation",
  "invitation.withdrawn": "withdrew an invitation",
  "member.joined": "joined the workspace",
  "member.removed": "removed a member from the workspace",
  "member.role_changed": "changed the role of a member",
  "workspace.renamed": "renamed the workspace",
  "workspace.push_policy_set": "set what happens when an agent asks to push: *",
  "workspace.workflow_policy_set": "set whether agents' commits may change workflow files: *",
  "workspace.file_policy_set": "set where machines keep saved files: *",
  "workspace.plan_set": "gave the workspace the plan *",
  "actor.restarted": "restarted the actor *",
  "chaos.armed": "armed a test fault: *",
  "chaos.disarmed": "disarmed all test faults",
  "workspace.created": "created the workspace *",
  "app.connected": "connected an agent to *",
  "app.disconnected": "disconnected an agent from *",
  "door.requested": "asked, through the agent @, to *",
  "door.approved": "allowed the agent @ to *",
  "door.denied": "did not allow the agent @ to *",
  "door.expired": "ended the request of the agent @ without a decision: *",
  "door.performed": "carried it out for the agent @: *",
  "door.failed": "tried it for the agent @ and it failed: *",
  "door.unclear": "tried it for the agent @ with an unknown result: *",
  "models.added": "added the model *",
  "models.changed": "changed the model *",
  "models.rekeyed": "gave the model * another key",
  "models.removed": "removed the model *",
  "models.bounded": "set the cost ceilings of agents",
  "team.created": "made the team *",
  "team.changed": "changed the team *",
  "team.configured": "chose what the agents of the team * may use",
  "team.deleted": "deleted the team *",
  "run.started": "started a run of the team *",
  "run.cancelled": "cancelled a run",
  "run.agent_stopped": "stopped an agent of a run",
  "run.message": "sent a message to a run",
  "run.paused": "paused a run",
  "run.resumed": "resumed a run",
  "levelup.proposed": "asked for improvements of *",
  "levelup.applied": "applied improvements",
  "levelup.rejected": "rejected improvements",
  "levelup.needs_human": "approved an improvement that a person makes",
  "levelup.failed": "asked for improvements of *, without a usable answer",
  "routine.created": "made the routine *",
  "routine.changed": "changed the routine *",
  "routine.paused": "paused the routine *",
  "routine.resumed": "resumed the routine *",
  "routine.deleted": "deleted the routine *",
  "routine.fired": "started the routine *",
  "routine.firing_failed": "could not start the routine *",
  "mission.created": "created the mission *",
  "mission.launched": "launched the mission *",
  "mission.paused": "paused the mission *",
  "mission.resumed": "resumed the mission *",
  "mission.cancelled": "cancelled the mission *",
  "mission.failed": "marked the mission * as failed",
  "mission.completed": "completed the mission *",
  "mission.runtime_ready": "started the runtime of the mission *",
  "mission.node_deleted": "paused the mission *, because its machine was deleted",
  "mission.runtime_failed": "paused the mission *, because its runtime failed",
  "mission.phase_completed": "completed a phase of a mission",
  "mission.phase_failed": "ended a phase of a mission as failed",
  "mission.phase_retried": "retried a phase of a mission",
  "mission.phase_skipped": "skipped a phase of a mission",
  "mission.pdf_requested": "asked for a PDF of the mission *",
  "skill.created": "wrote the skill *",
  "skill.changed": "changed the skill *",
  "skill.deleted": "deleted the skill *",
  "skill.added": "gave the agent @ the skill *",
  "skill.excluded": "left out a skill of the agent @: *",
  "skill.reset": "undid the choice about a skill of the agent @: *",
  "template.created": "made the team template *",
  "template.changed": "changed the team template *",
  "template.deleted": "deleted the team template *",
  "template.upgraded": "upgraded agents to the newest version of the team template *",
  "mesh.connected": "connected the mesh network *",
  "mesh.disconnected": "disconnected the mesh network *",
  "repos.connected": "connected the code host *",
  "repos.disconnected": "removed the code host *",
  "repos.sync_requested": "requested a sync of the code host *",
  "repos.mirror_requested": "requested a mirror of the repository *",
  "repos.mirror_dropped": "removed the mirror of the repository *",
  "repo.download": "downloaded the files of a run",
  "uploads.created": "uploaded files for runs",
  "repo.push": "pushed the branch of a run",
  "workspace.deleted": "deleted the workspace *",
};

/** A connection that another one took the place of was not ended by anybody. */
const REPLACED = "replaced an agent's connection to *";

const BRAIN: Record<string, string> = {
  seed: "seeded the brain of *",
  consolidation: "consolidated the brain of *",
  restore: "restored an earlier version of the brain of *",
};

const KINDS: Record<string, string> = {
  claw: "agent",
  node: "machine",
  user: "person",
  workspace: "workspace",
  app_connection: "connection",
  door: "request",
  mission: "mission",
  routine: "routine",
  skill: "skill",
  team_template: "team template",
  session: "sign-in",
  repo: "repository",
  repo_connection: "code host",
  mesh_network: "mesh network",
  actor: "actor",
};

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Whether the gateway did it, for nobody. */
export const byRoost = (entry: AuditEntry) => /^[0-]+$/.test(entry.actor);

/** Who did it, for people. */
export function who(entry: AuditEntry): string {
  if (byRoost(entry)) return "Roost itself";
  return entry.by?.name || entry.by?.email || "Somebody who is gone";
}

const host = (address: string) => (URL.canParse(address) ? new URL(address).host : address);

/** The name of the thing, as it was then; else what is known of it. */
export function thing({ action, entity_kind, entity_id, details }: AuditEntry): string {
  const of = (name: string) => text(details[name]);
  const [app, door, address] = [of("provider"), of("action"), of("base_url")];
  if (entity_kind === "app_connection" && app) return appName(app);
  if (entity_kind === "door" && door) return asked(door, of("target"));
  if (entity_kind === "mesh_network" && address) return host(address);
  // A person typed it.
  if (action === "sandbox.exec" || action === "sandbox.shell")
    return `${visible(of("command") ?? "")}${details["cut"] ? " …" : ""}`;
  if (action === "sandbox.upload") return visible(of("folder") ?? "");
  if (action === "sandbox.download") return visible(of("path") ?? "");
  if (action === "terminal.confirmed") return of("device") ?? "that waited";
  const name =
    of("name") ??
    of("title") ??
    of("to") ??
    of("full_name") ??
    of("label") ??
    of("order") ??
    of("address") ??
    of("email");
  if (name) return name;
  return entity_kind === "actor" ? entity_id : entity_id.slice(0, 8);
}

/** The sentence in three parts: before the thing, the thing (if it is named), after it. */
export function sentence(entry: AuditEntry): [string, string | undefined, string] {
  const { action, details } = entry;
  const cause = action === "brain.written" ? BRAIN[String(details["cause"])] : undefined;
  const replaced = action === "app.disconnected" && details["reason"] === "replaced" ? REPLACED : undefined;
  // An action that this page does not know yet is told as it is named.
  const known = cause ?? replaced ?? DONE[action] ?? `did “${action}” to the # *`;
  const named = text(details["agent"] ?? details["team"] ?? details["mission"]);
  const owner = isolate(visible(named ?? "that is gone"));
  const kind = KINDS[entry.entity_kind] ?? entry.entity_kind;
  const star = known.indexOf("*");
  if (star < 0) return [known, undefined, ""];
  const before = known.slice(0, star).replace("#", kind).replace("@", owner);
  return [before, thing(entry), known.slice(star + 1)];
}

/** Families of actions to choose from. */
export const families: [string, string][] = [
  ["", "Everything"],
  ["claw.*", "Agents"],
  ["brain.*", "Brains"],
  ["avatar.*", "Pictures"],
  ["sandbox.*", "Sandboxes"],
  ["app.*", "Connections"],
  ["door.*", "Approvals"],
  ["team.*", "Teams"],
  ["mission.*", "Missions"],
  ["routine.*", "Routines"],
  ["run.*", "Runs"],
  ["models.*", "Models"],
  ["skill.*", "Skills"],
  ["levelup.*", "Level-ups"],
  ["template.*", "Team templates"],
  ["repos.*", "Code hosts"],
  ["repo.*", "Pushes"],
  ["node.*", "Machines"],
  ["mesh.*", "Mesh networks"],
  ["placement.*", "Placement"],
  ["session.*", "Sign-ins"],
  ["account.*", "Accounts"],
  ["token.*", "API tokens"],
  ["terminal.*", "Terminals"],
  ["member.*", "Members"],
  ["invitation.*", "Invitations"],
  ["workspace.*", "Workspace"],
  ["actor.*", "Actors"],
];

export const words = {
  lead: "Who did what, on whose authority. Nobody can change or remove an entry, not even with the workspace.",
  chain:
    "Each entry is linked to the one before it by its hash, so a changed entry no longer matches its link. Verifying compares every entry of this workspace with its link. To prove that no entry was removed or moved, the operator runs",
};
