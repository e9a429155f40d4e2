// Skills of the mock, over HTTP.
import { ago } from "./ids.ts";
import { basedOn, must, Refusal } from "./refusal.ts";
import type { AskedOf, Routes } from "./route.ts";
import { found } from "./routes-teams.ts";
import type { Schemas } from "./schema.ts";
import { makeSkill } from "./skills.ts";
import type { KnownSkill } from "./state.ts";

type Version = Schemas["SkillVersion"];

const skill = ({ state, params }: AskedOf): KnownSkill => found(state.skills, params.id, "skill");
const shown = ({ versions: _versions, ...one }: KnownSkill): Schemas["Skill"] => one;
const briefOf = ({
  versions: _versions,
  body: _body,
  created_at: _at,
  ...one
}: KnownSkill): Schemas["SkillBrief"] => one;
const versionOf = (at: AskedOf & { params: { version: string } }): Version =>
  must(skill(at).versions.find(({ version }) => String(version) === at.params.version));

/** Another version, only over the one that was read. */
function write(at: AskedOf, text: Partial<Schemas["SkillText"]>, more: Partial<Version> = {}) {
  const one = skill(at);
  basedOn(one.current_version, at.request.headers);
  Object.assign(one, text, { current_version: one.current_version + 1, updated_at: ago(0) });
  one.versions.unshift({
    version: one.current_version,
    title: one.title,
    at: ago(0),
    author: at.state.user,
    body: one.body,
    tags: one.tags,
    when_to_use: one.when_to_use,
    ...more,
  });
  at.mock.hub.changed("skill", one.id, one.current_version);
  return { body: shown(one) };
}

export const skillRoutes = {
  "GET /api/skills": ({ state }) => ({
    body: { items: state.skills.map(briefOf) },
  }),
  "POST /api/skills": ({ state, body }) => {
    if (state.skills.some(({ name }) => name === body.name))
      throw new Refusal(400, "validation", "The request is not valid", {
        errors: [{ pointer: "/name", detail: "another skill has this name" }],
      });
    const made = makeSkill(body.name, {
      title: body.title,
      when_to_use: body.when_to_use,
      body: body.body,
      tags: body.tags ?? [],
      source_kind: "authored",
      visibility: "workspace",
    });
    state.skills.push(made);
    return { status: 201, body: shown(made) };
  },
  "GET /api/skills/{id}": (at) => ({ body: shown(skill(at)) }),
  "PUT /api/skills/{id}": (at) => write(at, at.body),
  "DELETE /api/skills/{id}": (at) => {
    const one = skill(at);
    at.state.skills = at.state.skills.filter(({ id }) => id !== one.id);
    return { status: 204 };
  },
  "GET /api/skills/{id}/versions": (at) => ({
    body: { items: skill(at).versions.map(({ body: _b, tags: _t, when_to_use: _w, ...one }) => one) },
  }),
  "GET /api/skills/{id}/versions/{version}": (at) => ({ body: versionOf(at) }),
  "POST /api/skills/{id}/versions/{version}/restore": (at) => {
    const before = versionOf(at);
    return write(at, { body: before.body, title: before.title }, { restored_from: before.version });
  },
} satisfies Routes;
