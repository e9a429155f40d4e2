import { Link } from "@tanstack/react-router";
import type { RunSummary } from "~/api/runs";
import { DASH, number } from "./bytes";
import { Button } from "./button";
import { type Column, LiveTable } from "./data-table";
import { Help } from "./help";
import { withoutTicks } from "./inline-code";
import { isOver, money, originWord, outcomeState, runState, stepsWord, took } from "./run-state";
import { Status } from "./status";
import { table } from "./table";
import { Ago, duration, useNow } from "./time";
import { visible } from "./visible";

const timeOf = (run: RunSummary, now: number) => duration(took(run.started_at, run.ended_at, now));

function Name({ run }: { run: RunSummary }) {
  const now = useNow();
  const origin = originWord(run);
  return (
    <>
      <Link
        to="/runs/$id"
        params={{ id: run.id }}
        className="block truncate rounded-control font-[550] hover:text-accent hover:underline"
        title={run.title}
      >
        <bdi>{visible(run.title) || "untitled"}</bdi>
      </Link>
      {origin && <span className="block text-small text-fg-3">{origin}</span>}
      <span className="block text-small text-fg-3 sm:hidden">
        {stepsWord(run)}, {timeOf(run, now)}, {money(run.cost_microusd)}
      </span>
    </>
  );
}

function Outcome({ run }: { run: RunSummary }) {
  const outcome = outcomeState(run);
  return outcome ? <Status {...outcome} /> : DASH;
}

function Time({ run }: { run: RunSummary }) {
  return timeOf(run, useNow());
}

function State({ run }: { run: RunSummary }) {
  const state = runState(run);
  return <Status {...state} title={run.error ? withoutTicks(run.error) : state.title} />;
}

const FIGURE = "whitespace-nowrap text-fg-2";

const COLUMNS: Column<RunSummary>[] = [
  { name: "Run", cell: "w-full max-w-0", show: (run) => <Name run={run} /> },
  { name: "State", show: (run) => <State run={run} /> },
  {
    name: "Outcome",
    shown: (
      <>
        Outcome <Help word="outcome" />
      </>
    ),
    show: (run) => <Outcome run={run} />,
  },
  {
    name: "Steps",
    look: "text-right max-md:hidden",
    cell: FIGURE,
    show: (run) => (isOver(run.status) ? run.steps_done : `${run.steps_done} of ${run.steps_most}`),
  },
  { name: "Time", look: "text-right max-sm:hidden", cell: FIGURE, show: (run) => <Time run={run} /> },
  {
    name: "Tokens",
    look: "text-right max-lg:hidden",
    cell: FIGURE,
    show: (run) => number(run.tokens_in + run.tokens_out),
  },
  {
    name: "Cost",
    look: "text-right max-sm:hidden",
    cell: FIGURE,
    show: (run) => money(run.cost_microusd),
  },
  {
    name: "Started",
    look: "text-right max-md:hidden",
    cell: "text-fg-2",
    show: (run) => <Ago at={run.created_at} />,
  },
];

interface Props {
  runs: RunSummary[];
  chosen: string;
  more?: { has: boolean; busy: boolean; load: () => void };
}

/** Runs, newest first. */
export function RunTable({ runs, chosen, more }: Props) {
  return (
    <div className={table.frame}>
      <LiveTable
        opens
        label="Table of runs"
        what={["run", "runs"]}
        columns={COLUMNS}
        rows={runs}
        chosen={chosen}
      />
      {more?.has && (
        <p className="border-t border-line px-4 py-2">
          <Button busy={more.busy} onClick={more.load}>
            Show older ones
          </Button>
        </p>
      )}
    </div>
  );
}
