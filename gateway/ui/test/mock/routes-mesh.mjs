// The mesh network of the mock.
import { Refusal } from "./server.mjs";
import { ago, newId } from "./state.mjs";

export const makeNetwork = (state, more = {}) => ({
  id: newId(),
  kind: "tailscale",
  base_url: "https://api.tailscale.com/",
  created_by: state.user,
  created_at: ago(86_400),
  ...more,
});

export const makeDevice = (name, ip, more = {}) => ({
  id: `n-${name}`,
  name,
  os: "linux",
  ip,
  addresses: [ip],
  online: true,
  last_seen: null,
  node: null,
  ...more,
});

export const meshRoutes = (signedIn) => ({
  "GET /api/fleet/meshvpn": signedIn(({ state }) => ({ body: { network: state.mesh.network } })),
  "POST /api/fleet/meshvpn": signedIn(({ state, body }) => {
    if (body.api_key.length < 8)
      throw new Refusal(400, "validation", "The request is not valid", {
        errors: [{ pointer: "/api_key", detail: "must be a key of 8 to 1000 characters, without blanks" }],
      });
    state.mesh.lastKey = body.api_key;
    state.mesh.network = makeNetwork(state, {
      kind: body.kind,
      base_url: body.base_url ?? "https://api.tailscale.com/",
    });
    return { status: 201, body: state.mesh.network };
  }),
  "DELETE /api/fleet/meshvpn": signedIn(({ state }) => {
    state.mesh.network = null;
    return { status: 204 };
  }),
  "GET /api/fleet/meshvpn/devices": signedIn(({ state }) => ({
    body: { items: state.mesh.devices, read_at: ago(1) },
  })),
});
