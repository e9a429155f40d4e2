// Skills of the mock, over HTTP.
import { ago } from "./ids.mjs";
import { found } from "./routes-teams.mjs";
import { Refusal } from "./server.mjs";
import { makeSkill } from "./skills.mjs";

const skill = ({ state, params }) => found(state.skills, params.id, "skill");
const shown = ({ versions, ...one }) => (versions ? one : one);

/** Another version, only over the one that was read. */
function write(at, text, more = {}) {
  const one = skill(at);
  if (at.request.headers["if-match"] !== `"${one.current_version}"`)
    throw new Refusal(412, "precondition-failed", "Somebody else wrote in between");
  Object.assign(one, text, { current_version: one.current_version + 1, updated_at: ago(0) });
  one.versions.unshift({
    version: one.current_version,
    title: one.title,
    at: ago(0),
    author: at.state.user,
    body: one.body,
    ...more,
  });
  at.mock.hub.changed("skill", one.id, one.current_version);
  return { body: shown(one) };
}

export const skillRoutes = (signedIn) => ({
  "GET /api/skills": signedIn(({ state }) => ({
    body: { items: state.skills.map(({ body, versions, ...one }) => (body || versions ? one : one)) },
  })),
  "POST /api/skills": signedIn(({ state, body }) => {
    if (state.skills.some(({ name }) => name === body.name))
      throw new Refusal(400, "validation", "The request is not valid", {
        errors: [{ pointer: "/name", detail: "another skill has this name" }],
      });
    const made = makeSkill(body.name, { ...body, source_kind: "authored", visibility: "workspace" });
    state.skills.push(made);
    return { status: 201, body: shown(made) };
  }),
  "GET /api/skills/:id": signedIn((at) => ({ body: shown(skill(at)) })),
  "PUT /api/skills/:id": signedIn((at) => write(at, at.body)),
  "DELETE /api/skills/:id": signedIn((at) => {
    const one = skill(at);
    at.state.skills = at.state.skills.filter(({ id }) => id !== one.id);
    return { status: 204 };
  }),
  "GET /api/skills/:id/versions": signedIn((at) => ({ body: { items: skill(at).versions } })),
  "GET /api/skills/:id/versions/:version": signedIn((at) => ({
    body: skill(at).versions.find(({ version }) => String(version) === at.params.version),
  })),
  "POST /api/skills/:id/versions/:version/restore": signedIn((at) => {
    const before = skill(at).versions.find(({ version }) => String(version) === at.params.version);
    return write(at, { body: before.body, title: before.title }, { restored_from: before.version });
  }),
});
