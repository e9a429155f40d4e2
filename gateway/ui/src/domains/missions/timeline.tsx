import type { MissionDetail, MissionPhase } from "~/api/missions";
import { cx } from "~/ui/class";
import { Help } from "~/ui/help";
import { Panel } from "~/ui/panel";
import { took } from "~/ui/run-state";
import { Status } from "~/ui/status";
import { clockTime, duration, useNow } from "~/ui/time";
import { TimeLine } from "./time-line";
import { weights } from "./weights";
import { PHASE_GROUND, phaseName, phaseState } from "./words";

/** The same lines whatever the phase does, so that nothing moves when it begins or ends. */
function Times({ phase, now }: { phase: MissionPhase; now: number }) {
  const { started_at: from, ended_at: to, attempt } = phase;
  return (
    <>
      <span className="block min-h-4 whitespace-nowrap tabular-nums">
        {from && `${clockTime(from)} – ${to ? clockTime(to) : "now"}`}
      </span>
      <span className="block min-h-4 whitespace-nowrap text-fg-3 tabular-nums">
        {from && duration(took(from, to, now))}
        {attempt > 1 && `, attempt ${attempt}`}
      </span>
    </>
  );
}

interface Props {
  mission: MissionDetail;
  chosen: string | undefined;
  onChoose: (id: string) => void;
}

/** The phases as a line in time: the longer one took, the wider it is. A press shows what it did. */
export function PhaseTimeline({ mission, chosen, onChoose }: Props) {
  const now = useNow();
  const widths = weights(mission.phase_details, now);
  return (
    <Panel
      title="Phases"
      aside={
        <>
          Choose a phase to see its teams and results.
          <Help word="phase" />
        </>
      }
    >
      <ol className="flex gap-1 px-4 py-3 max-sm:flex-col sm:overflow-x-auto">
        {mission.phase_details.map((phase, at) => (
          <li
            key={phase.id}
            className="flex min-w-0 sm:min-w-44 sm:basis-0"
            style={{ flexGrow: widths[at] }}
            data-phase={phase.kind}
          >
            <button
              type="button"
              aria-pressed={phase.id === chosen}
              onClick={() => onChoose(phase.id)}
              className={cx(
                "flex min-w-0 flex-1 flex-col gap-1.5 rounded-control border px-2.5 py-2 text-left focus-visible:-outline-offset-2",
                phase.id === chosen
                  ? "border-accent bg-accent/8"
                  : "border-transparent hover:border-line-strong",
              )}
            >
              <span
                aria-hidden
                className={cx(
                  "block h-1.5 w-full rounded-full",
                  PHASE_GROUND[phase.status],
                  phase.status === "running" && "pulse",
                )}
              />
              <span className="font-[550]">
                {at + 1}. {phaseName(phase.kind)}
              </span>
              <Status {...phaseState(phase.status)} className="text-small" />
              <span className="text-small text-fg-2">
                <Times phase={phase} now={now} />
              </span>
            </button>
          </li>
        ))}
      </ol>
      <TimeLine mission={mission} now={now} />
    </Panel>
  );
}
