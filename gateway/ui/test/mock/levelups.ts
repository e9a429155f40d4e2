// Level-ups of the mock: proposals with items of every kind.
import { ago, newId } from "./ids.ts";
import { must } from "./refusal.ts";
import type { Claw, Run, Schemas, Team } from "./schema.ts";
import type { State } from "./state.ts";

export type LevelUp = Schemas["LevelUpProposal"];
type Item = Schemas["LevelUpItem"];
type Kind = Schemas["LevelUpItemKind"];

/** A passage of a run's step. */
const ofRun = (run: Run, excerpt: string): Schemas["LevelUpEvidence"] => ({
  kind: "run",
  run_id: run.id,
  run_title: run.title,
  outcome: "rejected",
  step: "planner",
  lap: 0,
  excerpt,
});

export function makeItem(id: string, kind: Kind, more: Partial<Item> = {}): Item {
  return {
    id,
    kind,
    summary: `Item ${id}`,
    rationale: "Two runs were rejected for the same reason.",
    evidence: [{ kind: "roster", excerpt: "bundles: sandbox" }],
    needs_human: kind === "roster_change" || kind === "mcp_bundle_change",
    ...more,
  };
}

/** What a model would propose for this agent, as the gateway keeps it. */
export function itemsFor(state: State, claw: Claw): Item[] {
  const of = { agent_id: claw.id, agent_name: claw.name };
  const run = must(state.runs.list[0]);
  const skill = must(state.skills.find(({ name }) => name === "release-notes"));
  const brain = must(state.brains.get(claw.id)?.at(-1));
  return [
    makeItem("i1", "identity_refinement", {
      ...of,
      summary: "Run the tests before saying that the work is done",
      before: claw.system_prompt ?? "",
      after: `${claw.system_prompt}\nRun the tests first.`,
      evidence: [
        ofRun(run, "The tests were not run."),
        { kind: "system_prompt", agent_id: claw.id, excerpt: "Keep it short." },
      ],
    }),
    makeItem("i2", "brain_consolidation", {
      ...of,
      summary: "Say each thing once",
      before: brain.agent_md,
      after: "# Scribe\n\nShort, and why before what.",
      base_version: brain.version,
      evidence: [{ kind: "brain", agent_id: claw.id, excerpt: "Keeps it short." }],
    }),
    makeItem("i3", "skill_add", {
      ...of,
      summary: "Learn to write release notes",
      skill_id: skill.id,
      skill_name: skill.name,
    }),
    makeItem("i4", "skill_candidate", {
      ...of,
      summary: "Keep what worked as a skill",
      skill: {
        name: "fast-tests",
        title: "Fast tests",
        when_to_use: "When tests take longer than a minute.",
        tags: ["tests"],
        body: "# Fast tests\n\n1. Run one.",
      },
    }),
    makeItem("i5", "mcp_bundle_change", {
      summary: "Let it read skills",
      bundles: { before: ["sandbox"], after: ["sandbox", "skills"] },
    }),
  ];
}

export function makeLevelUp(
  state: State,
  of: { agent?: Claw; team?: Team },
  items: Item[],
  more: Partial<LevelUp> = {},
): LevelUp {
  return {
    id: newId(),
    workspace_id: state.workspace,
    ...(of.agent && { agent_id: of.agent.id }),
    ...(of.team && { team_id: of.team.id }),
    status: "pending",
    payload: {
      summary: "It works well, and forgets the tests.",
      items,
      dropped: [],
      basis: {
        runs: state.runs.list.slice(0, 3).map(({ id }) => id),
        accepted: 1,
        rejected: 1,
        undecided: 0,
        agents: of.agent ? [of.agent.id] : [],
        scripted: false,
        repaired: false,
        tokens_in: 12_400,
        tokens_out: 900,
        cost_microusd: 42_000,
      },
      for_a_person: [],
    },
    applied_items: [],
    model: "anthropic/claude-sonnet",
    created_by: state.user,
    created_at: ago(90),
    ...more,
  };
}
