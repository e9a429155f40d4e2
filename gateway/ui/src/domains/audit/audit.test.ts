import { describe, expect, it } from "vitest";
import type { AuditEntry } from "~/api/types";
import { sentence, who } from "~/ui/audit-words";

const entry = (action: string, entity_kind: string, details: Record<string, unknown> = {}): AuditEntry => ({
  id: "e",
  actor: "u",
  by: { id: "u", name: "Ada", email: "ada@example.org" },
  action,
  entity_kind,
  entity_id: "0198c0de-0000-7000-8000-000000000001",
  details: details as AuditEntry["details"],
  at: "2026-03-01T12:00:00Z",
});
const said = (...of: Parameters<typeof entry>) =>
  sentence(entry(...of))
    .map((part) => part ?? "")
    .join("")
    .replaceAll(/[\u2068\u2069]/g, "");

const door = { action: "github.issues.create", target: "octo/hello", agent: "mason", agent_id: "a" };

describe("what somebody did", () => {
  it.each([
    [
      "app.connected",
      "app_connection",
      { provider: "github", auth_type: "token" },
      "connected an agent to GitHub",
    ],
    ["app.disconnected", "app_connection", { provider: "tracker" }, "disconnected an agent from tracker"],
    [
      "app.disconnected",
      "app_connection",
      { provider: "webhook", reason: "replaced" },
      "replaced an agent's connection to Webhook",
    ],
    ["door.requested", "door", door, "asked, through the agent mason, to open an issue at octo/hello"],
    ["door.approved", "door", door, "allowed the agent mason to open an issue at octo/hello"],
    ["door.denied", "door", door, "did not allow the agent mason to open an issue at octo/hello"],
    [
      "door.expired",
      "door",
      door,
      "ended the request of the agent mason without a decision: open an issue at octo/hello",
    ],
    ["door.performed", "door", door, "carried it out for the agent mason: open an issue at octo/hello"],
    [
      "door.approved",
      "door",
      { ...door, action: "webhook.event.send", target: "webhook" },
      "allowed the agent mason to send an event to its webhook",
    ],
    [
      "door.denied",
      "door",
      { action: "moon.cheese.eat" },
      "did not allow the agent that is gone to do “moon.cheese.eat”",
    ],
    [
      "repos.connected",
      "repo_connection",
      { label: "acme at github.com" },
      "connected the code host acme at github.com",
    ],
    [
      "mesh.connected",
      "mesh_network",
      { base_url: "https://mesh.example/" },
      "connected the mesh network mesh.example",
    ],
    [
      "skill.added",
      "skill",
      { name: "code-review", agent: "mason", agent_id: "a" },
      "gave the agent mason the skill code-review",
    ],
    [
      "template.upgraded",
      "team_template",
      { name: "Rust development", version: 2 },
      "upgraded agents to the newest version of the team template Rust development",
    ],
    ["node.labelled", "node", { labels: ["gpu"] }, "changed the labels of the machine 0198c0de"],
    ["token.created", "session", { label: "ci" }, "made the API token ci"],
    [
      "session.refused",
      "user",
      { email: "ada@example.org", from: "203.0.113.7" },
      "refused a wrong password for ada@example.org",
    ],
    ["terminal.confirmed", "user", { device: "roost on desk" }, "let the terminal roost on desk sign in"],
    [
      "sandbox.exec",
      "claw",
      { agent: "Ada", command: "rm -rf target", cut: true },
      "ran a command in the sandbox of the agent Ada: rm -rf target …",
    ],
    [
      "sandbox.exec",
      "team",
      { team: "Ledger", command: "ls" },
      "ran a command in the sandbox of the team Ledger: ls",
    ],
    ["sandbox.provisioned", "mission", { name: "Faster" }, "created a sandbox for the mission Faster"],
    ["workspace.plan_set", "workspace", { from: "free", to: "team" }, "gave the workspace the plan team"],
    ["moon.landed", "moon", {}, "did “moon.landed” to the moon 0198c0de"],
  ])("%s of %s %j", (action, kind, details, expected) => {
    expect(said(action, kind, details)).toBe(expected);
  });

  it("the gateway's own acts are said of it, and others of who did them", () => {
    const made = entry("session.refused", "user");
    const nobody = "00000000-0000-0000-0000-000000000000";
    expect(who({ ...made, actor: nobody, by: { id: nobody, name: "system", email: "system" } })).toBe(
      "Roost itself",
    );
    expect(who(made)).toBe("Ada");
    expect(who({ ...made, by: null })).toBe("Somebody who is gone");
  });

  it("nothing that an agent wrote is unseen, or turns the sentence around", () => {
    const [, thing] = sentence(entry("door.approved", "door", { ...door, target: "octo/\u202Eolleh" }));
    expect(thing).toBe("open an issue at \u2068octo/\\u{202e}olleh\u2069");
  });
});

const SOURCES = import.meta.glob<string>(["../../../../src/**/*.rs", "../../../../*/src/**/*.rs"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Every name of an action that the gateway's sources record. */
function recorded(): string[] {
  const records = /audit::record|write_down|\.record\(|note\(|\.audit\(/;
  const found = Object.entries(SOURCES)
    .filter(([path, source]) => !path.includes("test") && records.test(source))
    .flatMap(([, source]) => [...source.matchAll(/"([a-z]+\.[a-z_]+)"/g)].map(([, action]) => action ?? ""));
  return [...new Set(found)];
}

describe("beside the gateway's sources", () => {
  // Names in the same files that are not actions: details, places where a fault may be made, fields of traces, a registry.
  const other =
    /^(chaos\.allow|committer\.(before|after)_commit|actor\.(before|after)_handle|workspace\.(read|size)|service\.version|otel\.(kind|name)|http\.route|crates\.io)$/;

  it("every action that the gateway records has words of its own", () => {
    const actions = recorded().filter((action) => !other.test(action));
    expect(actions).toContain("app.connected");
    expect(actions).toContain("door.expired");
    expect(actions.length).toBeGreaterThan(35);
    expect(actions.filter((action) => said(action, "claw").startsWith("did “"))).toEqual([]);
  });
});
