// Teams of the mock, over HTTP.
import { begin, summaryOf } from "./routes-runs.mjs";
import { Refusal } from "./server.mjs";
import { makeTeam } from "./teams.mjs";

export function found(list, id, what) {
  const one = list.find((each) => each.id === id);
  if (!one) throw new Refusal(404, "not-found", `There is no such ${what}`);
  return one;
}
const team = ({ state, params }) => found(state.teams.list, params.id, "team");

export const teamRoutes = (signedIn) => ({
  "GET /api/teams": signedIn(({ state }) => ({ body: { items: state.teams.list, next_cursor: null } })),
  "POST /api/teams": signedIn(({ state, body, request }) => {
    const { teams, templates } = state;
    const key = request.headers["idempotency-key"];
    const wrong = body.roles.findIndex((one) => one.model_binding === "nobody/nothing");
    if (wrong !== -1)
      throw new Refusal(400, "validation", "The request is not valid", {
        errors: [{ pointer: `/roles/${wrong}/model_binding`, detail: "there is no such model" }],
      });
    const taken = body.roles.findIndex((one) => state.claws.some(({ name }) => name === one.name));
    if (taken !== -1)
      throw new Refusal(409, "name-taken", "The name is taken", {
        errors: [{ pointer: `/roles/${taken}/name`, detail: "Another agent has this name." }],
      });
    teams.asked.push({ key, body });
    const before = teams.made.get(key);
    if (before) return { status: 201, body: before };
    const made = makeTeam(state, found(templates, body.template_id, "template"), {
      name: body.name,
      kind: body.topology,
      roles: body.roles,
      model_binding: body.model_binding ?? null,
      machine_id: body.machine_id ?? null,
    });
    teams.made.set(key, made);
    teams.list.unshift(made);
    return { status: 201, body: made };
  }),
  "GET /api/teams/:id": signedIn((at) => ({ body: team(at) })),
  "DELETE /api/teams/:id": signedIn((at) => {
    const one = team(at);
    at.state.teams.deleted = { id: one.id, agents: at.query.get("with_agents") };
    at.state.teams.list = at.state.teams.list.filter(({ id }) => id !== one.id);
    return { status: 204 };
  }),
  "PATCH /api/teams/:id": signedIn((at) => {
    const one = team(at);
    if (at.request.headers["if-match"] !== `"${one.version}"`)
      throw new Refusal(412, "precondition-failed", "Somebody else wrote in between");
    Object.assign(one, at.body, { version: one.version + 1 });
    return { body: one };
  }),
  "PATCH /api/teams/:id/runtime-config": signedIn((at) => {
    const one = team(at);
    const template = found(at.state.templates, one.template_id, "template");
    one.risk_profile = at.body.risk_profile;
    one.effective_profile = one.risk_profile ?? template.risk_profile;
    one.version += 1;
    return { body: one };
  }),
  "POST /api/teams/:id/run": signedIn((at) => {
    const one = team(at);
    at.state.teams.goal = at.body;
    const slots = one.members.map(({ slot }) => slot);
    const run = begin(at.state, { title: one.name, team_id: one.id, input: at.body.input, slots });
    return { status: 202, body: summaryOf(run) };
  }),
});
