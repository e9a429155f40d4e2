// The head of a run's page. It stays in sight while the page is read.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Crosshair, Download, GitFork, Pause, Play, RotateCcw, Scale } from "lucide-react";
import { useState } from "react";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import { startAgent, startRun, type NewRun, type Run } from "~/api/runs";
import { renew } from "~/live/renew";
import { Button, buttonClass } from "~/ui/button";
import { textLink } from "~/ui/class";
import { CopyButton } from "~/ui/copy-button";
import { useKeyedMutation } from "~/ui/keyed-mutation";
import { ProblemNote } from "~/ui/problem";
import { isOver, money, originWord, outcomeState, stepsWord, took } from "~/ui/run-state";
import { Status } from "~/ui/status";
import { duration, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import { ForkDialog } from "./fork-dialog";
import { forkedAt } from "./fork-history";
import { exported } from "./journal";
import { modelOf } from "./nodes";
import { CancelRun } from "./outcome";
import { callsQuery, forksQuery, pause, resume, runRepoQuery } from "./queries";
import { wholeState, workingNode } from "./words-live";

/** How far it is: each step that is done fills its part. */
function Progress({ run }: { run: Run }) {
  const most = Math.max(run.steps_most, run.steps_done, 1);
  const over = isOver(run.status);
  const share = over ? 1 : run.steps_done / most;
  const look =
    run.status === "failed" || run.outcome === "rejected"
      ? "bg-failed"
      : run.status === "cancelled"
        ? "bg-line-strong"
        : over
          ? "bg-done"
          : "bg-accent";
  return (
    <div
      role="progressbar"
      aria-label="Steps that are done"
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={over ? most : run.steps_done}
      aria-valuetext={stepsWord(run)}
      className="h-1 overflow-hidden rounded-full bg-line"
    >
      <div
        className={`h-full rounded-full transition-[width] motion-reduce:transition-none ${look}`}
        style={{ width: `max(4px, ${share * 100}%)` }}
      />
    </div>
  );
}

/** Pauses a run at work, and lets a paused one go on. */
function PauseRun({ run }: { run: Run }) {
  const client = useQueryClient();
  const paused = run.paused_at != null;
  const change = useMutation({
    mutationFn: () => (paused ? resume(run.id) : pause(run.id)),
    onSettled: () => renew(client, { queryKey: keys.run(run.id) }),
  });
  if (isOver(run.status) || run.cancelling) return null;
  return (
    <>
      <Button
        busy={change.isPending}
        onClick={() => change.mutate()}
        icon={paused ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
      >
        {paused ? "Resume" : "Pause"}
      </Button>
      {change.isError && <ProblemNote problem={asProblem(change.error)} />}
    </>
  );
}

/** Starts another run with the same goal, bound, model and repository, with the team as it is now. */
function RunAgain({ run }: { run: Run }) {
  const navigate = useNavigate();
  const bound = run.repo_run_id != null;
  const repo = useQuery({ ...runRepoQuery(run.id), enabled: bound });
  const again = useKeyedMutation((body: NewRun, key) =>
    run.team_id ? startRun(run.team_id, body, key) : startAgent(run.agent_id ?? "", body, key),
  );
  if (!isOver(run.status) || !(run.team_id ?? run.agent_id)) return null;
  const model = modelOf(run.graph);
  const go = async () => {
    const of = repo.data;
    const from = of?.upload_id
      ? { upload_id: of.upload_id }
      : of?.repo_id
        ? { repo_id: of.repo_id, ...(of.base && { base: of.base }) }
        : null;
    const begun = await again
      .mutateAsync({
        input: run.input,
        repo: from,
        ...(run.cost_ceiling_microusd != null && { cost_ceiling_microusd: run.cost_ceiling_microusd }),
        limits: run.limits,
        ...(model && { model }),
      })
      .catch(() => undefined);
    if (begun) await navigate({ to: "/runs/$id", params: { id: begun.id } });
  };
  return (
    <>
      <Button
        busy={again.isPending}
        disabled={bound && !repo.data}
        onClick={() => void go()}
        icon={<RotateCcw size={14} aria-hidden />}
      >
        Run again
      </Button>
      {again.isError && <ProblemNote problem={asProblem(again.error)} />}
    </>
  );
}

/** The run with its journal as one file. */
function Export({ run }: { run: Run }) {
  const client = useQueryClient();
  const write = useMutation({
    mutationFn: async () => {
      const [whole, calls] = await Promise.all([
        api.get("/api/topology-runs/{id}", { path: { id: run.id } }),
        client.fetchQuery(callsQuery(run.id)),
      ]);
      const text = JSON.stringify({ ...whole, ...exported(calls) }, null, 2);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
      link.download = `run-${run.id}.json`;
      link.click();
      URL.revokeObjectURL(link.href);
    },
  });
  return (
    <>
      <Button
        busy={write.isPending}
        onClick={() => write.mutate()}
        icon={<Download size={14} aria-hidden />}
        aria-label="Export the run as a file"
      >
        <span className="max-sm:sr-only">Export</span>
      </Button>
      {write.isError && <ProblemNote problem={asProblem(write.error)} />}
    </>
  );
}

/** Where it was forked from, and what was forked from it. */
function Forks({ run }: { run: Run }) {
  const forks = useQuery({ ...forksQuery(run.id), enabled: isOver(run.status) });
  const made = forks.data?.items ?? [];
  if (!run.forked_from && made.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-fg-2" data-forks>
      <GitFork size={14} aria-hidden />
      {run.forked_from && (
        <Link to="/runs/$id" params={{ id: run.forked_from }} className={textLink}>
          Forked from another run, at {forkedAt(run)}
        </Link>
      )}
      {made.map((fork) => (
        <Link key={fork.id} to="/runs/$id" params={{ id: fork.id }} className={textLink}>
          Fork: <bdi>{visible(fork.title)}</bdi>
        </Link>
      ))}
      {forks.data?.next_cursor && <span>and more</span>}
    </p>
  );
}

/** Where the run comes from. A mission has a page. */
function Origin({ run }: { run: Run }) {
  const word = originWord(run);
  if (word === undefined) return null;
  if (run.origin.type !== "mission_phase") return <span>{word}</span>;
  const { mission: id, phase } = run.origin;
  return (
    <Link to="/missions/$id" params={{ id }} search={{ phase }} className={textLink}>
      {word}
    </Link>
  );
}

interface Props {
  run: Run;
  title: string;
  mayStart: boolean;
  teamGone: boolean;
  nameOf: (node: string) => string;
  following: boolean;
  onFollow: () => void;
  onCancelled: () => void;
}

/** Title, state, outcome, progress, time and cost, with everything that can be done with the run. */
export function RunHead({ run, title, mayStart, teamGone, nameOf, following, onFollow, onCancelled }: Props) {
  const now = useNow();
  const [forking, setForking] = useState(false);
  const state = wholeState(run);
  const outcome = outcomeState(run);
  const over = isOver(run.status);
  const working = workingNode(run);
  const last = run.steps.findLast((step) => step.shard === 0);
  return (
    <header
      data-run-head
      className="gap-2 max-sm:contents sm:sticky sm:top-10 sm:z-10 sm:-mx-1 sm:flex sm:flex-col sm:bg-canvas sm:px-1 sm:py-1"
      aria-label="The run at a glance"
    >
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <h1 className="min-w-0 flex-1 basis-72 text-head-1 break-words">
          <bdi>{title}</bdi>
        </h1>
        <div className="flex flex-wrap items-center gap-2">
          {!over && working && (
            <Button
              aria-pressed={following}
              onClick={onFollow}
              icon={<Crosshair size={14} aria-hidden />}
              className={following ? "border-accent text-accent" : ""}
            >
              Follow
            </Button>
          )}
          {mayStart && <PauseRun run={run} />}
          {mayStart && <CancelRun run={run} onDone={onCancelled} />}
          {mayStart && !teamGone && <RunAgain run={run} />}
          {mayStart && !teamGone && over && last && (
            <Button icon={<GitFork size={14} aria-hidden />} onClick={() => setForking(true)}>
              Fork
            </Button>
          )}
          {mayStart && !teamGone && over && run.team_id && (
            <Link to="/runs/compare" search={{ run: run.id }} className={buttonClass()}>
              <Scale size={14} aria-hidden />
              Compare teams
            </Link>
          )}
          <Export run={run} />
          <CopyButton text={`${window.location.origin}/runs/${run.id}`} label="Copy link" />
        </div>
      </div>
      {/* On a phone, the title and the buttons would cover too much of the screen: only this part stays. */}
      <div
        data-run-state
        className="flex flex-col gap-2 max-sm:sticky max-sm:top-10 max-sm:z-10 max-sm:-mx-1 max-sm:bg-canvas max-sm:px-1 max-sm:py-1"
      >
        <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-fg-2">
          <Status {...state} />
          {outcome && <Status {...outcome} />}
          <Origin run={run} />
          <span className="tabular-nums">{duration(took(run.started_at, run.ended_at, now))}</span>
          <span>{stepsWord(run)}</span>
          <span className="tabular-nums">{money(run.cost_microusd)}</span>
          {working && state.tone === "running" && (
            <span>
              <bdi>{visible(nameOf(working))}</bdi> works
            </span>
          )}
          {run.paused_by && (
            <span>
              paused by <bdi>{visible(run.paused_by.name || run.paused_by.email)}</bdi>
            </span>
          )}
        </p>
        <Progress run={run} />
      </div>
      <Forks run={run} />
      {forking && last && (
        <ForkDialog run={run} first={last} nameOf={nameOf} onClose={() => setForking(false)} />
      )}
    </header>
  );
}
