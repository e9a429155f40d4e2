// Apps that the mock's agents are connected to at first.
import type { Refusal } from "./refusal.ts";
import type { Claw, Connection, Schemas, UserBrief } from "./schema.ts";

export interface Apps {
  options: Schemas["AppOptions"];
  connections: Connection[];
  begun: Schemas["OAuthStart"][];
  pasted: Schemas["NewConnection"][];
  /** The last body of a pasted secret, as it arrived. */
  asked?: string;
  authorizeUrl?: string;
  refusePaste?: Refusal | undefined;
  refuseStart?: Refusal | undefined;
}

const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

export const MISSING: string[] = ["oauth.client_id", "oauth.issuer_url"];

let connections = 0;
export function makeConnection(
  user: UserBrief,
  claw: Claw,
  provider: string,
  more: Partial<Connection> = {},
): Connection {
  const connection: Connection = {
    id: `0198c0de-0000-7000-8001-${String((connections += 1)).padStart(12, "0")}`,
    agent_id: claw.id,
    provider,
    auth_type: "oauth",
    issuer_url: "https://login.example.org/tenant",
    state: "ready",
    renewable: true,
    expires_at: at(3000),
    reaches: [`https://api.${provider}.example.org`],
    connected_by: user,
    connected_at: at(-7200),
  };
  return { ...connection, ...more };
}

/** What the seeded workspace is connected to: one of each state. */
export function makeApps([scribe, mason, lookout]: Claw[], user: UserBrief): Apps {
  const apps: Apps = {
    options: {
      oauth: true,
      mcp_oauth: true,
      missing: [],
      providers: ["github", "slack"],
      redirect_uri: "https://roost.example.org/api/apps/oauth/callback",
    },
    connections: [],
    begun: [],
    pasted: [],
  };
  if (!scribe) return apps;
  apps.connections.push(
    makeConnection(user, mason, "github"),
    makeConnection(user, mason, "tracker", {
      auth_type: "mcp_oauth",
      issuer_url: "https://mcp.tracker.example.org/v1",
      state: "needs_reauth",
      renewable: false,
      reaches: ["https://mcp.tracker.example.org"],
    }),
    makeConnection(user, scribe, "notion", { reaches: [], renewable: false, expires_at: undefined }),
    makeConnection(user, lookout, "slack", { state: "missing", renewable: false, reaches: [] }),
  );
  return apps;
}
