// Teams of the mock, and templates to make them from.
import { ago, newId } from "./ids.mjs";
import { makeClaw } from "./state.mjs";
import { makeGraph } from "./runs.mjs";

const role = (slot, seat, skills = []) => ({
  slot,
  title: slot[0].toUpperCase() + slot.slice(1).replaceAll("_", " "),
  summary: `What the ${slot.replaceAll("_", " ")} is there for, in one line.`,
  seat: seat ?? null,
  skills,
});

export function makeTemplate(key, more = {}) {
  const { roles = [role("planner", null, ["planning"]), role("coder"), role("tester")], ...rest } = more;
  return {
    id: newId(),
    key,
    name: key[0].toUpperCase() + key.slice(1).replaceAll("_", " "),
    description: `A team for ${key.replaceAll("_", " ")}: from the first look to the commit.`,
    category: "development",
    default_topology: "pipeline",
    mcp_bundles: ["skills", "sandbox", "repo"],
    risk_profile: "coding_readwrite",
    source: "builtin",
    stack: "rust",
    version: 1,
    created_at: ago(90_000),
    updated_at: ago(90_000),
    missing_skills: [],
    roles: roles.map((one) => ({
      ...one,
      system_prompt: `You are the ${one.title}.\n\n## Steps\n\n1. Look.\n2. Say what you found.`,
      brain_seed: `# What I know\n\nNothing yet.`,
    })),
    ...rest,
  };
}

export const makeTemplates = () => [
  makeTemplate("rust_sdlc", { name: "Rust, from plan to commit" }),
  makeTemplate("insight_research", {
    category: "research",
    default_topology: "hub_spoke",
    risk_profile: "research_readonly",
    roles: [role("tracker"), role("novelty_hunter"), role("drafter", "hub")],
  }),
  makeTemplate("codebase_research", {
    category: "research",
    default_topology: "star_moe",
    risk_profile: "research_readonly",
    roles: [role("archeologist"), role("mapper"), role("tracer"), role("scribe", "hub")],
  }),
];

/** A team with an agent for each role: new ones, where `claws` names none. */
export function makeTeam(state, template, more = {}) {
  const { roles = template.roles, kind = template.default_topology, claws: given, ...rest } = more;
  const name = rest.name ?? template.name;
  const make = (one) => makeClaw(state, one.name ?? `${name} ${one.slot}`, { role: one.slot });
  const claws = given ?? roles.map(make);
  if (!given) state.claws.push(...claws);
  const { graph, layout } = makeGraph(
    kind,
    roles.map(({ slot }) => slot),
    claws.map(({ id }) => id),
  );
  return {
    id: newId(),
    name,
    state: "ready",
    risk_profile: null,
    mcp_bundles: [],
    effective_profile: template.risk_profile,
    effective_bundles: template.mcp_bundles,
    lifecycle: "permanent",
    machine_id: null,
    template_id: template.id,
    template_version: template.version,
    workbench_agent_id: claws[0].id,
    topology: graph,
    layout,
    steps: { least: roles.length, most: roles.length },
    members: roles.map(({ slot, model_binding }, at) => ({
      node: slot,
      slot,
      agent_id: claws[at].id,
      name: claws[at].name,
      status: "idle",
      model_binding: model_binding ?? null,
    })),
    created_by: state.user,
    created_at: ago(0),
    updated_at: ago(0),
    version: 1,
    ...rest,
  };
}
