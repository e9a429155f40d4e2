import { Link } from "@tanstack/react-router";
import type { RunSummary } from "~/api/runs";
import { number } from "./bytes";
import { Button } from "./button";
import { cx } from "./class";
import { useHeld } from "./held";
import { HeldNote } from "./held-note";
import { isOver, money, runState, stepsWord, took } from "./run-state";
import { Status } from "./status";
import { table } from "./table";
import { Ago, duration, useNow } from "./time";
import { visible } from "./visible";

function Row({ run, gone }: { run: RunSummary; gone: boolean }) {
  const now = useNow();
  const state = runState(run);
  const time = duration(took(run.started_at, run.ended_at, now));
  return (
    <tr data-row className={cx(table.row, gone && "line-through opacity-60")}>
      <th scope="row" className={cx(table.cell, "w-full max-w-0 font-normal")}>
        <Link
          to="/runs/$id"
          params={{ id: run.id }}
          className="block truncate rounded-control font-[550] hover:text-accent hover:underline"
          title={run.title}
        >
          <bdi>{visible(run.title) || "untitled"}</bdi>
        </Link>
        <span className="block text-small text-fg-3 sm:hidden">
          {stepsWord(run)}, {time}, {money(run.cost_microusd)}
        </span>
      </th>
      <td className={table.cell}>
        <Status {...state} title={run.error ?? undefined} />
      </td>
      <td className={cx(table.cell, "text-right whitespace-nowrap text-fg-2 max-md:hidden")}>
        {isOver(run.status) ? run.steps_done : `${run.steps_done} of ${run.steps_most}`}
      </td>
      <td className={cx(table.cell, "text-right whitespace-nowrap text-fg-2 max-sm:hidden")}>{time}</td>
      <td className={cx(table.cell, "text-right whitespace-nowrap text-fg-2 max-lg:hidden")}>
        {number(run.tokens_in + run.tokens_out)}
      </td>
      <td className={cx(table.cell, "text-right whitespace-nowrap text-fg-2 max-sm:hidden")}>
        {money(run.cost_microusd)}
      </td>
      <td className={cx(table.cell, "text-right text-fg-2 max-md:hidden")}>
        <Ago at={run.created_at} />
      </td>
    </tr>
  );
}

const HEADS = [
  ["Run", ""],
  ["State", ""],
  ["Steps", "text-right max-md:hidden"],
  ["Time", "text-right max-sm:hidden"],
  ["Tokens", "text-right max-lg:hidden"],
  ["Cost", "text-right max-sm:hidden"],
  ["Begun", "text-right max-md:hidden"],
] as const;

interface Props {
  runs: RunSummary[];
  chosen: string;
  more?: { has: boolean; busy: boolean; load: () => void };
}

/** Runs, newest first. */
export function RunTable({ runs, chosen, more }: Props) {
  const { rows, waiting, held, release, bind } = useHeld(runs, chosen);
  return (
    <div className="min-w-0 rounded-panel border border-line bg-surface">
      <div className="border-b border-line px-4 py-1.5">
        <HeldNote
          held={held}
          waiting={waiting}
          release={release}
          count={runs.length}
          what={runs.length === 1 ? "run" : "runs"}
        />
      </div>
      {/* Scrolled by keyboard where it is wider than the screen. */}
      <div className={table.wrap} role="region" aria-label="Table of runs" tabIndex={0} {...bind}>
        <table className={table.root}>
          <thead>
            <tr>
              {HEADS.map(([name, more]) => (
                <th key={name} scope="col" className={cx(table.head, more)}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ item, gone }) => (
              <Row key={item.id} run={item} gone={gone} />
            ))}
          </tbody>
        </table>
      </div>
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
