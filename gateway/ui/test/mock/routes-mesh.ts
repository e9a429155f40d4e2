// The mesh network of the mock.
import { ago, newId } from "./ids.ts";
import { Refusal } from "./refusal.ts";
import type { Routes } from "./route.ts";
import type { Schemas } from "./schema.ts";
import type { State } from "./state.ts";

export const makeNetwork = (
  state: State,
  more: Partial<Schemas["MeshNetwork"]> = {},
): Schemas["MeshNetwork"] => ({
  id: newId(),
  kind: "tailscale",
  base_url: "https://api.tailscale.com/",
  created_by: state.user,
  created_at: ago(86_400),
  ...more,
});

export const makeDevice = (
  name: string,
  ip: string,
  more: Partial<Schemas["MeshDevice"]> = {},
): Schemas["MeshDevice"] => ({
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

export const meshRoutes = {
  "GET /api/fleet/meshvpn": ({ state }) => ({ body: { network: state.mesh.network } }),
  "POST /api/fleet/meshvpn": ({ state, body }) => {
    if (body.api_key.length < 8)
      throw new Refusal(400, "validation", "The request is not valid", {
        errors: [{ pointer: "/api_key", detail: "must be a key of 8 to 1000 characters, without blanks" }],
      });
    state.mesh.lastKey = body.api_key;
    const network = makeNetwork(state, {
      kind: body.kind,
      base_url: body.base_url ?? "https://api.tailscale.com/",
    });
    state.mesh.network = network;
    return { status: 201, body: network };
  },
  "DELETE /api/fleet/meshvpn": ({ state }) => {
    state.mesh.network = null;
    return { status: 204 };
  },
  "GET /api/fleet/meshvpn/devices": ({ state }) => ({
    body: { items: state.mesh.devices, read_at: ago(1) },
  }),
} satisfies Routes;
