import { describe, expect, it } from "vitest";
import type { AppConnection } from "~/api/types";
import {
  addressMistake,
  byNeed,
  how,
  matches,
  nameFrom,
  secretMistake,
  standingOf,
  tokenHint,
  webhookMistake,
} from "./words";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const connection = (more: Partial<AppConnection> = {}): AppConnection => ({
  id: "1",
  agent_id: "a",
  provider: "github",
  auth_type: "oauth",
  issuer_url: "https://login.example.org/tenant",
  state: "ready",
  renewable: false,
  reaches: ["https://api.github.com"],
  connected_at: "2026-03-01T10:00:00Z",
  ...more,
});

describe("how a connection stands", () => {
  it("a token that has ended and that nothing renews is no use, whatever the broker says", () => {
    const ended = { expires_at: "2026-03-01T11:59:59Z" };
    expect(standingOf(connection(ended), NOW)).toBe("ended");
    expect(standingOf(connection({ ...ended, renewable: true }), NOW)).toBe("ready");
    expect(standingOf(connection({ expires_at: "2026-03-01T12:00:01Z" }), NOW)).toBe("ready");
    expect(standingOf(connection({ ...ended, state: "unknown" }), NOW)).toBe("unknown");
  });

  it("an agent with something to do stands first, and all of it with it", () => {
    const list = [
      connection({ id: "1", agent_id: "a" }),
      connection({ id: "2", agent_id: "b" }),
      connection({ id: "3", agent_id: "b", provider: "slack", state: "needs_reauth" }),
    ];
    const order = byNeed(list, (id) => ({ a: "ada", b: "bob" })[id ?? ""] ?? "", NOW);
    expect(order.map(({ id }) => id)).toEqual(["3", "2", "1"]);
  });

  it("every word of a filter must be found somewhere", () => {
    const one = connection({ state: "needs_reauth" });
    const found = (filter: string) => matches(one, "Mason", "needs_reauth", filter);
    expect(["mason git", "api.github", "needs attention", "sign in again", ""].map(found)).not.toContain(
      false,
    );
    expect(found("mason slack")).toBe(false);
    expect(matches(connection(), "Mason", "ready", "needs attention")).toBe(false);
  });
});

describe("how something was connected", () => {
  it.each([
    ["oauth", "https://login.example.org/tenant", "Signed in at login.example.org"],
    ["mcp_oauth", "https://mcp.example.org/v1", "MCP server mcp.example.org/v1"],
    ["token", "https://hooks.example.org/x", "A secret that was typed in, for hooks.example.org"],
    ["token", "", "A secret that was typed in"],
    ["oauth", "no address", "Signed in at no address"],
  ])("%s at %s", (auth_type, issuer_url, said) => {
    expect(how(connection({ auth_type, issuer_url }))).toBe(said);
  });
});

describe("what is typed", () => {
  it.each([
    ["", "Type the address of the server."],
    ["mcp.example.org", "This is not a web address"],
    // oxlint-disable-next-line no-script-url
    ["javascript:alert(1)", "This is not a web address"],
    ["https://u:p@mcp.example.org", "you sign in on the next page"],
    ["https://mcp.example.org/?a=1", "Remove what follows"],
  ])("the server's address %s", (text, says) => {
    expect(addressMistake(text)).toContain(says);
  });

  it("a webhook's password belongs elsewhere; a path with a key in it is fine", () => {
    expect(webhookMistake("https://u:p@hooks.example.org")).toContain("a secret of its own");
    expect(webhookMistake(" https://hooks.example.org/services/T0/B0/key ")).toBeUndefined();
  });

  it.each([
    ["", "Paste the secret."],
    ["1234567", "too short"],
    ["x".repeat(16_385), "too long"],
    ["ghp_two words", "has spaces"],
    ["ghp_line\nend", "has spaces"],
    ["ghp_ümlaut", "has spaces"],
    ["ghp_\u200bunseen", "has spaces"],
  ])("the secret %j is not sent", (text, says) => {
    expect(secretMistake(text)).toContain(says);
  });
  it.each(["12345678", "x".repeat(16_384), "!~[]{}:/+=_-."])("a secret is sent", (text) => {
    expect(secretMistake(text)).toBeUndefined();
  });

  it("GitHub's hint names the rights that its actions need", () => {
    for (const right of ["Issues", "Pull requests", "Contents"]) expect(tokenHint("github")).toContain(right);
    expect(tokenHint("webhook")).toContain("Authorization: Bearer");
    expect(tokenHint("unheard-of")).not.toBe(tokenHint("webhook"));
  });

  it.each([
    ["https://mcp.linear.app/v1", "linear"],
    ["https://api.sub.example.org", "example"],
    ["http://localhost:3000", "localhost"],
    ["https://[::1]/", "1"],
    ["nonsense", ""],
  ])("a name from %s", (address, name) => {
    expect(nameFrom(address)).toBe(name);
  });
});
