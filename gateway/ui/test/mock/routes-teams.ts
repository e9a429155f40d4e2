// Teams of the mock, over HTTP.
import { basedOn, must, Refusal } from "./refusal.ts";
import { keyOf, type AskedOf, type Routes } from "./route.ts";
import { begin, summaryOf } from "./routes-runs.ts";
import type { Schemas } from "./schema.ts";
import { makeTeam, profileOf } from "./teams.ts";

export const found = <T extends { id: string }>(list: T[], id: string | null | undefined, what: string): T =>
  must(
    list.find((each) => each.id === id),
    `There is no such ${what}`,
  );
const team = ({ state, params }: AskedOf) => found(state.teams.list, params.id, "team");

/** The newest run of a team, as a line of the list of teams has it. */
function lastOf({ runs }: AskedOf["state"], { id }: { id: string }): Schemas["RunBrief"] | null {
  const [run] = runs.list
    .filter((one) => one.team_id === id)
    .toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
  if (!run) return null;
  const { title, status, outcome, created_at, ended_at, cost_microusd } = run;
  const { waiting_on, paused_at, cancelling } = run;
  const standing = { status, outcome, waiting_on, paused_at, cancelling };
  return { id: run.id, title, ...standing, created_at, ended_at, cost_microusd };
}

export const teamRoutes = {
  "GET /api/teams": ({ state }) => ({
    body: {
      items: state.teams.list.map((one) => ({ ...one, last_run: lastOf(state, one) })),
      next_cursor: null,
    },
  }),
  "POST /api/teams": ({ state, body, request }) => {
    const { teams, templates } = state;
    const key = keyOf(request) ?? "";
    const roles = body.roles ?? [];
    const wrong = roles.findIndex((one) => one.model_binding === "nobody/nothing");
    if (wrong !== -1)
      throw new Refusal(400, "validation", "The request is not valid", {
        errors: [{ pointer: `/roles/${wrong}/model_binding`, detail: "there is no such model" }],
      });
    const taken = roles.findIndex((one) => state.claws.some(({ name }) => name === one.name));
    if (taken !== -1)
      throw new Refusal(409, "name-taken", "The name is taken", {
        errors: [{ pointer: `/roles/${taken}/name`, detail: "Another agent has this name." }],
      });
    const template = found(templates, body.template_id, "template");
    if (!body.accept_lacks && body.risk_profile !== "toolfree" && template.image.lacks.length > 0)
      throw new Refusal(409, "sandbox-lacks", "The sandboxes would lack something", {
        errors: template.image.lacks.map(({ detail }) => ({ pointer: "/template_id", detail })),
      });
    teams.asked.push({ key, body });
    const before = teams.made.get(key);
    if (before) return { status: 201, body: before };
    const made = makeTeam(state, template, {
      name: body.name,
      kind: body.topology,
      roles: body.roles ?? undefined,
      model_binding: body.model_binding ?? null,
      machine_id: body.machine_id ?? null,
      image: body.image ?? null,
      shared_sandbox: body.shared_sandbox ?? true,
    });
    teams.made.set(key, made);
    teams.list.unshift(made);
    return { status: 201, body: made };
  },
  "GET /api/teams/{id}": (at) => ({ body: team(at) }),
  "DELETE /api/teams/{id}": (at) => {
    const one = team(at);
    at.state.teams.deleted = { id: one.id, agents: at.query.get("with_agents") };
    at.state.teams.list = at.state.teams.list.filter(({ id }) => id !== one.id);
    return { status: 204 };
  },
  "PATCH /api/teams/{id}": (at) => {
    const one = team(at);
    basedOn(one.version, at.request.headers);
    const { repo, ...rest } = at.body;
    Object.assign(one, rest, { version: one.version + 1 });
    if (repo !== undefined)
      one.repo = repo && {
        ...repo,
        base: repo.base ?? null,
        full_name: found(at.state.repos.repos, repo.repo_id, "repository").full_name,
      };
    const { image } = found(at.state.templates, one.template_id, "template");
    one.effective_image = one.image
      ? { kind: one.image, from: "team" }
      : { kind: image.kind, from: "template" };
    return { body: one };
  },
  "PATCH /api/teams/{id}/runtime-config": (at) => {
    const one = team(at);
    basedOn(one.version, at.request.headers);
    const template = found(at.state.templates, one.template_id, "template");
    one.risk_profile = at.body.risk_profile;
    one.effective_profile = one.risk_profile ?? profileOf(template);
    one.version += 1;
    return { body: one };
  },
  "POST /api/teams/{id}/run": (at) => {
    const one = team(at);
    at.state.teams.goal = at.body;
    const slots = one.members.map(({ slot }) => slot);
    const run = begin(at.state, { title: one.name, team_id: one.id, input: at.body.input, slots });
    return { status: 202, body: summaryOf(run) };
  },
} satisfies Routes;
