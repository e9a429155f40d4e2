// Team templates of the mock, over HTTP.
import { ago, newId } from "./ids.mjs";
import { found } from "./routes-teams.mjs";
import { Refusal } from "./server.mjs";

const template = ({ state, params }) => found(state.templates, params.id, "template");

/** The agents of the first template's roles; the first of them is behind until it is upgraded. */
const agentsOf = (state, one) =>
  one === state.templates[0]
    ? state.claws.slice(0, 2).map(({ id, name }, at) => ({
        agent_id: id,
        name,
        role_slot: one.roles[at].slot,
        template_version: at === 0 && !state.upgraded ? 0 : one.version,
        behind: at === 0 && !state.upgraded,
        upgrade: at === 0 && !state.upgraded ? "keep_prompt" : "none",
        seeded_at: null,
        created_at: ago(600),
      }))
    : [];

export const templateRoutes = (signedIn) => ({
  "GET /api/team-templates": signedIn(({ state }) => ({
    body: { items: state.templates, next_cursor: null },
  })),
  "POST /api/team-templates": signedIn(({ state, body }) => {
    if (state.templates.some(({ key }) => key === body.key))
      throw new Refusal(400, "validation", "The request is not valid", {
        errors: [{ pointer: "/key", detail: "another template has this key" }],
      });
    const from = found(state.templates, body.from, "template");
    const made = { ...from, ...body, id: newId(), source: "workspace", version: 1 };
    state.templates.push(made);
    return { status: 201, body: made };
  }),
  "GET /api/team-templates/:id": signedIn((at) => ({ body: template(at) })),
  "DELETE /api/team-templates/:id": signedIn((at) => {
    const one = template(at);
    at.state.templates = at.state.templates.filter(({ id }) => id !== one.id);
    return { status: 204 };
  }),
  "GET /api/team-templates/:id/agents": signedIn((at) => ({
    body: { items: agentsOf(at.state, template(at)) },
  })),
  "POST /api/team-templates/:id/upgrade": signedIn((at) => {
    const one = template(at);
    const [first] = agentsOf(at.state, one);
    at.state.upgraded = true;
    return {
      body: {
        version: one.version,
        upgraded: [],
        kept: [
          {
            agent_id: first.agent_id,
            name: first.name,
            from_version: 0,
            moved: true,
            why: "somebody changed its prompt",
          },
        ],
      },
    };
  }),
  "GET /api/team-templates/:id/versions": signedIn((at) => {
    const { version } = template(at);
    const items = Array.from({ length: version }, (_, n) => version - n);
    return {
      body: { items: items.map((one) => ({ version: one, at: ago(900), author: null, sha256: "6c" })) },
    };
  }),
  "GET /api/team-templates/:id/versions/:version": signedIn((at) => {
    const one = template(at);
    const content = { ...one, description: `As it was in version ${at.params.version}` };
    return { body: { version: Number(at.params.version), at: ago(900), content } };
  }),
});
