import { useNavigate } from "@tanstack/react-router";
import { Link } from "@tanstack/react-router";
import { GitFork } from "lucide-react";
import { useState } from "react";
import type { Run, RunStep } from "~/api/runs";
import { DASH, number } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { Confirm } from "~/ui/dialog";
import { Panel } from "~/ui/panel";
import { isOver, money, stepsWord, took } from "~/ui/run-state";
import { Status } from "~/ui/status";
import { table } from "~/ui/table";
import { duration, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import { isKept, KEPT } from "./forked";
import { fork } from "./queries";
import { purposeWord, stepName, stepState } from "./words";

function ForkDialog({
  run,
  step,
  name,
  onClose,
}: {
  run: Run;
  step: RunStep;
  name: string;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const [key] = useState(() => `${run.id}/${stepName(step)}/${Date.now()}`);
  const again = run.steps.filter((one) => one.position >= step.position);
  const cost = again.reduce((sum, one) => sum + one.cost_microusd, 0);
  const go = async () => {
    const made = await fork(run.id, step.key, step.lap, key);
    onClose();
    await navigate({ to: "/runs/$id", params: { id: made.id } });
  };
  return (
    <Confirm
      open
      onClose={onClose}
      look="primary"
      title={`Fork from ${visible(name)}${step.lap > 1 ? `, lap ${step.lap}` : ""}`}
      action="Fork"
      run={go}
      consequence={
        <>
          A new run begins with the same goal. What was handed over before this step is kept; this step and
          all that comes after it are done again, with their models, tools and costs: here that was{" "}
          {again.length} {again.length === 1 ? "step" : "steps"} for {money(cost)}. This run stays as it is.
        </>
      }
    />
  );
}

interface RowProps {
  step: RunStep;
  name: string;
  kept: boolean;
  onFork: (() => void) | undefined;
}

function Row({ step, name, kept, onFork }: RowProps) {
  const now = useNow();
  const state = stepState(step);
  return (
    <tr data-step={stepName(step)} className={table.row}>
      <th scope="row" className={cx(table.cell, "w-full max-w-0 font-normal")}>
        <span className="block truncate font-[550]" title={visible(name)}>
          <bdi>{visible(name)}</bdi>
        </span>
        <span className="block truncate text-small text-fg-3">
          {purposeWord(step.purpose)}
          {step.lap > 1 && `, lap ${step.lap}`}
          {step.attempt > 1 && `, attempt ${step.attempt}`}
          {step.child_run_id && (
            <>
              {", "}
              <Link to="/runs/$id" params={{ id: step.child_run_id }} className="underline">
                its own run
              </Link>
            </>
          )}
        </span>
        {kept && <span className="block text-small text-fg-3">{KEPT}</span>}
      </th>
      <td className={table.cell}>
        <Status tone={state.tone} word={state.word} />
      </td>
      <td className={cx(table.cell, "text-right whitespace-nowrap")}>
        {duration(took(step.started_at, step.ended_at, now))}
      </td>
      <td className={cx(table.cell, "text-right whitespace-nowrap max-sm:hidden")}>
        {kept ? DASH : `${number(step.tokens_in)} in, ${number(step.tokens_out)} out`}
      </td>
      <td className={cx(table.cell, "text-right whitespace-nowrap max-sm:hidden")}>
        {kept ? DASH : money(step.cost_microusd)}
      </td>
      <td className={cx(table.cell, "text-right")}>
        {onFork && (
          <Button
            icon={<GitFork size={14} aria-hidden />}
            onClick={onFork}
            aria-label={`Fork from ${visible(name)}, lap ${step.lap}`}
          >
            <span className="max-sm:sr-only">Fork</span>
          </Button>
        )}
      </td>
    </tr>
  );
}

interface Props {
  run: Run;
  nameOf: (node: string) => string;
  mayStart: boolean;
  teamGone: boolean;
}

/** Who did what, how long it took, what it cost. */
export function Steps({ run, nameOf, mayStart, teamGone }: Props) {
  const [from, setFrom] = useState<RunStep>();
  const over = isOver(run.status);
  const heads = ["Step", "State", "Time", "Tokens", "Cost"];
  return (
    <Panel title="Steps" aside={stepsWord(run)}>
      {run.steps.length === 0 && <p className="px-4 py-3 text-fg-3">No step has begun.</p>}
      {run.steps.length > 0 && (
        <div className={table.wrap} role="region" aria-label="Table of steps" tabIndex={0}>
          <table className={table.root}>
            <thead>
              <tr>
                {heads.map((name, at) => (
                  <th
                    key={name}
                    scope="col"
                    className={cx(table.head, at > 1 && "text-right", at > 2 && "max-sm:hidden")}
                  >
                    {name}
                  </th>
                ))}
                <th scope="col" className={table.head}>
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {run.steps.map((step) => (
                <Row
                  key={stepName(step)}
                  step={step}
                  name={nameOf(step.node)}
                  kept={isKept(run, step)}
                  onFork={over && mayStart && !teamGone ? () => setFrom(step) : undefined}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {over && mayStart && teamGone && run.steps.length > 0 && (
        <p className="border-t border-line px-4 py-2 text-fg-3">
          Its team is deleted, so it cannot be forked from a step.
        </p>
      )}
      {from && (
        <ForkDialog run={run} step={from} name={nameOf(from.node)} onClose={() => setFrom(undefined)} />
      )}
    </Panel>
  );
}
