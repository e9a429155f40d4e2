// A mission that is being written down. It outlives the tab, a reload and an ended session.
import type { NewMission, PhaseKind, TemplateKind } from "~/api/missions";
import { microusdOf } from "~/ui/dollars";
import { goalLine } from "./list";
import { hasTeams, PHASE_KINDS, TEMPLATE_KINDS, TEMPLATES } from "./words";

export interface Draft {
  title: string;
  goal: string;
  kind: TemplateKind;
  /** The phases of a custom mission, in order. */
  phases: PhaseKind[];
  /** The ids of team templates, in the order of their choice. */
  teams: Record<"research" | "coding", string[]>;
  repo: string;
  base: string;
  /** The id of a machine; empty for wherever the teams and the workspace say. */
  machine: string;
  model: string;
  /** Dollars, as typed. */
  budget: string;
  /** The command of the benchmark; empty for what Roost finds. */
  benchmark: string;
  /** The image for benchmarks and scans; empty for that of the coding team. */
  image: string;
  /** The image of the mission's own runtime; empty for Roost itself. */
  runtime: string;
  /** The command that starts its server; empty for the usual one. */
  program: string;
}

export const EMPTY: Draft = {
  title: "",
  goal: "",
  kind: "development",
  phases: ["research", "coding"],
  teams: { research: [], coding: [] },
  repo: "",
  base: "",
  machine: "",
  model: "",
  budget: "",
  benchmark: "",
  image: "",
  runtime: "",
  program: "",
};

/** The largest number of phases of a mission. */
export const MOST_PHASES = 20;
/** The largest number of teams for one purpose. */
export const MOST_TEAMS = 10;

export const phasesOf = ({ kind, phases }: Pick<Draft, "kind" | "phases">): PhaseKind[] =>
  kind === "custom" ? phases : TEMPLATES[kind].phases;

/** The purposes that teams are needed for. */
export const purposesOf = (draft: Pick<Draft, "kind" | "phases">) =>
  (["research", "coding"] as const).filter((kind) => phasesOf(draft).includes(kind));

export const isTouched = (draft: Draft) => JSON.stringify(draft) !== JSON.stringify(EMPTY);

/** What is missing before it can be sent, by the place of its field. */
export function mistakesOf(
  draft: Draft,
): Partial<Record<"goal" | "phases" | "teams" | "repo" | "budget", string>> {
  const phases = phasesOf(draft);
  const teams = purposesOf(draft).flatMap((purpose) => draft.teams[purpose]);
  return {
    ...(draft.goal.trim() === "" && draft.title.trim() === "" && { goal: "Say what the mission is for." }),
    ...(phases.length === 0 && { phases: "Add at least one phase." }),
    ...(phases.some(hasTeams) && teams.length === 0 && { teams: "Choose at least one team template." }),
    ...(phases.some((kind) => !hasTeams(kind)) &&
      !draft.repo && { repo: "A benchmark and a security scan need a repository." }),
    ...(Number.isNaN(microusdOf(draft.budget)) && { budget: "A sum in dollars, such as 2.50." }),
  };
}

export function bodyOf(draft: Draft): NewMission {
  const teams = Object.fromEntries(
    purposesOf(draft)
      .map((purpose) => [purpose, draft.teams[purpose]] as const)
      .filter(([, ids]) => ids.length > 0),
  );
  const config = {
    ...(draft.kind === "custom" && { phases: draft.phases }),
    ...(Object.keys(teams).length > 0 && { phase_teams: teams }),
    ...(phasesOf(draft).includes("benchmark") &&
      draft.benchmark.trim() && { benchmark: { command: draft.benchmark.trim() } }),
    ...(draft.image &&
      !draft.runtime &&
      phasesOf(draft).some((kind) => !hasTeams(kind)) && { image: draft.image }),
    ...(draft.runtime &&
      purposesOf(draft).length > 0 && {
        runtime: {
          image: draft.runtime,
          ...(draft.program.trim() && { command: draft.program.trim() }),
        },
      }),
  };
  const budget = microusdOf(draft.budget);
  // The gateway would take the first line with its signs of Markdown.
  const title = draft.title.trim() || goalLine(draft.goal);
  return {
    template_kind: draft.kind,
    ...(title && { title }),
    ...(draft.goal.trim() && { goal: draft.goal.trim() }),
    // The document says `object`, whose generated type has no keys.
    ...(Object.keys(config).length > 0 && { config: config as Record<string, never> }),
    ...(draft.repo && { repo_id: draft.repo }),
    ...(draft.repo && draft.base.trim() && { base_ref: draft.base.trim() }),
    ...(draft.machine && { runtime_kind: "local_node" as const, target_node_id: draft.machine }),
    ...(draft.model && { model: draft.model }),
    ...(budget !== undefined && !Number.isNaN(budget) && { budget_usd: budget / 1e6 }),
  };
}

/** The keys of a config that the form writes. It keeps the others. */
const WRITTEN = ["phases", "phase_teams", "benchmark", "image", "runtime"];

/** The request of a draft that changes an earlier request. What the form does not show stays as it was. */
export function bodyOver(draft: Draft, before: NewMission | undefined): NewMission {
  const body = bodyOf(draft);
  const old = (before?.config ?? {}) as Record<string, unknown>;
  const kept = Object.fromEntries(Object.entries(old).filter(([name]) => !WRITTEN.includes(name)));
  const measured = phasesOf(draft).includes("benchmark") && (old["benchmark"] as object | undefined);
  const { command: _command, ...measure } = { command: "", ...measured };
  const now = (body.config ?? {}) as { benchmark?: object; runtime?: object };
  const benchmark = { ...measure, ...now.benchmark };
  const { command: _started, ...place } = { command: "", ...(old["runtime"] as object | undefined) };
  const runtime = now.runtime && { ...place, ...now.runtime };
  const config = {
    ...kept,
    ...now,
    ...(Object.keys(benchmark).length > 0 && { benchmark }),
    ...(runtime && { runtime }),
  };
  return { ...body, ...(Object.keys(config).length > 0 && { config: config as Record<string, never> }) };
}

/** A draft of a request. Its single template is a team of the first phase, which works in the others too. */
export function draftOfNew(mission: NewMission): Draft {
  const config = (mission.config ?? {}) as { phases?: unknown; phase_teams?: unknown };
  const own = Array.isArray(config.phases) && config.phases.length > 0;
  const kind: TemplateKind = own ? "custom" : mission.template_kind;
  const phases = own ? (config.phases as PhaseKind[]) : TEMPLATES[mission.template_kind].phases;
  const [first] = purposesOf({ kind, phases });
  const single = first && mission.team_template_id && { [first]: [mission.team_template_id] };
  return draftOf({
    ...mission,
    title: mission.title ?? "",
    goal: mission.goal ?? "",
    phases: phases.map((one) => ({ kind: one })),
    config: { ...config, phase_teams: config.phase_teams ?? single },
  });
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
const word = (value: unknown): string => (typeof value === "string" ? value : "");

/** What was stored, without what is not of a draft. */
export function parseDraft(stored: string | null): Draft {
  try {
    const found = JSON.parse(stored ?? "null") as Partial<Record<keyof Draft, unknown>> | null;
    if (!found || typeof found !== "object") return EMPTY;
    const teams = (found.teams ?? {}) as Partial<Record<"research" | "coding", unknown>>;
    const kinds = texts(found.phases).filter((one): one is PhaseKind =>
      PHASE_KINDS.some((kind) => kind === one),
    );
    return {
      title: word(found.title),
      goal: word(found.goal),
      kind: TEMPLATE_KINDS.find((kind) => kind === found.kind) ?? EMPTY.kind,
      phases: kinds.slice(0, MOST_PHASES),
      teams: {
        research: texts(teams.research).slice(0, MOST_TEAMS),
        coding: texts(teams.coding).slice(0, MOST_TEAMS),
      },
      repo: word(found.repo),
      base: word(found.base),
      machine: word(found.machine),
      model: word(found.model),
      budget: word(found.budget),
      benchmark: word(found.benchmark),
      image: word(found.image),
      runtime: word(found.runtime),
      program: word(found.program),
    };
  } catch {
    // Not ours, or cut off: there is no draft.
    return EMPTY;
  }
}

/** The same values again, for a mission that is created anew. */
export function draftOf(mission: {
  title: string;
  goal: string;
  template_kind: TemplateKind;
  phases: readonly { kind: PhaseKind }[];
  config: unknown;
  repo_id?: string | null;
  base_ref?: string | null;
  target_node_id?: string | null;
  model?: string | null;
  budget_usd?: number | null;
}): Draft {
  const config = (mission.config ?? {}) as {
    phases?: unknown;
    phase_teams?: unknown;
    benchmark?: { command?: unknown } | null;
    image?: unknown;
    runtime?: { image?: unknown; command?: unknown } | null;
  };
  const own = Array.isArray(config.phases);
  return parseDraft(
    JSON.stringify({
      title: mission.title,
      goal: mission.goal,
      kind: own ? "custom" : mission.template_kind,
      phases: mission.phases.map(({ kind }) => kind),
      teams: config.phase_teams,
      repo: mission.repo_id,
      base: mission.base_ref,
      machine: mission.target_node_id,
      model: mission.model,
      budget: mission.budget_usd == null ? "" : String(mission.budget_usd),
      benchmark: config.benchmark?.command,
      image: config.image,
      runtime: config.runtime?.image,
      program: config.runtime?.command,
    }),
  );
}

const key = (person: string) => `roost-mission/${person}`;
/** Where the browser keeps nothing (a private window may refuse), it lives as long as the page. */
const here = new Map<string, string>();

export function storedDraft(person: string): Draft {
  try {
    return parseDraft(localStorage.getItem(key(person)) ?? here.get(person) ?? null);
  } catch {
    return parseDraft(here.get(person) ?? null);
  }
}

export function storeDraft(person: string, draft: Draft): void {
  const text = isTouched(draft) ? JSON.stringify(draft) : undefined;
  if (text === undefined) here.delete(person);
  else here.set(person, text);
  try {
    if (text === undefined) localStorage.removeItem(key(person));
    else localStorage.setItem(key(person), text);
  } catch {
    // Full or forbidden: the page's own copy is enough until it is closed.
  }
}
