// A fork: from which step, with which files, and what is different in it.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { clawsQuery } from "~/api/claws";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { Run, RunStep } from "~/api/runs";
import { Button } from "~/ui/button";
import { DialogActions, Modal } from "~/ui/dialog";
import { Area, Choice } from "~/ui/field";
import { useKeyedMutation } from "~/ui/keyed-mutation";
import { ModelChoice } from "~/ui/model-choice";
import { isPace, limitsOf, paceOf } from "~/ui/pace";
import { PaceFields } from "~/ui/pace-fields";
import { ProblemNote } from "~/ui/problem";
import { money } from "~/ui/run-state";
import { visible } from "~/ui/visible";
import { fork, type ForkFrom } from "./queries";
import { ForkFiles } from "./step-files";
import { purposeWord, stepName } from "./words";

interface Props {
  run: Run;
  /** The step that the dialog proposes. */
  first: RunStep;
  nameOf: (node: string) => string;
  onClose: () => void;
}

export function ForkDialog({ run, first, nameOf, onClose }: Props) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const steps = run.steps.filter((step) => step.shard === 0);
  const [at, setAt] = useState(stepName(first));
  const [goal, setGoal] = useState(run.input);
  const [model, setModel] = useState("");
  const [message, setMessage] = useState("");
  // What was typed belongs to a node: each has other instructions.
  const [typed, setTyped] = useState<{ node: string; text: string }>();
  const agents = useQuery(clawsQuery).data;
  const [without, setWithout] = useState(false);
  const [pace, setPace] = useState(paceOf(run.limits));
  const forking = useKeyedMutation((from: ForkFrom, key) => fork(run.id, from, key));
  const problem = forking.isError ? asProblem(forking.error) : undefined;
  const step = steps.find((one) => stepName(one) === at) ?? first;
  const again = run.steps.filter((one) => one.position >= step.position);
  const cost = again.reduce((sum, one) => sum + one.cost_microusd, 0);
  const agent = agents?.find(({ id }) => id === step.agent_id);
  const changed = run.graph.nodes.find(({ id }) => id === step.node)?.attributes?.instructions;
  const present = changed ?? agent?.system_prompt ?? "";
  const instructions = typed?.node === step.node ? typed.text : present;
  // An empty field would keep the old ones, which nobody expects of it.
  const emptied = instructions.trim() === "" && present.trim() !== "";
  const go = async () => {
    const made = await forking
      .mutateAsync({
        step: step.key,
        lap: step.lap,
        without_files: without,
        ...(goal.trim() && goal !== run.input && { goal: goal.trim() }),
        ...(model && { model }),
        ...(instructions.trim() && instructions !== present && { instructions: instructions.trim() }),
        ...(message.trim() && { message: message.trim() }),
        ...limitsOf(pace),
      })
      .catch(() => undefined);
    if (!made) return;
    void client.invalidateQueries({ queryKey: keys.runs });
    onClose();
    await navigate({ to: "/runs/$id", params: { id: made.id } });
  };
  return (
    <Modal
      open
      wide
      onClose={onClose}
      title="Fork this run"
      lead="A new run begins. It keeps the outputs of the steps before the chosen one, and repeats this step and all later ones. This run stays as it is."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void go();
        }}
      >
        <Choice
          label="Begin again at"
          value={at}
          onChange={(event) => setAt(event.target.value)}
          hint={`In this run that was ${again.length} ${again.length === 1 ? "step" : "steps"} for ${money(cost)}.`}
        >
          {steps.map((one) => (
            <option key={stepName(one)} value={stepName(one)}>
              {visible(nameOf(one.node))}, {purposeWord(one.purpose)}
              {one.lap > 1 && `, lap ${one.lap}`}
            </option>
          ))}
        </Choice>
        <Area
          label="Goal"
          rows={3}
          maxLength={100_000}
          value={goal}
          onChange={(event) => setGoal(event.target.value)}
          hint={
            goal !== run.input && step.position > 0
              ? "The steps that are kept worked for the goal of this run."
              : "The same goal as this run's, unless you change it."
          }
          error={problem?.field("/goal")}
        />
        <ModelChoice
          label="Model of the agents that work again"
          inherited="As in this run"
          value={model}
          onChange={setModel}
          error={problem?.field("/model")}
        />
        {agent && (
          <Area
            label={`Instructions of ${visible(nameOf(step.node))}`}
            rows={3}
            maxLength={20_000}
            value={instructions}
            onChange={(event) => setTyped({ node: step.node, text: event.target.value })}
            hint="A change is for this fork only. The agent keeps its own instructions."
            error={
              emptied ? "Write instructions, or keep those of the agent." : problem?.field("/instructions")
            }
            aside={
              emptied && (
                <Button look="quiet" onClick={() => setTyped(undefined)}>
                  Keep those of the agent
                </Button>
              )
            }
          />
        )}
        <Area
          label="Say to the agents that work again"
          rows={2}
          maxLength={8_000}
          value={message}
          onChange={(event) => setMessage(event.target.value)}
          hint="Optional. They read it before their first turn."
          error={problem?.field("/message")}
        />
        <div className="flex flex-wrap gap-3">
          <PaceFields value={pace} onChange={setPace} problem={problem} />
        </div>
        <ForkFiles starts={step.fork_files} without={without} onWithout={setWithout} />
        {problem && problem.fields.length === 0 && <ProblemNote problem={problem} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={forking.isPending} disabled={!isPace(pace) || emptied}>
            Fork
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
}
