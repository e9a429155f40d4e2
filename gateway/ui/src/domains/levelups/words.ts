// The words of level-ups, and decisions about what a person chose. Pure code.
import type { Problem } from "~/api/problem";
import type { LevelUp, LevelUpBrief, LevelUpItem, LevelUpKind, LevelUpStatus } from "~/api/levelups";
import type { Tone } from "~/ui/status";
import { bundleName } from "~/ui/template-words";
import type { Subject } from "./subject";

export const KINDS: Record<LevelUpKind, string> = {
  identity_refinement: "New instructions",
  skill_add: "Skill from the catalogue",
  skill_candidate: "New skill",
  brain_consolidation: "New text of the brain",
  roster_change: "Change of roles",
  mcp_bundle_change: "Change of tools",
};

export const STATUSES: Record<LevelUpStatus, { tone: Tone; word: string }> = {
  pending: { tone: "waiting", word: "Waits for you" },
  applied: { tone: "done", word: "Applied" },
  rejected: { tone: "idle", word: "Rejected" },
};

export const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

/** What an item changes, as two texts. Absent for an item that changes a list (`lists.ts`). */
export function texts(item: LevelUpItem): { before: string; after: string; what: string } | undefined {
  const lines = (bundles: readonly string[]) => bundles.map(bundleName).toSorted().join("\n");
  switch (item.kind) {
    case "identity_refinement":
      return { before: item.before ?? "", after: item.after ?? "", what: "the instructions" };
    case "brain_consolidation":
      return { before: item.before ?? "", after: item.after ?? "", what: "the brain" };
    case "skill_candidate":
      return item.skill
        ? { before: "", after: item.skill.body, what: `the skill ${item.skill.name}` }
        : undefined;
    case "mcp_bundle_change":
      return item.bundles
        ? { before: lines(item.bundles.before), after: lines(item.bundles.after), what: "the tools" }
        : undefined;
    case "skill_add":
    case "roster_change":
      return undefined;
  }
}

/** What happened to an item of a proposal that was decided. */
export function fate(proposal: LevelUp, item: LevelUpItem): { tone: Tone; word: string } | undefined {
  if (proposal.status === "pending") return undefined;
  if (proposal.applied_items.includes(item.id)) return { tone: "done", word: "Applied" };
  if (proposal.payload.for_a_person.includes(item.id))
    return { tone: "warning", word: "A person makes this change" };
  return { tone: "idle", word: "Not applied" };
}

/** The items that the gateway refused to apply, with its reasons: it names them by their places in the request. */
export function outdated(problem: Problem, sent: readonly string[]): Map<string, string> {
  const refused = new Map<string, string>();
  if (problem.code !== "proposal-outdated") return refused;
  for (const { pointer, detail } of problem.fields) {
    const place = /^#?\/approved_item_ids\/(\d+)$/.exec(pointer)?.[1];
    const id = place === undefined ? undefined : sent[Number(place)];
    if (id !== undefined)
      refused.set(id, detail.startsWith(`${id}: `) ? detail.slice(id.length + 2) : detail);
  }
  return refused;
}

/** True when the answer is another person's decision and not what was sent. */
export function isOfOthers(answer: LevelUp, sent: readonly string[] | "reject"): boolean {
  if (sent === "reject") return answer.status !== "rejected";
  const done = [...answer.applied_items, ...answer.payload.for_a_person].toSorted();
  return answer.status !== "applied" || done.join() !== [...sent].toSorted().join();
}

/** The pending proposals that a page shows: its own, and for an agent those of its teams that change it. */
export function pendingOf(all: readonly LevelUpBrief[], { kind, id }: Subject): LevelUpBrief[] {
  return all.filter((one) =>
    kind === "team"
      ? one.team_id === id
      : one.agent_id === id || one.payload.items.some(({ agent_id }) => agent_id === id),
  );
}

/** What a proposal contains, in a line. */
export function contents({ payload: { items } }: LevelUpBrief): string {
  if (items.length === 0) return "No changes";
  const kinds = [...new Set(items.map(({ kind }) => KINDS[kind].toLowerCase()))];
  return `${count(items.length, "change")}: ${kinds.join(", ")}`;
}

/** The part of a run's page that shows the agent of a step. */
export const partOf = (step: string) => `agent-${step}`;
