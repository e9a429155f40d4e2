import { Link } from "@tanstack/react-router";
import type { MissionDetail, MissionPhase, MissionRun } from "~/api/missions";
import { DASH } from "~/ui/bytes";
import { textLink } from "~/ui/class";
import { DataTable, type Column } from "~/ui/data-table";
import { inlineCode } from "~/ui/inline-code";
import { Markdown } from "~/ui/markdown/markdown";
import { Panel } from "~/ui/panel";
import { isOver, money } from "~/ui/run-state";
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";
import { Card } from "./card";
import {
  hasTeams,
  isFinal,
  missionRunOutcome,
  missionRunState,
  phaseName,
  phaseSays,
  phaseState,
} from "./words";

const workerOf = ({ team_id, team_name }: MissionRun) =>
  team_id ? (team_name ?? "a deleted team") : "Roost";

const steps = ({ status, steps_done, steps_most }: MissionRun) =>
  !status || isOver(status) ? `${steps_done}` : `${steps_done} of ${steps_most}`;

const COLUMNS: Column<MissionRun>[] = [
  {
    name: "Worker",
    show: (run) => (
      <>
        {!run.team_id ? (
          "Roost"
        ) : run.team_name ? (
          <Link to="/teams/$id" params={{ id: run.team_id }} className={textLink}>
            <bdi>{visible(run.team_name)}</bdi>
          </Link>
        ) : (
          <span className="text-fg-3">deleted team</span>
        )}
        {run.attempt > 1 && (
          <span className="block text-small whitespace-nowrap text-fg-3">attempt {run.attempt}</span>
        )}
      </>
    ),
  },
  {
    name: "Run",
    show: (run) =>
      run.status ? (
        <Link to="/runs/$id" params={{ id: run.run_id }} className={textLink}>
          Open run
          <span className="sr-only"> of {visible(workerOf(run))}</span>
        </Link>
      ) : (
        DASH
      ),
  },
  { name: "State", show: (run) => <Status {...missionRunState(run)} /> },
  {
    name: "Outcome",
    look: "max-sm:hidden",
    show: (run) => {
      const outcome = missionRunOutcome(run);
      return outcome ? <Status {...outcome} /> : DASH;
    },
  },
  {
    name: "Steps",
    look: "text-right max-md:hidden",
    cell: "whitespace-nowrap text-fg-2",
    show: steps,
  },
  {
    name: "Cost",
    look: "text-right",
    cell: "whitespace-nowrap text-fg-2",
    show: ({ cost_microusd }) => money(cost_microusd),
  },
];

/** The newest attempt first. */
const newest = (runs: readonly MissionRun[]) =>
  runs.toSorted((a, b) => b.attempt - a.attempt || (a.run_id < b.run_id ? -1 : 1));

function Runs({ phase }: { phase: MissionPhase }) {
  if (phase.runs.length === 0)
    return (
      <p className="px-4 py-3 text-fg-2">
        {phase.status === "pending"
          ? hasTeams(phase.kind)
            ? "The phase has not started. Its teams are here as soon as they work."
            : "The phase has not started. No team works on it: Roost runs its commands."
          : hasTeams(phase.kind)
            ? "No team worked on this phase."
            : "No command ran in this phase."}
      </p>
    );
  return (
    <DataTable
      columns={COLUMNS}
      rows={newest(phase.runs)}
      keyOf={({ run_id }) => run_id}
      label="Teams at work"
    />
  );
}

/** What a phase does or did: its teams, what they got, and its summary. */
export function PhasePanel({ mission, phase }: { mission: MissionDetail; phase: MissionPhase }) {
  // The head of the page has the reason of a phase that holds the mission up.
  const said = phase.status === "failed" && !isFinal(mission.status);
  return (
    <>
      <Panel title={`${phaseName(phase.kind)} phase`} aside={<Status {...phaseState(phase.status)} />}>
        <p className="border-b border-line px-4 py-2 text-fg-2">
          {phase.reason && !said ? inlineCode(visible(phase.reason)) : phaseSays(phase.kind)}
        </p>
        <Runs phase={phase} />
        {phase.input && (
          <details className="border-t border-line">
            <summary className="px-4 py-2 text-fg-2 hover:text-fg">Goal given to its runs</summary>
            <div
              role="region"
              aria-label="Goal given to its runs"
              tabIndex={0}
              className="max-h-[60vh] overflow-auto border-t border-line px-4 py-3"
            >
              <Markdown text={phase.input} what="the input" />
            </div>
          </details>
        )}
      </Panel>
      {phase.has_card && <Card mission={mission.id} phase={phase} />}
    </>
  );
}
