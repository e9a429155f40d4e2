// What is said of a run at work, beyond its status.
import type { Run } from "~/api/runs";
import { runState } from "~/ui/run-state";

/** The node whose step is at work; the one that began last, where there are several. */
export const workingNode = (run: Pick<Run, "steps">) =>
  run.steps.findLast((step) => step.status === "running" && !step.waiting_since)?.node;

/** The state of a run with its steps. The gateway says also what one step waits for while another step works. */
export const wholeState = (run: Run) =>
  runState(run.waits_for || workingNode(run) === undefined ? run : { ...run, waiting_on: null });
