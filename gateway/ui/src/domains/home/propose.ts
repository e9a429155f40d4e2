// Who fits a goal: teams, agents and templates of the workspace, ranked by the words of the goal, by the repository's
// language and by how their last runs ended. Pure, without a model, so the same facts give the same proposal.
import type { RunSummary } from "~/api/runs";
import type { TemplateBrief } from "~/api/teams";
import type { Worker } from "./workers";

export interface Proposal {
  kind: "team" | "agent" | "template";
  id: string;
  /** The key of a worker; a template has none. */
  key?: string | undefined;
  name: string;
  /** Why it was proposed, as sentences. The strongest reason is first. */
  reasons: string[];
}

export interface Facts {
  workers: readonly Worker[];
  templates: readonly TemplateBrief[];
  runs: readonly Pick<RunSummary, "team_id" | "agent_id" | "status" | "outcome">[];
  /** The language of the chosen repository. */
  language?: string | undefined;
}

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

function candidatesOf({ workers, templates }: Facts): Candidate[] {
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
      id: template.id,
      name: template.name,
      stack: template.stack,
      texts: [[template.name, NAME - PURPOSE], ...ofTemplate(template)],
    }));
  return [...working, ...possible];
}

const list = (words: readonly string[]) => words.map((word) => `“${word}”`).join(", ");

/** How the last runs of a worker ended, between -1 and 1, with words. */
function record(one: Candidate, runs: Facts["runs"]): { score: number; reason?: string } {
  const own = runs
    .filter(
      (run) =>
        (one.kind === "team" ? run.team_id : one.kind === "agent" ? run.agent_id : undefined) === one.id,
    )
    .filter((run) => run.status === "completed" || run.status === "failed")
    .slice(0, RECENT);
  if (own.length === 0) return { score: 0 };
  const good = own.filter((run) => run.outcome === "accepted").length;
  const bad = own.filter((run) => run.status === "failed" || run.outcome === "rejected").length;
  const score = (good - bad) / own.length;
  const of = own.length === 1 ? "Its last run was" : `${good || bad} of its last ${own.length} runs were`;
  if (good > 0) return { score, reason: `${of} accepted.` };
  return bad > 0 ? { score, reason: `${of} rejected, or failed.` } : { score };
}

/** The best three for a goal, each with reasons. Nothing fits a goal without words, or one that nobody's words match. */
export function propose(goal: string, facts: Facts): Proposal[] {
  const goalWords = wordsOf(goal);
  if (goalWords.size === 0) return [];
  const all = candidatesOf(facts).map((one) => ({
    one,
    texts: one.texts.map(([text, weight]) => ({ words: wordsOf(text), weight })),
  }));
  const holding = (key: string) =>
    all.filter(({ texts }) => texts.some(({ words }) => words.has(key))).length;
  // A word that everybody has tells nobody apart.
  const rarity = new Map(
    [...goalWords.keys()].map((key) => [key, Math.log(1 + all.length / (holding(key) || 1))]),
  );
  const language = facts.language?.toLowerCase();
  const ranked = all.map(({ one, texts }, at) => {
    const matched: [word: string, score: number][] = [];
    for (const [key, word] of goalWords) {
      const weights = texts.filter(({ words }) => words.has(key)).map(({ weight }) => weight);
      if (weights.length > 0) matched.push([word, Math.max(...weights) * (rarity.get(key) ?? 1)]);
    }
    matched.sort((a, b) => b[1] - a[1]);
    const speaks = language !== undefined && one.stack?.toLowerCase() === language;
    const past = record(one, facts.runs);
    const fit = matched.reduce((sum, [, score]) => sum + score, 0) + (speaks ? LANGUAGE : 0);
    const reasons = [
      ...(matched.length > 0 ? [`Its words match ${list(matched.slice(0, 4).map(([word]) => word))}.`] : []),
      ...(speaks ? [`Made for ${facts.language ?? ""}, the repository's language.`] : []),
      ...(past.reason ? [past.reason] : []),
    ];
    // The record shifts what fits by at most a half. It makes nobody fit.
    return { at, fit: fit * (1 + past.score / 2), one, reasons };
  });
  return ranked
    .filter(({ fit }) => fit > 0)
    .toSorted((a, b) => b.fit - a.fit || a.at - b.at)
    .slice(0, MOST)
    .map(({ one: { texts: _texts, stack: _stack, ...one }, reasons }) => ({ ...one, reasons }));
}
