// What settings of the deployment mean for people.
import type { BrokerNow, BrokerRoot, PlanLimits, Quota } from "~/api/types";
import { number } from "~/ui/bytes";

/** Where a broker's root key is, and what that means. */
export const ROOTS: Record<BrokerRoot, string> = {
  file: "In a file of the broker's machine",
  credential: "A systemd credential, which the service manager hands over",
  transit: "In Vault or OpenBao, which never gives it out",
};

/** Of what signing in at an app lacks, what signing in at an MCP server lacks as well: it names its own issuer. */
export const mcpMissing = (missing: string[]) => missing.filter((key) => key !== "oauth.issuer_url");

/** What a smaller plan does to a workspace that uses more than it allows. */
export function tooSmall(plan: PlanLimits, quota: Quota): string | undefined {
  const agents = quota.agents.used > plan.agents;
  const sandboxes = quota.live_containers.used > plan.live_containers;
  if (!agents && !sandboxes) return undefined;
  const what = agents && sandboxes ? "agents and sandboxes" : agents ? "agents" : "sandboxes";
  return `More ${what} exist than this plan allows. They stay. Roost creates no further ones until they fit.`;
}

export interface Share {
  word: string;
  value: number;
  tone: "done" | "waiting" | "failed";
}

/** A number that is not told is none, not 0. */
const known = (value: number | null | undefined): value is number => value !== null && value !== undefined;

/** What is kept, as parts of a whole. */
export function kept({ records, needs_reauth }: BrokerNow): Share[] | undefined {
  if (!known(records) || !known(needs_reauth)) return undefined;
  return [
    { word: "usable", value: Math.max(0, records - needs_reauth), tone: "done" },
    { word: "to be connected again by a person", value: needs_reauth, tone: "waiting" },
  ];
}

/** Under which root key it is sealed. */
export function sealed({ records, to_rekey }: BrokerNow): Share[] | undefined {
  if (!known(records) || !known(to_rekey)) return undefined;
  return [
    { word: "under the present root key", value: Math.max(0, records - to_rekey), tone: "done" },
    { word: "under an older one", value: to_rekey, tone: "waiting" },
  ];
}

/** What was sent for agents and for people. */
export function sent({ forwards, forwards_failed }: BrokerNow): Share[] | undefined {
  if (!known(forwards) || !known(forwards_failed)) return undefined;
  return [
    { word: "answered", value: Math.max(0, forwards - forwards_failed), tone: "done" },
    { word: "failed", value: forwards_failed, tone: "failed" },
  ];
}

/** The picture in words. */
export const spoken = (shares: Share[]): string =>
  shares.map(({ word, value }) => `${number(value)} ${word}`).join(", ");
