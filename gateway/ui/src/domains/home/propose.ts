// Who fits a goal: teams, agents and templates of the workspace, ranked by the words of the goal, by the repository's
// language and by how their last runs ended. Pure, without a model, so the same facts give the same proposal.
import type { RunSummary } from "~/api/runs";
import type { TemplateBrief } from "~/api/teams";
import { templateKey, type Worker } from "./workers";

export interface Proposal {
  kind: "team" | "agent" | "template";
  id: string;
  /** The key of the choice. */
  key: string;
  name: string;
  /** Why it was proposed, as sentences. The strongest reason is first. */
  reasons: string[];
}

export interface Facts {
  workers: readonly Worker[];
  templates: readonly TemplateBrief[];
  runs: readonly PastRun[];
}
type PastRun = Pick<RunSummary, "team_id" | "agent_id" | "status" | "outcome">;

/** Words that say nothing about the work. */
const EMPTY = new Set(
  "a an as at be by do if in is it me my no of on or so to up us we the and for with that this from into our your are was were will can please make want need should have has not all any new use using how what when then than its".split(
    " ",
  ),
);

/** Beginnings by which words of one meaning are the same: tests, tested and testing. */
function stem(word: string): string {
  const short = word.replace(/(?:ing|ed|es|e|s)$/u, "");
  return short.length >= 3 ? short : word;
}

/** The words of a text, by their beginnings, each as it was first written. */
export function wordsOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const word of text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}+#]{2,}/gu) ?? []) {
    if (EMPTY.has(word)) continue;
    const key = stem(word);
    if (!found.has(key)) found.set(key, word);
  }
  return found;
}

interface Candidate extends Omit<Proposal, "reasons"> {
  /** A name says more than a description, and that says more than a prompt. */
  texts: readonly [text: string, weight: number][];
  stack?: string | undefined;
}

const NAME = 3;
const PURPOSE = 2;
const PROMPT = 1;
const LANGUAGE = 2;
const MOST = 3;
const RECENT = 5;

function candidatesOf({ workers, templates }: Pick<Facts, "workers" | "templates">): Candidate[] {
  const byId = new Map(templates.map((template) => [template.id as string, template]));
  const ofTemplate = (template: TemplateBrief | undefined): [string, number][] =>
    template
      ? [
          [template.name, PURPOSE],
          [template.description, PURPOSE],
          [template.category, PROMPT],
          [template.roles.map((role) => `${role.title} ${role.summary ?? ""}`).join(" "), PROMPT],
          [template.roles.flatMap((role) => role.skills ?? []).join(" "), PURPOSE],
        ]
      : [];
  const working = workers.map((worker): Candidate => {
    const { key, id, name, kind } = worker;
    if (worker.kind === "agent")
      return {
        kind,
        key,
        id,
        name,
        texts: [
          [name, NAME],
          [worker.agent.role ?? "", PURPOSE],
          [worker.agent.system_prompt ?? "", PROMPT],
        ],
      };
    const template = byId.get(worker.team.template_id ?? "");
    return {
      kind,
      key,
      id,
      name,
      stack: template?.stack,
      texts: [
        [name, NAME],
        [worker.team.description ?? "", PURPOSE],
        [worker.team.members.map(({ slot, name: member }) => `${slot} ${member ?? ""}`).join(" "), PURPOSE],
        ...ofTemplate(template),
      ],
    };
  });
  // A team of the template is there already, so the template itself adds nothing.
  const made = new Set(
    workers.map((worker) => (worker.kind === "team" ? worker.team.template_id : undefined)),
  );
  const possible = templates
    .filter(({ id }) => !made.has(id))
    .map((template): Candidate => ({
      kind: "template",
      key: templateKey(template.id),
      id: template.id,
      name: template.name,
      stack: template.stack,
      texts: [[template.name, NAME - PURPOSE], ...ofTemplate(template)],
    }));
  return [...working, ...possible];
}

const list = (words: readonly string[]) => words.map((word) => `“${word}”`).join(", ");

/** How the last runs of a worker ended, between -1 and 1, with words. */
function record(all: readonly PastRun[]): { score: number; reason?: string } {
  const own = all.filter((run) => run.status === "completed" || run.status === "failed").slice(0, RECENT);
  if (own.length === 0) return { score: 0 };
  const good = own.filter((run) => run.outcome === "accepted").length;
  const bad = own.filter((run) => run.status === "failed" || run.outcome === "rejected").length;
  const score = (good - bad) / own.length;
  const of = own.length === 1 ? "Its last run was" : `${good || bad} of its last ${own.length} runs were`;
  if (good > 0) return { score, reason: `${of} accepted.` };
  return bad > 0 ? { score, reason: `${of} rejected, or failed.` } : { score };
}

const groupBy = <T>(all: readonly T[], keyOf: (one: T) => string | null | undefined) => {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    if (!key) continue;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
};

/**
 * What is known of all who could work, by the words that they are found by. There may be 10,000 of them, so their texts
 * are read once, and a letter of the goal costs only those who have one of its words.
 */
export class Fits {
  private readonly all: Candidate[];
  /** For each word, who has it and how much it says of them. */
  private readonly words = new Map<string, Map<number, number>>();
  private readonly stacks = new Map<string, number[]>();
  private readonly runs: Map<string, PastRun[]>;

  constructor({ workers, templates, runs }: Facts) {
    this.all = candidatesOf({ workers, templates });
    this.runs = groupBy(runs, ({ team_id, agent_id }) =>
      team_id ? `team:${team_id}` : agent_id && `agent:${agent_id}`,
    );
    this.all.forEach(({ texts, stack }, at) => {
      for (const [text, weight] of texts) for (const word of wordsOf(text).keys()) this.put(word, at, weight);
      if (stack) this.stacks.set(stack.toLowerCase(), [...(this.stacks.get(stack.toLowerCase()) ?? []), at]);
    });
  }

  private put(word: string, at: number, weight: number) {
    const found = this.words.get(word) ?? new Map<number, number>();
    this.words.set(word, found.set(at, Math.max(found.get(at) ?? 0, weight)));
  }

  /** The best three for a goal, each with reasons. Nothing fits a goal without words, or one that nobody's words match. */
  of(goal: string, language?: string): Proposal[] {
    const goalWords = wordsOf(goal);
    if (goalWords.size === 0) return [];
    const matched = new Map<number, [word: string, score: number][]>();
    for (const [key, word] of goalWords) {
      const found = this.words.get(key);
      if (!found) continue;
      // A word that everybody has tells nobody apart.
      const rarity = Math.log(1 + this.all.length / found.size);
      for (const [at, weight] of found) {
        const own = matched.get(at);
        if (own) own.push([word, weight * rarity]);
        else matched.set(at, [[word, weight * rarity]]);
      }
    }
    const speaking = new Set(language === undefined ? [] : this.stacks.get(language.toLowerCase()));
    return [...new Set([...matched.keys(), ...speaking])]
      .map((at) => {
        const { score } = record(this.runs.get(this.all[at]?.key ?? "") ?? []);
        const words = matched.get(at) ?? [];
        const fit = words.reduce((sum, [, one]) => sum + one, 0) + (speaking.has(at) ? LANGUAGE : 0);
        // The record shifts what fits by at most a half. It makes nobody fit.
        return { at, fit: fit * (1 + score / 2), words };
      })
      .filter(({ fit }) => fit > 0)
      .toSorted((a, b) => b.fit - a.fit || a.at - b.at)
      .slice(0, MOST)
      .flatMap(({ at, words }) => {
        const one = this.all[at];
        if (!one) return [];
        const { texts: _texts, stack: _stack, ...proposal } = one;
        const best = words.toSorted((a, b) => b[1] - a[1]).slice(0, 4);
        const { reason } = record(this.runs.get(one.key) ?? []);
        const reasons = [
          ...(best.length > 0 ? [`Its words match ${list(best.map(([word]) => word))}.`] : []),
          ...(speaking.has(at) ? [`Made for ${language ?? ""}, the repository's language.`] : []),
          ...(reason ? [reason] : []),
        ];
        return [{ ...proposal, reasons }];
      });
  }
}
