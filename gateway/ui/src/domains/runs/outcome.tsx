import { Link } from "@tanstack/react-router";
import { OctagonAlert } from "lucide-react";
import { useState } from "react";
import { cancel, type Run } from "~/api/runs";
import { number } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { textLink } from "~/ui/class";
import { CopyText } from "~/ui/copy";
import { Demonstration } from "~/ui/demonstration";
import { Confirm } from "~/ui/dialog";
import { inlineCode } from "~/ui/inline-code";
import { Markdown } from "~/ui/markdown/markdown";
import { Fold } from "~/ui/fold";
import { beginOf } from "~/ui/folded-text";
import { Facts, Panel } from "~/ui/panel";
import { isOver, money, outcomeState, took } from "~/ui/run-state";
import { Avatar } from "~/ui/person";
import { Status } from "~/ui/status";
import { Ago, duration, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import { forkedAt } from "./fork-history";
import { codeWord, EVIDENCE_RUN, evidenceWord, OUTCOME_NOTE, spoken } from "./words";
import { wholeState } from "./words-live";

/** What it came to, or why it did not. */
export function Outcome({ run }: { run: Run }) {
  if (run.status === "failed" || run.error)
    return (
      <div
        role="alert"
        className="flex gap-2.5 rounded-control border border-failed/50 bg-failed/8 px-3 py-2"
      >
        <OctagonAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-failed" />
        <div className="min-w-0">
          <p className="font-[550]">{codeWord(run.error_code) ?? "The run failed."}</p>
          {run.error && (
            <p className="break-words whitespace-pre-wrap text-fg-2">{inlineCode(visible(run.error))}</p>
          )}
          {run.error_code && <CopyText text={run.error_code} what="error code" />}
        </div>
      </div>
    );
  if (run.outputs_forgotten)
    return (
      <p className="text-fg-2">
        The retention of this run's output has ended, so the output is deleted. How it ended, how long it took
        and what it cost are kept.
      </p>
    );
  if (!run.result) return null;
  const { text, demonstration } = spoken(run.result.text);
  return (
    <Panel title="Result" aside={demonstration && <Demonstration />}>
      <div className="px-4 py-3">
        <Result text={text} />
      </div>
    </Panel>
  );
}

/** A long result is folded, so that the timeline is in sight. */
function Result({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  const begin = beginOf(text);
  return (
    <>
      <Markdown text={begin === undefined || open ? text : `${begin} …`} what="the result" />
      {begin !== undefined && (
        <Button look="quiet" className="mt-1 -ml-2.5" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Fold the result" : `Show all ${number(text.split("\n").length)} lines of the result`}
        </Button>
      )}
    </>
  );
}

/** What was used, with its limit when there is one. */
const ofMost = (used: string, most: number | null | undefined, word: (most: number) => string) =>
  most == null ? used : `${used} of at most ${word(most)}`;

/** Whether the goal was met, why, and where the fact is that decided. */
export function Verdict({ run }: { run: Run }) {
  const outcome = outcomeState(run);
  const { outcome_reason: reason, outcome_evidence: evidence } = run;
  if (!outcome || !reason) return null;
  return (
    <Panel title="Outcome" aside={<Status {...outcome} />}>
      <div className="px-4 py-3">
        <p className="break-words">{inlineCode(visible(reason))}</p>
        <p className="text-small text-fg-3">
          {OUTCOME_NOTE}
          {evidence && (
            <>
              {" "}
              {evidence.run ? (
                <Link to="/runs/$id" params={{ id: evidence.run }} className={textLink}>
                  {EVIDENCE_RUN}
                </Link>
              ) : (
                evidenceWord(evidence)
              )}
            </>
          )}
        </p>
      </div>
    </Panel>
  );
}

/** How it stands, in figures. */
export function Summary({ run, teamGone }: { run: Run; teamGone: boolean }) {
  const now = useNow();
  const state = wholeState(run);
  return (
    <section aria-label="Run" className="min-w-0">
      <Fold
        id="facts"
        title="Run"
        summary={
          <>
            <Status {...state} /> Goal, time and tokens
          </>
        }
        opened={!isOver(run.status)}
      >
        <Facts
          items={[
            [
              "Goal",
              <span
                key="goal"
                dir="auto"
                className="block max-h-40 overflow-y-auto break-words whitespace-pre-wrap"
              >
                {visible(run.input)}
              </span>,
            ],
            ...(run.team_id
              ? [
                  [
                    "Team",
                    teamGone ? (
                      "deleted"
                    ) : (
                      <Link key="team" to="/teams/$id" params={{ id: run.team_id }} className={textLink}>
                        the team and its other runs
                      </Link>
                    ),
                  ] as [string, React.ReactNode],
                ]
              : []),
            [
              "Time",
              ofMost(duration(took(run.started_at, run.ended_at, now)), run.limits.time_s, (s) =>
                duration(s * 1000),
              ),
            ],
            ...(run.turns == null
              ? []
              : [["Turns", ofMost(number(run.turns), run.limits.turns, number)] as [string, string]]),
            ["Tokens", `${number(run.tokens_in)} in, ${number(run.tokens_out)} out`],
            ["Cost", ofMost(money(run.cost_microusd), run.cost_ceiling_microusd, money)],
            [
              "Started",
              <span key="started">
                <Ago at={run.started_at} never="not started" />
                {run.created_by && (
                  <>
                    {" by "}
                    <Avatar user={run.created_by} className="mr-1 size-4 align-middle text-[8px]" />
                    <bdi>{run.created_by.name || run.created_by.email}</bdi>
                  </>
                )}
              </span>,
            ],
            ...(run.waiting_on
              ? [
                  [
                    "Waits",
                    <span key="waits">
                      {visible(run.waiting_on)}
                      {run.waiting_since && (
                        <>
                          {" Since "}
                          <Ago at={run.waiting_since} never="" />
                        </>
                      )}
                      {run.waits_for?.type === "door" && (
                        <>
                          {" "}
                          <Link to="/approvals/$id" params={{ id: run.waits_for.door }} className={textLink}>
                            Decide
                          </Link>
                        </>
                      )}
                      {run.waits_for?.type === "child" && (
                        <>
                          {" "}
                          <Link to="/runs/$id" params={{ id: run.waits_for.run }} className={textLink}>
                            Open it
                          </Link>
                        </>
                      )}
                    </span>,
                  ] as [string, React.ReactNode],
                ]
              : []),
            ...(run.parent_run_id
              ? [
                  [
                    "Started by",
                    <Link key="parent" to="/runs/$id" params={{ id: run.parent_run_id }} className={textLink}>
                      another run
                    </Link>,
                  ] as [string, React.ReactNode],
                ]
              : []),
            ...(run.forked_from
              ? [
                  [
                    "Forked from",
                    <Link key="fork" to="/runs/$id" params={{ id: run.forked_from }} className={textLink}>
                      a run, at {forkedAt(run)}
                    </Link>,
                  ] as [string, React.ReactNode],
                ]
              : []),
          ]}
        />
      </Fold>
    </section>
  );
}

/** Stops it, with all that it has started. */
export function CancelRun({ run, onDone }: { run: Run; onDone: () => void }) {
  const [asking, setAsking] = useState(false);
  if (isOver(run.status)) return null;
  return (
    <>
      <Button disabled={run.cancelling} onClick={() => setAsking(true)}>
        {run.cancelling ? "Cancelling" : "Cancel run"}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title="Cancel this run?"
        action="Cancel run"
        keep="Keep it running"
        consequence="Its agents stop where they are, and so does every run that it has started. Work that is done stays. A cancelled run cannot continue, but it can be forked from one of its steps."
        run={async () => {
          await cancel(run.id);
          setAsking(false);
          onDone();
        }}
      />
    </>
  );
}
