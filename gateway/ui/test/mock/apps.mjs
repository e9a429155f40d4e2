// Apps that the mock's agents are connected to at first.
const at = (seconds) => new Date(Date.now() + seconds * 1000).toISOString();

export const MISSING = ["oauth.client_id", "oauth.issuer_url"];

let connections = 0;
export function makeConnection(state, claw, provider, more = {}) {
  return {
    id: `0198c0de-0000-7000-8001-${String((connections += 1)).padStart(12, "0")}`,
    agent_id: claw.id,
    provider,
    auth_type: "oauth",
    issuer_url: "https://login.example.org/tenant",
    state: "ready",
    renewable: true,
    expires_at: at(3000),
    reaches: [`https://api.${provider}.example.org`],
    connected_by: state.user,
    connected_at: at(-7200),
    ...more,
  };
}

/** What the seeded workspace is connected to: one of each state. */
export function makeApps(state) {
  const [scribe, mason, lookout] = state.claws;
  const apps = {
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
    makeConnection(state, mason, "github"),
    makeConnection(state, mason, "tracker", {
      auth_type: "mcp_oauth",
      issuer_url: "https://mcp.tracker.example.org/v1",
      state: "needs_reauth",
      renewable: false,
      reaches: ["https://mcp.tracker.example.org"],
    }),
    makeConnection(state, scribe, "notion", { reaches: [], renewable: false, expires_at: undefined }),
    makeConnection(state, lookout, "slack", { state: "missing", renewable: false, reaches: [] }),
  );
  return apps;
}
