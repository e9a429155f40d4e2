// What runs now.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { clawsQuery } from "~/api/claws";
import { useMay } from "~/api/may";
import { missionsQuery, type Mission } from "~/api/missions";
import type { RunSummary } from "~/api/runs";
import { teamsQuery } from "~/api/teams";
import { originWord, runState, stepsWord, took } from "~/ui/run-state";
import { sentence } from "~/ui/sentence";
import { Loading } from "~/ui/skeleton";
import { Status } from "~/ui/status";
import { duration, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import { Nothing, row, rowLink, Section, Unloaded } from "./part";
import { activeQuery } from "./queries";

/** Who works or worked: the team, or the agent that has the work alone. */
function useWho() {
  const teams = useQuery(teamsQuery);
  const claws = useQuery(clawsQuery);
  const names = useMemo(
    () => new Map([...(teams.data ?? []), ...(claws.data ?? [])].map(({ id, name }) => [id, visible(name)])),
    [teams.data, claws.data],
  );
  return (run: RunSummary) => names.get(run.team_id ?? run.agent_id ?? "") ?? originWord(run);
}

const Name = ({ run }: { run: RunSummary }) => (
  <Link to="/runs/$id" params={{ id: run.id }} title={run.title} className={rowLink}>
    <bdi>{visible(run.title) || "untitled"}</bdi>
  </Link>
);

function Progress({ run }: { run: RunSummary }) {
  const most = Math.max(run.steps_most, run.steps_done, 1);
  return (
    <span
      role="progressbar"
      aria-label={`Progress of ${visible(run.title)}`}
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={run.steps_done}
      aria-valuetext={stepsWord(run)}
      className="block h-1.5 w-full overflow-hidden rounded-full bg-line"
    >
      <span
        className="block h-full rounded-full bg-accent"
        style={{ width: `${(run.steps_done / most) * 100}%` }}
      />
    </span>
  );
}

function Active({ run, who }: { run: RunSummary; who: string | undefined }) {
  const now = useNow();
  const state = runState(run);
  return (
    <li data-row className={row}>
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-1.5 sm:grid-cols-[104px_minmax(0,1fr)_180px]">
        <Status {...state} className="max-sm:order-2" />
        <div className="min-w-0 max-sm:order-1">
          <p className="truncate">
            <Name run={run} />
          </p>
          <p className="truncate text-small text-fg-3">
            {who && <bdi>{who}</bdi>}
            {state.title && (
              <>
                {who && ". "}
                <bdi>{state.title}</bdi>
              </>
            )}
          </p>
        </div>
        <div className="order-3 flex min-w-0 flex-col gap-1 max-sm:col-span-2">
          <span className="flex h-5 items-center">
            <Progress run={run} />
          </span>
          <p className="flex justify-between gap-2 text-small text-fg-3 tabular-nums">
            <span>{stepsWord(run)}</span>
            <span className="whitespace-nowrap">
              {run.started_at ? duration(took(run.started_at, null, now)) : "not started"}
            </span>
          </p>
        </div>
      </div>
    </li>
  );
}

const PAST = ["completed", "skipped"];

/** A mission at work: its runs are below it, in the same list. */
function ActiveMission({ mission }: { mission: Mission }) {
  const now = useNow();
  const past = mission.phases.filter(({ status }) => PAST.includes(status)).length;
  const present = mission.phases.find(({ status }) => status === "running");
  return (
    <li data-row className={row}>
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 sm:grid-cols-[104px_minmax(0,1fr)_180px]">
        <Status tone="running" word="Mission" className="max-sm:order-2" />
        <div className="min-w-0 max-sm:order-1">
          <p className="truncate">
            <Link to="/missions/$id" params={{ id: mission.id }} title={mission.title} className={rowLink}>
              <bdi>{visible(mission.title)}</bdi>
            </Link>
          </p>
          {present && (
            <p className="truncate text-small text-fg-3">{sentence(present.kind)} phase is running</p>
          )}
        </div>
        <p className="order-3 flex justify-between gap-2 text-small text-fg-3 tabular-nums max-sm:col-span-2">
          <span>
            {past} of {mission.phases.length} {mission.phases.length === 1 ? "phase" : "phases"}
          </span>
          <span className="whitespace-nowrap">{duration(took(mission.launched_at, null, now))}</span>
        </p>
      </div>
    </li>
  );
}

export function Running() {
  const active = useQuery(activeQuery);
  const may = useMay();
  const missions = useQuery({ ...missionsQuery("running"), enabled: may("missions.read") });
  const launched = missions.data ?? [];
  const who = useWho();
  const runs = active.data ?? [];
  return (
    <Section title="Running now" count={active.data && active.data.length + launched.length}>
      {active.isPending && <Loading what="active runs" rows={2} />}
      <Unloaded what="Active runs" query={active} />
      <Unloaded what="Missions at work" query={missions} />
      {active.data && runs.length + launched.length === 0 && <Nothing>No run is active.</Nothing>}
      {runs.length + launched.length > 0 && (
        <ul>
          {launched.map((mission) => (
            <ActiveMission key={mission.id} mission={mission} />
          ))}
          {runs.map((run) => (
            <Active key={run.id} run={run} who={who(run)} />
          ))}
        </ul>
      )}
    </Section>
  );
}
