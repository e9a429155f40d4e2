// Teams of the mock, and templates to make them from.
import { ago, newId } from "./ids.ts";
import { makeGraph } from "./runs.ts";
import type { Claw, Schemas, Team, Template } from "./schema.ts";
import { makeClaw } from "./state.ts";
import type { State } from "./state.ts";

type Topology = Schemas["TopologyKind"];
type TemplateRole = Required<Template["roles"][number]>;
type Role = Pick<TemplateRole, "slot" | "title" | "summary" | "seat" | "skills">;

const TOPOLOGIES: Topology[] = ["single", "pipeline", "hub_spoke", "hierarchical", "star_moe", "compare"];
const PROFILES: Schemas["RiskProfile"][] = ["toolfree", "research_readonly", "coding_readwrite"];
const BUNDLES: Schemas["ToolBundle"][] = ["door", "skills", "sandbox", "repo"];

const role = (slot: string, seat: TemplateRole["seat"] = null, skills: string[] = []): Role => ({
  slot,
  title: slot[0].toUpperCase() + slot.slice(1).replaceAll("_", " "),
  summary: `What the ${slot.replaceAll("_", " ")} is there for, in one line.`,
  seat,
  skills,
});

export function makeTemplate(
  key: string,
  more: Partial<Omit<Template, "roles">> & { roles?: Role[] } = {},
): Template {
  const { roles = [role("planner", null, ["planning"]), role("coder"), role("tester")], ...rest } = more;
  const template: Template = {
    id: newId(),
    key,
    name: key[0].toUpperCase() + key.slice(1).replaceAll("_", " "),
    description: `A team for ${key.replaceAll("_", " ")}: from the first look to the commit.`,
    category: "development",
    default_topology: "pipeline",
    mcp_bundles: ["skills", "sandbox", "repo"],
    risk_profile: "coding_readwrite",
    image: { kind: "rust", tag: "roost-agent:rust", lacks: [] },
    needs: [],
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
  };
  return { ...template, ...rest };
}

export const makeTemplates = (): Template[] => [
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

/** What agents of a template may do at most. */
export const profileOf = (template: Template): Schemas["RiskProfile"] =>
  PROFILES.find((one) => one === template.risk_profile) ?? "toolfree";

/** A role that somebody fills, under a name and with a model of its own. */
interface Seat {
  slot: string;
  name?: string | null;
  model_binding?: string | null;
}

/** A team with an agent for each role: new ones, where `claws` names none. */
export function makeTeam(
  state: State,
  template: Template,
  more: Partial<Team> & { roles?: Seat[]; kind?: Topology | null; claws?: Claw[] } = {},
): Team {
  const { roles = template.roles, kind: wanted, claws: given, ...rest } = more;
  const kind = wanted ?? TOPOLOGIES.find((one) => one === template.default_topology) ?? "pipeline";
  const name = rest.name ?? template.name;
  const make = (one: Seat) => makeClaw(state, one.name ?? `${name} ${one.slot}`, { role: one.slot });
  const claws = given ?? roles.map(make);
  if (!given) state.claws.push(...claws);
  const { graph, layout } = makeGraph(
    kind,
    roles.map(({ slot }) => slot),
    claws.map(({ id }) => id),
  );
  const team: Team = {
    id: newId(),
    name,
    state: "ready",
    risk_profile: null,
    mcp_bundles: [],
    effective_profile: profileOf(template),
    effective_bundles: BUNDLES.filter((one) => template.mcp_bundles.includes(one)),
    lifecycle: "permanent",
    machine_id: null,
    image: null,
    effective_image: { kind: rest.image ?? template.image.kind, from: rest.image ? "team" : "template" },
    limits: {},
    repo: null,
    template_id: template.id,
    template_version: template.version,
    shared_sandbox: true,
    topology: graph,
    layout,
    steps: { least: roles.length, most: roles.length },
    members: roles.map(({ slot, model_binding }: Seat, at) => ({
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
  };
  return { ...team, ...rest };
}
