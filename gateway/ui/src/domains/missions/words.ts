// What missions, phases and tasks are called, and what each means.
import type {
  Mission,
  MissionDetail,
  MissionPhase,
  MissionRun,
  MissionStatus,
  PhaseKind,
  PhaseStatus,
  PhaseSummary,
  TaskStatus,
  TemplateKind,
} from "~/api/missions";
import { number } from "~/ui/bytes";
import { isOver, outcomeState, runState } from "~/ui/run-state";
import { sentence } from "~/ui/sentence";
import type { Tone } from "~/ui/status";

interface State {
  tone: Tone;
  word: string;
}

const STATUSES: Record<MissionStatus, State> = {
  draft: { tone: "idle", word: "Draft" },
  running: { tone: "running", word: "Running" },
  paused: { tone: "paused", word: "Paused" },
  completed: { tone: "done", word: "Completed" },
  failed: { tone: "failed", word: "Failed" },
  cancelled: { tone: "offline", word: "Cancelled" },
};

export const isFinal = (status: MissionStatus) => ["completed", "failed", "cancelled"].includes(status);

/** The status of a mission. One that is paused because a phase failed waits for a person. */
export const missionState = ({ status, status_reason }: Pick<Mission, "status" | "status_reason">): State =>
  status === "paused" && status_reason && status_reason !== "person"
    ? { tone: "waiting", word: "Needs you" }
    : STATUSES[status];

const PHASES: Record<PhaseStatus, State> = {
  pending: { tone: "idle", word: "Not started" },
  running: { tone: "running", word: "Running" },
  completed: { tone: "done", word: "Completed" },
  failed: { tone: "failed", word: "Failed" },
  skipped: { tone: "offline", word: "Skipped" },
};
export const phaseState = (status: PhaseStatus): State => PHASES[status];

/** The ground of a phase in the lines that show all of them. */
export const PHASE_GROUND: Record<PhaseStatus, string> = {
  pending: "bg-line",
  running: "bg-accent",
  completed: "bg-done",
  failed: "bg-failed",
  skipped: "bg-line-strong",
};

const KINDS: Record<PhaseKind, { name: string; says: string }> = {
  research: { name: "Research", says: "Teams read, and write down tasks." },
  coding: { name: "Coding", says: "Teams work on the tasks, and commit." },
  benchmark: { name: "Benchmark", says: "Roost runs the repository's benchmark before and after the work." },
  security_scan: {
    name: "Security scan",
    says: "Roost runs scanners on the repository before and after the work.",
  },
};
export const PHASE_KINDS = Object.keys(KINDS) as PhaseKind[];
export const phaseName = (kind: PhaseKind) => KINDS[kind].name;
export const phaseSays = (kind: PhaseKind) => KINDS[kind].says;
/** Whether teams work on a phase of the kind. */
export const hasTeams = (kind: PhaseKind): kind is "research" | "coding" =>
  kind === "research" || kind === "coding";

export const TEMPLATES: Record<TemplateKind, { name: string; says: string; phases: PhaseKind[] }> = {
  research: { name: "Research", says: "Find something out and write it down.", phases: ["research"] },
  development: {
    name: "Development",
    says: "Find out what to do, then do it.",
    phases: ["research", "coding"],
  },
  benchmark: { name: "Benchmark", says: "Measure the repository.", phases: ["benchmark"] },
  security: { name: "Security", says: "Scan the repository for flaws.", phases: ["security_scan"] },
  full_cycle: {
    name: "Full cycle",
    says: "Research, code, measure and scan.",
    phases: ["research", "coding", "benchmark", "security_scan"],
  },
  custom: { name: "Custom", says: "You choose the phases.", phases: [] },
};
export const TEMPLATE_KINDS = Object.keys(TEMPLATES) as TemplateKind[];
export const templateKind = (kind: TemplateKind) => TEMPLATES[kind].name;

export const TASK_STATUSES: [TaskStatus, string, Tone][] = [
  ["created", "Created", "idle"],
  ["working", "Working", "running"],
  ["validating", "Validating", "waiting"],
  ["failed", "Failed", "failed"],
  ["complete", "Complete", "done"],
];

/** Why a mission is paused or failed, when a person did not say so in words. */
export function reasonWord({ status, status_reason, status_detail }: Mission): string | undefined {
  if (status_detail) return status_detail;
  if (status_reason === "person") return status === "paused" ? "A person paused it." : "A person ended it.";
  if (status_reason === "phase_failed") return "A phase failed.";
  if (status_reason === "runtime_failed") return "Its runtime did not start.";
  if (status_reason === "node_deleted") return "The machine that it has to work on was deleted.";
  return undefined;
}

/** How far the mission's own runtime is. It ends with its mission. */
export function runtimeState({ runtime, status }: Pick<Mission, "runtime" | "status">): State | undefined {
  if (!runtime || isFinal(status)) return undefined;
  if (runtime.state === "ready") return { tone: "done", word: "Runtime ready" };
  if (runtime.state === "starting") return { tone: "running", word: "Runtime starts" };
  if (runtime.state === "gone") return { tone: "offline", word: "Runtime gone" };
  return { tone: "idle", word: "Runtime not started" };
}

const PAST: PhaseStatus[] = ["completed", "skipped"];
/** How many phases are past, of all. */
export function progress(phases: readonly { status: PhaseStatus }[]): { done: number; of: number } {
  return { done: phases.filter(({ status }) => PAST.includes(status)).length, of: phases.length };
}
export function progressWord(phases: readonly { status: PhaseStatus }[]): string {
  const { done, of } = progress(phases);
  return `${done} of ${of} ${of === 1 ? "phase" : "phases"}`;
}

/** A line of phases for screen readers: `Research completed, Coding running`. */
export const phasesWord = (phases: readonly { kind: PhaseKind; status: PhaseStatus }[]) =>
  phases.map(({ kind, status }) => `${phaseName(kind)} ${phaseState(status).word.toLowerCase()}`).join(", ");

/** The phase that a person wants to see first: at work, then failed, then the last that ended. */
export function firstShown(mission: Pick<MissionDetail, "phase_details">): MissionPhase | undefined {
  const phases = mission.phase_details;
  return (
    phases.find(({ status }) => status === "running") ??
    phases.find(({ status }) => status === "failed") ??
    phases.findLast(({ status }) => status !== "pending") ??
    phases[0]
  );
}

/** The state of a team's run. A run that was deleted has none. */
export function missionRunState(run: MissionRun): State {
  if (!run.status) return { tone: "offline", word: "Deleted" };
  if (run.is_paused && !isOver(run.status)) return { tone: "paused", word: "Paused" };
  return runState({ ...run, status: run.status });
}
export const missionRunOutcome = ({ status, outcome }: MissionRun) =>
  status && outcome ? outcomeState({ status, outcome }) : undefined;

const FIGURES: Record<string, string> = {
  insights: "Insights",
  sources: "Sources",
  int_cards: "Tasks",
  artifacts: "Artifacts",
  cards_picked_up: "Tasks begun",
  commits: "Commits",
  tests: "Checks and test verdicts",
  issues: "Failed checks and rejections",
  regressions: "Regressions",
  improvements: "Improvements",
};

const NOT_MEASURED = "Not measured";
/** The worst first. */
const SEVERITIES = ["critical", "high", "medium", "low", "info"];

/** The figures of a card with their names. Findings have one figure a severity. */
export function figuresOf(metrics: PhaseSummary["metrics"]): [string, string][] {
  if ("findings" in metrics) {
    if (metrics.findings == null) return [["Findings", NOT_MEASURED]];
    const rank = ([severity]: [string, number]) => {
      const at = SEVERITIES.indexOf(severity);
      return at < 0 ? SEVERITIES.length : at;
    };
    const found = Object.entries(metrics.findings as Record<string, number>).sort(
      (a, b) => rank(a) - rank(b),
    );
    if (found.length === 0) return [["Findings", "0"]];
    return found.map(([severity, count]) => [sentence(severity), number(count)]);
  }
  return Object.entries(metrics).map(([name, value]) => [
    FIGURES[name] ?? name,
    value == null ? NOT_MEASURED : number(value),
  ]);
}

export function narratorWord(
  card: Pick<PhaseSummary, "narrative_model" | "narrative_is_due" | "narrative_error">,
): string {
  if (card.narrative_model) return `written by ${card.narrative_model}`;
  if (card.narrative_is_due) return "composed from facts; a model has to write it still";
  if (card.narrative_error) return `composed from facts. No model wrote it: ${card.narrative_error}`;
  return "composed from facts";
}

/** The address of a source, where it is one that may be followed. Agents wrote it. */
export function addressOf(source: string): string | undefined {
  if (!/^https?:\/\/[^\s\p{Cc}\p{Cf}\\]+$/iu.test(source) || !URL.canParse(source)) return undefined;
  const { href, username, password, host } = new URL(source);
  // `https://bank.example@elsewhere.example` looks like the one and leads to the other.
  return username === "" && password === "" && host !== "" ? href : undefined;
}
