// The head of a mission's page. It stays in sight while the page is read.
import { useMutation } from "@tanstack/react-query";
import { Ban, OctagonAlert, Pause, Play, RotateCcw, SkipForward, Square } from "lucide-react";
import { useState } from "react";
import type { MissionDetail, MissionStatus } from "~/api/missions";
import { asProblem } from "~/api/problem";
import { share } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { CopyButton } from "~/ui/copy-button";
import { Confirm } from "~/ui/dialog";
import { Meter } from "~/ui/meter";
import { inlineCode } from "~/ui/inline-code";
import { Notice } from "~/ui/notice";
import { Person } from "~/ui/person";
import { ProblemNote } from "~/ui/problem";
import { money, took } from "~/ui/run-state";
import { Status } from "~/ui/status";
import { Ago, duration, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import { PhasesLine } from "./phases-line";
import { retryPhase, setStatus, skipPhase, useTake } from "./queries";
import { budgetWord } from "./table";
import {
  isFinal,
  missionState,
  phaseName,
  progressWord,
  reasonWord,
  runtimeState,
  templateKind,
} from "./words";

interface Asks {
  status: MissionStatus;
  action: string;
  title: string;
  consequence: string;
}

const CANCEL: Asks = {
  status: "cancelled",
  action: "Cancel mission",
  title: "Cancel this mission?",
  consequence:
    "Its runs are cancelled, and no phase begins any more. What its phases left is kept. You cannot undo this.",
};
const FAIL: Asks = {
  status: "failed",
  action: "Fail mission",
  title: "Mark this mission as failed?",
  consequence:
    "Its runs are cancelled, and the mission ends as failed. What its phases left is kept. You cannot undo this.",
};

/** Everything that a person can do with the mission in its present status. */
function Actions({ mission }: { mission: MissionDetail }) {
  const take = useTake();
  const [asks, setAsks] = useState<Asks>();
  const move = useMutation({
    mutationFn: (status: MissionStatus) => setStatus(mission.id, status),
    onSuccess: take,
  });
  const { status } = mission;
  const stuck = mission.phases.some((phase) => phase.status === "failed");
  return (
    <>
      {status === "running" && (
        <Button
          busy={move.isPending}
          icon={<Pause size={14} aria-hidden />}
          onClick={() => move.mutate("paused")}
        >
          Pause
        </Button>
      )}
      {status === "paused" && !stuck && (
        <Button
          look="primary"
          busy={move.isPending}
          icon={<Play size={14} aria-hidden />}
          onClick={() => move.mutate("running")}
        >
          Resume
        </Button>
      )}
      {(status === "running" || status === "paused") && (
        <Button icon={<Square size={14} aria-hidden />} onClick={() => setAsks(FAIL)}>
          Fail…
        </Button>
      )}
      {!isFinal(status) && (
        <Button icon={<Ban size={14} aria-hidden />} onClick={() => setAsks(CANCEL)}>
          Cancel…
        </Button>
      )}
      {move.isError && <ProblemNote problem={asProblem(move.error)} />}
      {asks && (
        <Confirm
          open
          onClose={() => setAsks(undefined)}
          title={asks.title}
          consequence={asks.consequence}
          action={asks.action}
          keep="Keep it"
          run={async () => take(await setStatus(mission.id, asks.status))}
        />
      )}
    </>
  );
}

/** Why the mission stopped, with what a person can do about it. */
function Stopped({ mission, manages }: { mission: MissionDetail; manages: boolean }) {
  const take = useTake();
  const failed = mission.phase_details.find(({ status }) => status === "failed");
  const act = useMutation({
    mutationFn: (how: typeof retryPhase) => how(mission.id, failed?.id ?? ""),
    onSuccess: take,
  });
  const stuck = !isFinal(mission.status) && failed;
  const why = stuck ? (failed.reason ?? reasonWord(mission)) : reasonWord(mission);
  if (!stuck && !(why && mission.status !== "completed")) return null;
  if (!stuck)
    return (
      <p className="flex gap-2 break-words text-fg-2">
        <span className="font-[550]">Why:</span>
        <span className="min-w-0">{inlineCode(visible(why ?? ""))}</span>
      </p>
    );
  return (
    <div
      role="alert"
      className="flex gap-2.5 rounded-control border border-failed/50 bg-failed/8 px-3 py-2"
      data-stopped
    >
      <OctagonAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-failed" />
      <div className="flex min-w-0 flex-col gap-2">
        <div>
          <p className="font-[550]">
            The {phaseName(failed.kind).toLowerCase()} phase failed
            {failed.attempt > 1 && ` in attempt ${failed.attempt}`}
          </p>
          {why && <p className="break-words whitespace-pre-wrap text-fg-2">{inlineCode(visible(why))}</p>}
        </div>
        {manages && (
          <div className="flex flex-wrap gap-2">
            <Button
              busy={act.isPending && act.variables === retryPhase}
              disabled={act.isPending}
              icon={<RotateCcw size={14} aria-hidden />}
              onClick={() => act.mutate(retryPhase)}
            >
              Retry phase
            </Button>
            <Button
              busy={act.isPending && act.variables === skipPhase}
              disabled={act.isPending}
              icon={<SkipForward size={14} aria-hidden />}
              onClick={() => act.mutate(skipPhase)}
            >
              Skip phase
            </Button>
          </div>
        )}
        {act.isError && <ProblemNote problem={asProblem(act.error)} />}
      </div>
    </div>
  );
}

function Cost({ mission: { cost_microusd, budget_usd } }: { mission: MissionDetail }) {
  const spent = money(cost_microusd);
  if (budget_usd == null) return <span className="tabular-nums">{spent}</span>;
  const text = `${spent} of ${budgetWord(budget_usd)}`;
  return <Meter label="Budget" used={share(cost_microusd, budget_usd * 1e6)} text={text} />;
}

/** Title, status, progress, time and cost, with everything that can be done with the mission. */
export function MissionHead({ mission, manages }: { mission: MissionDetail; manages: boolean }) {
  const now = useNow();
  const { created_by: person } = mission;
  const runtime = runtimeState(mission);
  return (
    <>
      <header
        data-mission-head
        aria-label="The mission at a glance"
        className="z-10 -mx-1 flex flex-col gap-2 bg-canvas px-1 py-1 sm:sticky sm:top-10"
      >
        <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
          <h1 className="min-w-0 flex-1 basis-72 text-head-1 break-words">
            <bdi>{visible(mission.title)}</bdi>
          </h1>
          <div className="flex flex-wrap items-center gap-2">
            {manages && <Actions mission={mission} />}
            <CopyButton text={`${window.location.origin}/missions/${mission.id}`} label="Copy link" />
          </div>
        </div>
        <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-fg-2">
          <Status {...missionState(mission)} />
          <span>{templateKind(mission.template_kind)}</span>
          <span>{progressWord(mission.phases)}</span>
          {mission.launched_at && (
            <span className="tabular-nums">{duration(took(mission.launched_at, mission.ended_at, now))}</span>
          )}
          {runtime && (
            <span title={visible(mission.runtime?.detail ?? "")} data-runtime={mission.runtime?.state}>
              <Status {...runtime} />
            </span>
          )}
          <Cost mission={mission} />
          {mission.repo_full_name && <bdi>{visible(mission.repo_full_name)}</bdi>}
          {person && (
            <span className="flex min-w-0 items-center gap-1.5 max-sm:hidden">
              <Person user={person} />
              <span className="whitespace-nowrap text-fg-3">
                created <Ago at={mission.created_at} />
              </span>
            </span>
          )}
        </p>
        <PhasesLine phases={mission.phases} />
      </header>
      {mission.waits_for_node && (
        <Notice tone="warning">
          Waits for the machine <bdi>{visible(mission.waits_for_node)}</bdi>. No phase begins before it takes
          work again.
        </Notice>
      )}
      {mission.runtime?.state === "starting" && mission.runtime.detail && (
        <Notice tone="warning">
          The runtime starts. <bdi>{visible(mission.runtime.detail)}</bdi>
        </Notice>
      )}
      <Stopped mission={mission} manages={manages} />
    </>
  );
}
