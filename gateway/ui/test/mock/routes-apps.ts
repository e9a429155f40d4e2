// The mock's routes of apps. Its sign-in service is another address of itself, where nothing happens.
import { makeConnection } from "./apps.ts";
import { Refusal } from "./refusal.ts";
import type { Routes } from "./route.ts";
import type { Connection } from "./schema.ts";

const begin: Routes["POST /api/apps/oauth/start"] = (at) => {
  const { mock, state, body } = at;
  const refused = state.apps.refuseStart;
  if (refused) throw refused;
  if (!state.claws.some((one) => one.id === body.clawId))
    throw new Refusal(404, "not-found", "There is no such claw");
  state.apps.begun.push(body);
  return {
    body: {
      authorize_url:
        state.apps.authorizeUrl ?? `${mock.url}/sign-in-service?state=${state.apps.begun.length}`,
      state: "0".repeat(32),
    },
  };
};

/** As the gateway does: a second connection of the same agent to the same app takes the place of the first. */
const paste: Routes["POST /api/apps/connections"] = ({ mock, state, body, raw }) => {
  state.apps.asked = raw.toString();
  if (state.apps.refusePaste) throw state.apps.refusePaste;
  const claw = state.claws.find((one) => one.id === body.clawId);
  if (!claw) throw new Refusal(404, "not-found", "There is no such claw");
  const webhook = body.provider === "webhook";
  if (!webhook && !state.apps.options.providers.includes(body.provider))
    throw new Refusal(409, "conflict", "Conflict", {
      detail: "The API of this app is not known here; its operator sets `oauth.apis`.",
    });
  const address = webhook ? (body.url ?? "") : `https://api.${body.provider}.example.org/`;
  const made = makeConnection(state.user, claw, body.provider, {
    auth_type: "token",
    issuer_url: address,
    renewable: false,
    expires_at: undefined,
    reaches: [new URL(address).origin],
    connected_at: new Date().toISOString(),
  });
  const { apps } = state;
  const same = (one: Connection) => one.agent_id === claw.id && one.provider === body.provider;
  apps.connections = [...apps.connections.filter((one) => !same(one)), made];
  apps.pasted.push(body);
  mock.hub.changed("app_connection", made.id);
  return { status: 201, body: made };
};

export const appRoutes = {
  "GET /api/apps/options": ({ state }) => ({ body: state.apps.options }),
  "GET /api/apps/connections": ({ state, query }) => {
    const agent = query.get("agent_id");
    const items = state.apps.connections.filter((one) => !agent || one.agent_id === agent);
    return { body: { items } };
  },
  "POST /api/apps/connections": paste,
  "POST /api/apps/oauth/start": begin,
  "DELETE /api/apps/connections/{id}": ({ mock, state, params }) => {
    const at = state.apps.connections.findIndex((one) => one.id === params.id);
    if (at === -1) throw new Refusal(404, "not-found", "There is no such connection");
    state.apps.connections.splice(at, 1);
    mock.hub.changed("app_connection", params.id, 2);
    return { status: 204 };
  },
} satisfies Routes;
