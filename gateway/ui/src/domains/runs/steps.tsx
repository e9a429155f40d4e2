import { Link } from "@tanstack/react-router";
import { GitFork } from "lucide-react";
import { Fragment, useState } from "react";
import type { Run, RunCheck, RunStep } from "~/api/runs";
import { DASH, number } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { type Column, DataTable } from "~/ui/data-table";
import { NarrowFold } from "~/ui/fold";
import { isOver, money, stepsWord, took } from "~/ui/run-state";
import { Status } from "~/ui/status";
import { duration, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import { ForkDialog } from "./fork-dialog";
import { isKept, KEPT } from "./fork-history";
import { StepFiles } from "./step-files";
import { checkWord, purposeWord, stepName, stepState, stoppedWords } from "./words";

function Time({ step }: { step: RunStep }) {
  return duration(took(step.started_at, step.ended_at, useNow()));
}

interface Told {
  run: Run;
  nameOf: (node: string) => string;
  onFork: ((step: RunStep) => void) | undefined;
}

const shownCheck = (check: RunCheck) => {
  const { tone, word } = checkWord(check);
  return { tone, word: visible(word) };
};

function columns({ run, nameOf, onFork }: Told): Column<RunStep>[] {
  return [
    {
      name: "Step",
      cell: "w-full max-w-0",
      show: (step) => (
        <>
          <span className="block truncate font-[550]" title={visible(nameOf(step.node))}>
            <bdi>{visible(nameOf(step.node))}</bdi>
          </span>
          <span className="block truncate text-small text-fg-3">
            {purposeWord(step.purpose)}
            {step.lap > 1 && `, lap ${step.lap}`}
            {step.attempt > 1 && `, attempt ${step.attempt}`}
            {step.child_run_ids.map((id) => (
              <Fragment key={id}>
                {", "}
                <Link to="/runs/$id" params={{ id }} className="underline">
                  its own run
                </Link>
              </Fragment>
            ))}
          </span>
          {step.checks.map((check, at) => (
            // Two checks of a step may be the same command.
            <span key={at} className="block truncate text-small" title={visible(check.command)}>
              <Status {...shownCheck(check)} />
            </span>
          ))}
          {stoppedWords(step) && <span className="block text-small text-fg-2">{stoppedWords(step)}</span>}
          <StepFiles step={step} />
          {isKept(run, step) && <span className="block text-small text-fg-3">{KEPT}</span>}
        </>
      ),
    },
    {
      name: "State",
      show: (step) => {
        const { tone, word } = stepState(step);
        return <Status tone={tone} word={word} />;
      },
    },
    { name: "Time", look: "text-right", cell: "whitespace-nowrap", show: (step) => <Time step={step} /> },
    {
      name: "Tokens",
      look: "text-right max-sm:hidden",
      cell: "whitespace-nowrap",
      show: (step) =>
        isKept(run, step) ? DASH : `${number(step.tokens_in)} in, ${number(step.tokens_out)} out`,
    },
    {
      name: "Cost",
      look: "text-right max-sm:hidden",
      cell: "whitespace-nowrap",
      show: (step) => (isKept(run, step) ? DASH : money(step.cost_microusd)),
    },
    {
      name: "Actions",
      quiet: true,
      cell: "text-right",
      show: (step) =>
        onFork && (
          <Button
            icon={<GitFork size={14} aria-hidden />}
            onClick={() => onFork(step)}
            aria-label={`Fork from ${visible(nameOf(step.node))}, lap ${step.lap}`}
          >
            <span className="max-sm:sr-only">Fork</span>
          </Button>
        ),
    },
  ];
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
  return (
    <NarrowFold id="steps" title="Steps" summary={stepsWord(run)} aside={stepsWord(run)}>
      <DataTable
        label="Table of steps"
        columns={columns({ run, nameOf, onFork: over && mayStart && !teamGone ? setFrom : undefined })}
        rows={run.steps}
        keyOf={stepName}
        attributesOf={(step) => ({ "data-step": stepName(step) })}
        empty={<p className="px-4 py-3 text-fg-3">No step has begun.</p>}
      />
      {over && mayStart && teamGone && run.steps.length > 0 && (
        <p className="border-t border-line px-4 py-2 text-fg-3">
          Its team is deleted, so it cannot be forked from a step.
        </p>
      )}
      {from && <ForkDialog run={run} first={from} nameOf={nameOf} onClose={() => setFrom(undefined)} />}
    </NarrowFold>
  );
}
