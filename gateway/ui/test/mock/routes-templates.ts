// Team templates of the mock, over HTTP.
import { ago, newId } from "./ids.ts";
import { basedOn, Refusal } from "./refusal.ts";
import type { AskedOf, Routes } from "./route.ts";
import { found } from "./routes-teams.ts";
import type { Schemas, Template } from "./schema.ts";
import type { State } from "./state.ts";

const template = ({ state, params }: AskedOf): Template => found(state.templates, params.id, "template");

const briefOf = ({ missing_skills: _m, roles, ...one }: Template): Schemas["TeamTemplateBrief"] => ({
  ...one,
  roles: roles.map(({ slot, title, summary = "", seat = null, skills = [] }) => ({
    slot,
    title,
    summary,
    seat,
    skills,
  })),
});

/** The agents of the first template's roles; the first of them is behind until it is upgraded. */
const agentsOf = (state: State, one: Template): Schemas["TemplateAgent"][] =>
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

export const templateRoutes = {
  "GET /api/team-templates": ({ state }) => ({
    body: { items: state.templates.map(briefOf), next_cursor: null },
  }),
  "POST /api/team-templates": ({ state, body }) => {
    if (state.templates.some(({ key }) => key === body.key))
      throw new Refusal(400, "validation", "The request is not valid", {
        errors: [{ pointer: "/key", detail: "another template has this key" }],
      });
    const from = found(state.templates, body.from, "template");
    const made: Template = {
      ...from,
      key: body.key,
      name: body.name ?? from.name,
      id: newId(),
      source: "workspace",
      version: 1,
    };
    state.templates.push(made);
    return { status: 201, body: made };
  },
  "GET /api/team-templates/{id}": (at) => ({ body: template(at) }),
  "PUT /api/team-templates/{id}": (at) => {
    const one = template(at);
    basedOn(one.version, at.request.headers);
    const wrong = at.body.roles.findIndex(({ slot }, n) =>
      at.body.roles.some((other, m) => m < n && other.slot === slot),
    );
    if (wrong !== -1)
      throw new Refusal(400, "validation", "The request is not valid", {
        errors: [{ pointer: `/roles/${wrong}/slot`, detail: "is there already" }],
      });
    (at.state.before ??= []).push({ ...one });
    const { image, needs, ...rest } = at.body;
    Object.assign(one, rest, {
      image: { kind: image ?? null, tag: image ? `roost-agent:${image}` : "roost-agent:rust", lacks: [] },
      needs: needs ?? [],
      version: one.version + 1,
    });
    return { body: one };
  },
  "DELETE /api/team-templates/{id}": (at) => {
    const one = template(at);
    at.state.templates = at.state.templates.filter(({ id }) => id !== one.id);
    return { status: 204 };
  },
  "GET /api/team-templates/{id}/agents": (at) => ({
    body: { items: agentsOf(at.state, template(at)) },
  }),
  "POST /api/team-templates/{id}/upgrade": (at) => {
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
  },
  "GET /api/team-templates/{id}/versions": (at) => {
    const { version } = template(at);
    const items = Array.from({ length: version }, (_, n) => version - n);
    return {
      body: { items: items.map((one) => ({ version: one, at: ago(900), author: null, sha256: "6c" })) },
    };
  },
  "GET /api/team-templates/{id}/versions/{version}": (at) => {
    const one = template(at);
    const kept = at.state.before?.find(
      ({ id, version }) => id === one.id && String(version) === at.params.version,
    );
    const {
      name,
      description,
      category,
      default_topology,
      image,
      mcp_bundles,
      needs,
      risk_profile,
      roles,
      stack,
    } = kept ?? {
      ...one,
      description: `As it was in version ${at.params.version}`,
    };
    const content = {
      name,
      description,
      category,
      default_topology,
      image: image.kind,
      mcp_bundles,
      needs,
      risk_profile,
      roles,
      stack,
    };
    return { body: { version: Number(at.params.version), at: ago(900), content } };
  },
} satisfies Routes;
