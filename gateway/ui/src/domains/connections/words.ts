// What a connection's state means for people, and which of them needs somebody first.
import type { AppConnection } from "~/api/types";
import { appName } from "~/ui/app-name";
import { compareNames } from "~/ui/list/sort";
import type { Tone } from "~/ui/status";

export { appName };

export type Standing = AppConnection["state"] | "ended";

/** The state as the broker says it; a token that has ended and that nothing renews is no use, whatever it says. */
export function standingOf(one: AppConnection, now: number): Standing {
  const over = !one.renewable && one.expires_at != null && Date.parse(one.expires_at) <= now;
  return one.state === "ready" && over ? "ended" : one.state;
}

interface Words {
  tone: Tone;
  word: string;
  /** Why, and what to do; nothing where all is well. */
  says?: string;
  /** What needs a person most stands first. */
  rank: number;
}

export const standings: Record<Standing, Words> = {
  needs_reauth: {
    tone: "waiting",
    word: "Sign in again",
    says: "The app withdrew its consent, or no longer renews the token. A person has to connect it again.",
    rank: 0,
  },
  missing: {
    tone: "failed",
    word: "Token gone",
    says: "The secret broker no longer has the token of this connection, for example after a restore of an older backup. Connect it again.",
    rank: 1,
  },
  ended: {
    tone: "warning",
    word: "Ended",
    says: "Its token has expired and cannot be renewed. Connect it again.",
    rank: 2,
  },
  unknown: {
    tone: "offline",
    word: "Not known",
    says: "The secret broker did not answer in time. Nothing is lost. Check again in a minute.",
    rank: 3,
  },
  ready: { tone: "done", word: "Ready", rank: 4 },
};

const host = (address: string) => (URL.canParse(address) ? new URL(address).host : address);

/** How it was connected, and with whom. */
export function how({ auth_type, issuer_url }: AppConnection): string {
  if (auth_type === "mcp_oauth") return `MCP server ${issuer_url.replace(/^https?:\/\//, "")}`;
  if (auth_type === "oauth") return `Signed in at ${host(issuer_url)}`;
  return issuer_url ? `A secret that was typed in, for ${host(issuer_url)}` : "A secret that was typed in";
}

/** Whether a person can sign in again without being asked anything. */
export const bySignIn = ({ auth_type }: AppConnection) => auth_type === "oauth" || auth_type === "mcp_oauth";

/** What the gateway takes as the name of an app. */
export const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** The app whose every connection names its own address. */
export const WEBHOOK = "webhook";

/** Where a secret comes from, and what it has to allow. */
export function tokenHint(provider: string): string {
  if (provider === WEBHOOK)
    return "Roost sends it with every event, as “Authorization: Bearer …”, so that the webhook can check the sender. It has at least 8 characters. Nobody sees it again.";
  if (provider === "github")
    return "A fine-grained token of GitHub for the repositories that the agent may use, with read and write access to Issues and Pull requests; for merging also to Contents. Nobody sees it again.";
  return "Create it in the app's own settings, with only the rights that the agent needs. Roost sends it as “Authorization: Bearer …” to the app's API only. Nobody sees it again.";
}

/** What is wrong with a pasted secret, as far as a page can see. */
export function secretMistake(text: string): string | undefined {
  if (text === "") return "Paste the secret.";
  if (text.length < 8) return "It is too short: a secret has at least 8 characters.";
  if (text.length > 16_384) return "It is too long: at most 16,384 characters.";
  return /^[!-~]+$/.test(text)
    ? undefined
    : "It has spaces, line breaks or characters that a secret cannot have. Copy it again.";
}

/** A name for an MCP server, from its address: `mcp.linear.app` becomes `linear`. */
export function nameFrom(address: string): string {
  if (!URL.canParse(address)) return "";
  const parts = new URL(address).hostname.toLowerCase().split(".");
  const own = parts.filter((part, at) => !["mcp", "www", "api"].includes(part) && at < parts.length - 1);
  const name = (own.at(-1) ?? parts[0] ?? "").replaceAll(/[^a-z0-9_-]/g, "");
  return NAME.test(name) ? name : "";
}

/** What is wrong with an address, as far as a page can see; `user` says where a password belongs instead. */
function mistakeOf(text: string, what: string, user: string): string | undefined {
  if (text.trim() === "") return `Type the address of the ${what}.`;
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || !url.host)
    return "This is not a web address. It must begin with https://.";
  if (url.username || url.password) return `Leave user and password out; ${user}.`;
  return url.search || url.hash ? "Remove what follows ? and #." : undefined;
}
export const addressMistake = (text: string) => mistakeOf(text, "server", "you sign in on the next page");
export const webhookMistake = (text: string) => mistakeOf(text, "webhook", "it has a secret of its own");

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

/** The order of a list: by agent, and those first that need somebody. */
export function byNeed(
  list: AppConnection[],
  nameOf: (agent: string | null | undefined) => string,
  now: number,
): AppConnection[] {
  const rank = (one: AppConnection) => standings[standingOf(one, now)].rank;
  const worst = new Map<string, number>();
  for (const one of list) {
    const agent = one.agent_id ?? "";
    worst.set(agent, Math.min(worst.get(agent) ?? Infinity, rank(one)));
  }
  return list.toSorted(
    (a, b) =>
      (worst.get(a.agent_id ?? "") ?? 0) - (worst.get(b.agent_id ?? "") ?? 0) ||
      compareNames(nameOf(a.agent_id), nameOf(b.agent_id)) ||
      compare(a.agent_id ?? "", b.agent_id ?? "") ||
      rank(a) - rank(b) ||
      compare(a.provider, b.provider) ||
      compare(a.id, b.id),
  );
}

/** Every word of a filter must be found: in the agent's name, the app, its address or the state's words. */
export function matches(one: AppConnection, agent: string, standing: Standing, filter: string): boolean {
  const { word, rank } = standings[standing];
  const texts = [agent, one.provider, appName(one.provider), how(one), word, ...one.reaches];
  if (rank < standings.ready.rank) texts.push("needs attention");
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((part) => texts.some((text) => text.toLowerCase().includes(part)));
}
