// What an agent of the mock runs with: its runtime, compartments, skills and tokens.
import { ago, newId } from "./ids.ts";
import type { AskedOf, Routes } from "./route.ts";
import { basedOn } from "./refusal.ts";
import { begin, summaryOf } from "./routes-runs.ts";
import { found } from "./routes-teams.ts";
import type { Claw, Schemas, Team } from "./schema.ts";
import type { State } from "./state.ts";
import type { KnownSkill } from "./state.ts";

const claw = ({ state, params }: AskedOf): Claw => found(state.claws, params.id, "claw");
const teamOf = (state: State, id: string): Team | undefined =>
  state.teams.list.find((team) => team.members.some((one) => one.agent_id === id));

/** What an agent has of its own. */
function rightsOf(state: State, id: string) {
  const own = state.rights.get(id) ?? { profile: "toolfree" as const, bundles: ["door" as const] };
  state.rights.set(id, own);
  return own;
}

const TOOLS: Schemas["OfferedTool"][] = [
  { bundle: "sandbox", name: "shell", description: "Runs a command in the sandbox.", reads_only: false },
  { bundle: "repo", name: "log", description: "The last commits.", reads_only: true },
];

function config(at: AskedOf): Schemas["AgentRuntimeConfig"] {
  const one = claw(at);
  const team = teamOf(at.state, one.id);
  const own = rightsOf(at.state, one.id);
  return {
    agent_id: one.id,
    runtime: "built_in",
    version: one.version,
    record_profile: own.profile,
    record_bundles: own.bundles,
    effective_profile: team?.effective_profile ?? own.profile,
    image: own.image ?? null,
    effective_image: own.image
      ? { kind: own.image, from: "agent" }
      : (team?.effective_image ?? { kind: null, from: "deployment" }),
    limits: own.limits ?? {},
    effective_limits: { ...team?.limits, ...own.limits },
    effective_bundles: team ? ["sandbox", "repo", ...own.bundles] : own.bundles,
    model_binding: one.model_binding || null,
    model: one.model_binding
      ? (at.state.models.list.find(({ name }) => name === one.model_binding)?.name ?? null)
      : (at.state.models.list.find((m) => m.is_default)?.name ?? "scripted"),
    team_id: team?.id ?? null,
    template_id: team?.template_id ?? null,
    template_version: team?.template_version ?? null,
    role_slot: team?.members.find((m) => m.agent_id === one.id)?.slot ?? null,
    sandbox_team_id: team?.shared_sandbox ? team.id : null,
    tools: team ? TOOLS : [],
  };
}

type ClawSkill = Schemas["ClawSkill"];

/** The skills that a person put in or left out. */
function choicesOf(state: State, id: string): Map<string, boolean> {
  const made = state.choices.get(id) ?? new Map<string, boolean>();
  state.choices.set(id, made);
  return made;
}

function skillsOf(at: AskedOf): Schemas["ClawSkills"] {
  const { state, params } = at;
  const mine = choicesOf(state, params.id);
  const brief = (
    skill: KnownSkill,
    more: Pick<ClawSkill, "order_idx" | "source"> & Partial<ClawSkill>,
  ): ClawSkill => ({
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
  const named = (id: string) => state.skills.find((one) => one.id === id)?.name ?? id;
  return {
    items,
    missing: 1,
    role: null,
    overrides: [...mine].map(([skill_id, include]) => ({ skill_id, include })),
    skipped: [
      { name: "planning", why: "missing" },
      ...out.map(([id]) => ({ name: named(id), why: "excluded" as const })),
    ],
  };
}

function tokensOf({ state, params }: AskedOf): Schemas["AgentToken"][] {
  const made = state.agentTokens.get(params.id) ?? [];
  state.agentTokens.set(params.id, made);
  return made;
}

export const runtimeRoutes = {
  "GET /api/claws/{id}/runtime-config": (at) => ({ body: config(at) }),
  "PATCH /api/claws/{id}/runtime-config": (at) => {
    const one = claw(at);
    basedOn(one.version, at.request.headers);
    const own = rightsOf(at.state, one.id);
    at.state.rights.set(one.id, {
      profile: at.body.risk_profile ?? own.profile,
      bundles: at.body.mcp_bundles ?? own.bundles,
      image: at.body.image === undefined ? own.image : at.body.image,
      limits: at.body.limits ?? own.limits,
    });
    one.version += 1;
    return { body: config(at) };
  },
  "POST /api/claws/{id}/run": (at) => {
    const one = claw(at);
    const { input } = at.body;
    const run = begin(at.state, {
      title: `${one.name}: ${input}`,
      agent_id: one.id,
      origin: { type: "chat" },
      tier: "single",
      input,
      kind: "single",
      slots: ["agent"],
    });
    return { status: 202, body: summaryOf(run) };
  },
  "GET /api/claws/{id}/compartments": (at) => {
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
        seats:
          team && member
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
  },
  "GET /api/claws/{id}/skills": (at) => (claw(at), { body: skillsOf(at) }),
  "PUT /api/claws/{id}/skills/{skill_id}": (at) => {
    choicesOf(at.state, at.params.id).set(at.params.skill_id, at.body.include);
    return { status: 204 };
  },
  "DELETE /api/claws/{id}/skills/{skill_id}": (at) => {
    choicesOf(at.state, at.params.id).delete(at.params.skill_id);
    return { status: 204 };
  },
  "GET /api/claws/{id}/tokens": (at) => ({ body: { items: tokensOf(at), next_cursor: null } }),
  "POST /api/claws/{id}/tokens": (at) => {
    const made = {
      id: newId(),
      label: at.body.label,
      created_at: ago(0),
      expires_at: ago(-86_400 * (at.body.expires_in_days ?? 30)),
      last_used_at: null,
    };
    tokensOf(at).unshift(made);
    return {
      status: 201,
      body: {
        id: made.id,
        label: made.label,
        expires_at: made.expires_at,
        token: "rat_planted-0123456789abcdef",
      },
    };
  },
  "DELETE /api/claws/{id}/tokens/{token_id}": (at) => {
    const all = tokensOf(at);
    all.splice(
      all.findIndex(({ id }) => id === at.params.token_id),
      1,
    );
    return { status: 204 };
  },
} satisfies Routes;
