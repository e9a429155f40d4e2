// What an agent of the mock runs with: its runtime, compartments, skills and tokens.
import { ago, newId } from "./ids.mjs";
import { found } from "./routes-teams.mjs";

const claw = ({ state, params }) => found(state.claws, params.id, "claw");
const teamOf = (state, id) =>
  state.teams.list.find((team) => team.members.some((one) => one.agent_id === id));

const TOOLS = [
  { bundle: "sandbox", name: "shell", description: "Runs a command in the sandbox.", reads_only: false },
  { bundle: "repo", name: "log", description: "The last commits.", reads_only: true },
];

function config(at) {
  const one = claw(at);
  const team = teamOf(at.state, one.id);
  return {
    agent_id: one.id,
    runtime: "built_in",
    record_profile: "toolfree",
    record_bundles: ["door"],
    effective_profile: team?.effective_profile ?? "toolfree",
    effective_bundles: team ? ["sandbox", "repo"] : [],
    model_binding: one.model_binding || null,
    model: one.model_binding ? null : (at.state.models.list.find((m) => m.is_default)?.name ?? "scripted"),
    team_id: team?.id ?? null,
    template_id: team?.template_id ?? null,
    template_version: team?.template_version ?? null,
    role_slot: team?.members.find((m) => m.agent_id === one.id)?.slot ?? null,
    workbench_agent_id: team?.workbench_agent_id === one.id ? null : (team?.workbench_agent_id ?? null),
    tools: team ? TOOLS : [],
  };
}

function skillsOf(at) {
  const { state, params } = at;
  const chosen = (state.choices ??= new Map());
  const mine = chosen.get(params.id) ?? new Map();
  const brief = (skill, more) => ({
    id: skill.id,
    name: skill.name,
    title: skill.title,
    when_to_use: skill.when_to_use,
    version: skill.current_version,
    in_place_of: null,
    pin_in_context: false,
    ...more,
  });
  const [review, debugging] = state.skills;
  const items = [
    brief(debugging, { order_idx: 0, source: "foundation" }),
    brief(review, { order_idx: 1, source: "role", pin_in_context: true }),
    ...state.skills
      .filter(({ id }) => mine.get(id) === true)
      .map((one, at_) => brief(one, { order_idx: 2 + at_, source: "agent" })),
  ].filter(({ id }) => mine.get(id) !== false);
  const out = [...mine].filter(([, include]) => !include);
  const named = (id) => state.skills.find((one) => one.id === id)?.name ?? id;
  return {
    items,
    missing: 1,
    role: null,
    overrides: [...mine].map(([skill_id, include]) => ({ skill_id, include })),
    skipped: [
      { name: "planning", why: "missing" },
      ...out.map(([id]) => ({ name: named(id), why: "excluded" })),
    ],
  };
}

const tokensOf = ({ state, params }) => {
  const all = (state.agentTokens ??= new Map());
  if (!all.has(params.id)) all.set(params.id, []);
  return all.get(params.id);
};

export const runtimeRoutes = (signedIn) => ({
  "GET /api/claws/:id/runtime-config": signedIn((at) => ({ body: config(at) })),
  "GET /api/claws/:id/compartments": signedIn((at) => {
    const one = claw(at);
    const team = teamOf(at.state, one.id);
    const member = team?.members.find(({ agent_id }) => agent_id === one.id);
    return {
      body: {
        agent_id: one.id,
        at_work: one.status === "working" ? 1 : 0,
        identity: { name: one.name, role: one.role || null, prompt_words: 12, status: one.status },
        memory: { version: 2, bytes: 2048 },
        body: one.sandbox
          ? { sandbox_id: one.sandbox.id, node_id: one.sandbox.node_id, state: one.sandbox.state }
          : null,
        skills: skillsOf(at).items.map(({ name, title, pin_in_context }) => ({
          name,
          title,
          pinned: pin_in_context,
        })),
        tools: team ? TOOLS.map(({ name }) => name) : [],
        apps: ["github"],
        seats: member
          ? [
              {
                team_id: team.id,
                team_name: team.name,
                slot: member.slot,
                node: member.node,
                topology: team.topology.kind,
              },
            ]
          : [],
      },
    };
  }),
  "GET /api/claws/:id/skills": signedIn((at) => (claw(at), { body: skillsOf(at) })),
  "PUT /api/claws/:id/skills/:skill": signedIn((at) => {
    skillsOf(at);
    const { choices } = at.state;
    const mine = choices.get(at.params.id) ?? new Map();
    choices.set(at.params.id, mine.set(at.params.skill, at.body.include));
    return { status: 204 };
  }),
  "DELETE /api/claws/:id/skills/:skill": signedIn((at) => {
    at.state.choices?.get(at.params.id)?.delete(at.params.skill);
    return { status: 204 };
  }),
  "GET /api/claws/:id/tokens": signedIn((at) => ({ body: { items: tokensOf(at), next_cursor: null } })),
  "POST /api/claws/:id/tokens": signedIn((at) => {
    const made = {
      id: newId(),
      label: at.body.label,
      created_at: ago(0),
      expires_at: ago(-86_400 * at.body.expires_in_days),
      last_used_at: null,
    };
    tokensOf(at).unshift(made);
    return { status: 201, body: { ...made, token: "rat_planted-0123456789abcdef" } };
  }),
  "DELETE /api/claws/:id/tokens/:token": signedIn((at) => {
    const all = tokensOf(at);
    all.splice(
      all.findIndex(({ id }) => id === at.params.token),
      1,
    );
    return { status: 204 };
  }),
});
