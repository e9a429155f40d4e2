// What a node of the drawing stands for in one run: how it is, and where it leads.
import type { Run, RunStep } from "~/api/runs";
import { isOver } from "~/ui/run-state";
import type { NodeState, Way } from "~/ui/topology/drawing";
import { stepState } from "./words";

type Part = Pick<Run, "status" | "graph" | "steps" | "comparison">;

/** Names of nodes as the run's own topology has them. */
export const namesOf = (run: Run) => new Map(run.graph.nodes.map((node) => [node.id, node.label || node.id]));

/** The model that the run was started with. Without one, each agent used its own. */
export function modelOf({ nodes }: Run["graph"]): string | undefined {
  const [first, ...others] = new Set(nodes.map(({ attributes }) => attributes?.model ?? undefined));
  return others.length === 0 ? first : undefined;
}

/** A gate that is through has chosen. The run never reaches the other nodes. */
function notChosen({ graph, steps }: Part, node: string) {
  const gate = steps.find(({ purpose, status }) => purpose === "gate" && status === "done")?.node;
  return (
    graph.kind === "star_moe" && (graph.edges ?? []).some(({ from, to }) => from === gate && to === node)
  );
}

export function stateOf(run: Part, node: string): NodeState {
  const steps = run.steps.filter((step) => step.node === node);
  const last = steps.at(-1);
  if (!last) {
    if (!isOver(run.status)) return { tone: "idle", word: "Waits" };
    return { tone: "idle", word: notChosen(run, node) ? "Not chosen" : "Not reached" };
  }
  const laps = Math.max(...steps.map((step) => step.lap));
  return { ...stepState(last), note: laps > 1 ? `lap ${last.lap}` : undefined };
}

/** How many agents of a run that has ended stand on its page at first. */
const FIRST = 2;

/** Of these agents, those that stand on the page at first: the first ones, and each whose last step did not end well. */
export const firstPanels = (run: Run, panels: readonly string[]): string[] =>
  panels.filter((node, at) => {
    const last = run.steps.findLast((step) => step.node === node);
    return at < FIRST || panels.length <= FIRST + 1 || last?.status !== "done";
  });

/** Nodes with a part of the page, in the order in which they began. A node with a run of its own is shown there. */
export function panelsOf({ comparison, graph, steps }: Part): string[] {
  const begun = new Set(steps.filter((step) => !step.child_run_ids.length).map((step) => step.node));
  const works = (id: string) => graph.nodes.some((one) => one.id === id && one.attributes?.agent);
  return [...begun].filter((id) => !comparison || works(id));
}

const childOf = (steps: readonly RunStep[], node: string) =>
  steps.findLast((step) => step.node === node && step.child_run_ids.length)?.child_run_ids.at(-1);

/** Whether what another run does changes what this one's page shows: it is its child, or may be one just born. */
export function isMoved(run: Part, by: string): boolean {
  if (run.steps.some((step) => step.child_run_ids.includes(by))) return true;
  const candidates = run.comparison?.candidates ?? [];
  return candidates.some(({ run_id }) => run_id === by || (run_id == null && !isOver(run.status)));
}

/** Where a node leads: to its part of the page, to the run of its own, or nowhere. A candidate's id is its letter. */
export function wayOf(run: Part, node: string, show: (node: string) => void): Way | undefined {
  if (panelsOf(run).includes(node)) return { show: () => show(node) };
  const candidate = run.comparison?.candidates.find(({ label }) => label.toLowerCase() === node);
  const child = childOf(run.steps, node) ?? candidate?.run_id;
  return child ? { run: child } : undefined;
}
