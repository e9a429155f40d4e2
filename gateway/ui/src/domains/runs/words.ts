import type { RunStepCommits, RunSupplies } from "~/api/repos";
import type { RunCheck, RunEvidence, RunStep } from "~/api/runs";
import { number } from "~/ui/bytes";
import { isolate } from "~/ui/isolate";
import type { Tone } from "~/ui/status";
import { visible } from "~/ui/visible";

/** The line with which every text of the scripted model begins. It is shown as a mark, not as text. */
const LABEL = "[demonstration: a script speaks here, no model]";

/** A text without the line, and whether it had it. While it streams, a beginning of the line is no text yet either. */
export function spoken(text: string): { text: string; demonstration: boolean } {
  const demonstration = text.includes(LABEL);
  let rest = text.replaceAll(`${LABEL}\n`, "").replaceAll(LABEL, "");
  if (text.length < LABEL.length && text !== "" && LABEL.startsWith(text)) rest = "";
  return { text: rest, demonstration };
}

const STEPS: Record<string, { tone: Tone; word: string }> = {
  running: { tone: "running", word: "At work" },
  // A step that waits for something says so with `waiting_since`. Without it, a person paused the run.
  waiting: { tone: "waiting", word: "Paused" },
  done: { tone: "done", word: "Done" },
  failed: { tone: "failed", word: "Failed" },
  cancelled: { tone: "offline", word: "Cancelled" },
};
const WAITS = { tone: "waiting", word: "Waits" } as const;
export const stepState = ({ status, waiting_since }: Pick<RunStep, "status" | "waiting_since">) =>
  waiting_since ? WAITS : (STEPS[status] ?? { tone: "idle" as const, word: status });

export const OUTCOME_NOTE =
  "The status says that the run came to its end. The outcome says whether the goal was met.";
export const EVIDENCE_RUN = "The run that decided";
export const evidenceWord = ({ step, lap, check }: Pick<RunEvidence, "step" | "lap" | "check">) => {
  const where = check ? "among the checks" : "in the answer";
  return lap > 1 ? `It is ${where} of ${step}, lap ${lap}.` : `It is ${where} of ${step}.`;
};
/** A check of a step's work: its command, and how it ended. */
export const checkWord = ({ command, exit_code }: RunCheck): { tone: Tone; word: string } =>
  exit_code === 0
    ? { tone: "done", word: `passed ${command}` }
    : { tone: "failed", word: `${command}: ${exit_code == null ? "no exit code" : `exit ${exit_code}`}` };
export const BEST_REJECTED = "Its own checks reject it: no candidate may be good enough.";

export const PURPOSES: Record<string, string> = {
  work: "works",
  plan: "plans",
  gate: "chooses",
  merge: "puts together",
  report: "reports",
  verdict: "judges",
};
export const purposeWord = (purpose: string) => PURPOSES[purpose] ?? purpose;

const CODES: Record<string, string> = {
  "step-failed": "A step failed and could not be retried.",
  "cost-ceiling-reached": "It reached its cost limit.",
  "turn-limit-reached": "It reached its limit of turns.",
  "time-limit-reached": "It reached its time limit.",
  "needs-auth": "A model or a service rejected its key.",
  "machine-away": "The machine that it needed stayed offline.",
  "gave-up": "It failed after the maximum number of attempts.",
};
export const codeWord = (code: string | null | undefined) => (code ? CODES[code] : undefined);

/** What the gateway says of a call that it did not even begin. Everything else that went wrong was tried. */
const REFUSED = /^(the tool `[^`]*` is not offered |the sandbox did not run it: )/;
export const failureWord = (text: string) => (REFUSED.test(text) ? "refused" : "failed");

export const stepName = ({ key, lap }: Pick<RunStep, "key" | "lap">) => `${key}#${lap}`;

/** Where a tool was turned to, in one line: what somebody looks for first. */
export function targetOf(tool: string, input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const field = { shell: "command", commit: "message", read_skill: "name" }[tool] ?? "path";
  const value = (input as Record<string, unknown>)[field];
  return typeof value === "string" ? (value.split("\n", 1)[0] ?? "").slice(0, 200) : "";
}

export const commitsWord = (count: number) => (count === 1 ? "1 commit" : `${number(count)} commits`);
export const filesWord = (count: number) => (count === 1 ? "1 file" : `${number(count)} files`);

/** What a step left in its sandbox; nothing when all of it came out. */
export function stepNote({ step, refused, uncommitted }: RunStepCommits): string | undefined {
  if (refused) return `${step}: its commits were not received. ${refused}`;
  if (uncommitted > 0)
    return `${step}: ${filesWord(uncommitted)} with changes that are in no commit. They stay in the sandbox.`;
  return undefined;
}

/** How many packages of a lock file are in the sandboxes. */
export function suppliesWord({ state, wanted, fetched, stored, approved }: RunSupplies): string {
  const there = fetched + stored;
  if (state === "failed") return "no packages";
  const during = approved > 0 ? `, ${number(approved)} approved during the run` : "";
  const count = `${number(there)} of ${number(wanted)} packages`;
  return state === "fetching"
    ? `${count}, fetching${during}`
    : `${count} (${number(stored)} from the store${during})`;
}

export function suppliesTone({ state, wanted, fetched, stored, why }: RunSupplies): Tone {
  if (state === "fetching") return "running";
  if (state === "failed") return "failed";
  return fetched + stored < wanted || why ? "warning" : "done";
}

/** Who stopped the agent of a step, or asked for it. */
export function stoppedWords(
  step: Pick<RunStep, "stop_asked_at" | "stopped_by" | "status">,
): string | undefined {
  if (!step.stop_asked_at) return undefined;
  const { stopped_by: by } = step;
  const name = by ? isolate(visible(by.name || by.email)) : "Somebody";
  if (step.status === "cancelled") return `${name} stopped this agent.`;
  return step.status === "running" || step.status === "waiting"
    ? `${name} is stopping this agent.`
    : undefined;
}
