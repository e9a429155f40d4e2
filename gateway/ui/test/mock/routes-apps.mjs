// The mock's routes of apps. Its sign-in service is another address of itself, where nothing happens.
import { Refusal } from "./server.mjs";

function begin(at) {
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
}

export const appRoutes = (signedIn) => ({
  "GET /api/apps/options": signedIn(({ state }) => ({ body: state.apps.options })),
  "GET /api/apps/connections": signedIn(({ state, query }) => {
    const agent = query.get("agent_id");
    const items = state.apps.connections.filter((one) => !agent || one.agent_id === agent);
    return { body: { items } };
  }),
  "POST /api/apps/oauth/start": signedIn(begin),
  "DELETE /api/apps/connections/:id": signedIn(({ mock, state, params }) => {
    const at = state.apps.connections.findIndex((one) => one.id === params.id);
    if (at === -1) throw new Refusal(404, "not-found", "There is no such connection");
    state.apps.connections.splice(at, 1);
    mock.hub.changed("app_connection", params.id, 2);
    return { status: 204 };
  }),
});
