import { Link } from "@tanstack/react-router";
import { Trophy } from "lucide-react";
import type { Run } from "~/api/runs";
import { DASH, number } from "~/ui/bytes";
import { cx, textLink } from "~/ui/class";
import { type Column, DataTable } from "~/ui/data-table";
import { Demonstration } from "~/ui/demonstration";
import { Markdown } from "~/ui/markdown/markdown";
import { Notice } from "~/ui/notice";
import { Panel } from "~/ui/panel";
import { isOver, money, outcomeState, runState } from "~/ui/run-state";
import { inlineCode } from "~/ui/inline-code";
import { Status } from "~/ui/status";
import { duration, span, useNow } from "~/ui/time";
import { kindName } from "~/ui/topology/kinds";
import { visible } from "~/ui/visible";
import { useChildren } from "./children";
import { bars, byLabel, caughtUp, figures, type Compared, type Comparison as Told } from "./compare";
import { useTeamsGone } from "./team";
import { BEST_REJECTED, spoken } from "./words";

/** A figure with its bar beside the longest of all. */
function Bar({ share, text, good }: { share: number | undefined; text: string; good?: boolean }) {
  return (
    <>
      <span className="block whitespace-nowrap">{text}</span>
      <span aria-hidden className="mt-0.5 block h-1.5 rounded-full bg-line">
        {share !== undefined && (
          <span
            data-share={Math.round(share)}
            className={cx("block h-full rounded-full", good ? "bg-done" : "bg-accent")}
            style={{ width: `${share}%` }}
          />
        )}
      </span>
    </>
  );
}

function OutcomeOf({ one }: { one: Compared }) {
  const outcome = outcomeState(one);
  return outcome && <Status {...outcome} className="block" />;
}

interface Candidate {
  one: Compared;
  score: number | undefined;
  known: ReturnType<typeof figures> | undefined;
  share: Record<"cost" | "time" | "tokens", number | undefined>;
}

function columns(verdict: Told["verdict"], gone: ReadonlySet<string>): Column<Candidate>[] {
  return [
    {
      name: "Candidate",
      cell: "min-w-40",
      show: ({ one }) => (
        <>
          <span className="font-[550]">{one.label}</span>{" "}
          {gone.has(one.team_id) ? (
            <bdi className="break-words">{visible(one.name)}</bdi>
          ) : (
            <Link to="/teams/$id" params={{ id: one.team_id }} className={cx(textLink, "break-words")}>
              <bdi>{visible(one.name)}</bdi>
            </Link>
          )}
          {gone.has(one.team_id) && <span className="text-small text-fg-3"> (deleted)</span>}
          {one.topology && <span className="block text-small text-fg-3">{kindName(one.topology)}</span>}
        </>
      ),
    },
    {
      name: "State",
      show: ({ one }) => (
        <>
          <Status {...runState(one)} />
          <OutcomeOf one={one} />
          {verdict?.best === one.label && (
            <span className="flex items-center gap-1 text-small text-done">
              <Trophy size={12} aria-hidden /> best
            </span>
          )}
        </>
      ),
    },
    {
      name: "Score",
      cell: "min-w-28",
      show: ({ score }) => (
        <Bar
          good
          share={score === undefined ? undefined : score * 10}
          text={score === undefined ? DASH : `${number(score, 1)} of 10`}
        />
      ),
    },
    {
      name: "Cost",
      cell: "min-w-28",
      show: ({ share, known }) => <Bar share={share.cost} text={money(known?.cost)} />,
    },
    {
      name: "Time",
      cell: "min-w-28",
      show: ({ one: { took_ms: ms, status }, share }) => (
        <Bar share={share.time} text={ms == null ? DASH : isOver(status) ? duration(ms) : span(ms)} />
      ),
    },
    {
      name: "Tokens",
      cell: "min-w-28",
      show: ({ share, known }) => <Bar share={share.tokens} text={number(known?.tokens)} />,
    },
    { name: "Steps", show: ({ known }) => number(known?.steps) },
  ];
}

function Figures({ run, told }: { run: Run; told: Told }) {
  const { verdict } = told;
  const children = useChildren(run);
  const now = useNow();
  const candidates = told.candidates.map((one) => caughtUp(one, children.get(one.run_id ?? ""), now));
  const gone = useTeamsGone(candidates.map((one) => one.team_id));
  const scores = candidates.map(({ label }) => verdict?.scores[label]);
  const known = candidates.map(figures);
  const of = {
    cost: bars(known.map(({ cost }) => cost)),
    time: bars(known.map(({ took }) => took)),
    tokens: bars(known.map(({ tokens }) => tokens)),
  };
  const rows: Candidate[] = candidates.map((one, at) => ({
    one,
    score: scores[at],
    known: known[at],
    share: { cost: of.cost[at], time: of.time[at], tokens: of.tokens[at] },
  }));
  return (
    <DataTable
      label="Table of candidates"
      columns={columns(verdict, gone)}
      rows={rows}
      keyOf={({ one }) => one.label}
      attributesOf={({ one }) => ({ "data-candidate": one.label })}
    />
  );
}

function Output({ one, best }: { one: Compared; best: boolean }) {
  const { text, demonstration } = spoken(one.output ?? "");
  return (
    <section
      aria-label={`Output of ${one.label}`}
      className={cx(
        "flex min-w-72 flex-1 flex-col rounded-panel border bg-surface",
        best ? "border-done" : "border-line",
      )}
    >
      <header className="flex min-h-11 flex-wrap items-center justify-between gap-x-3 border-b border-line px-4 py-1.5">
        <h3 className="min-w-0 text-head-3 break-words">
          {one.label} <bdi className="font-normal">{visible(one.name)}</bdi>
        </h3>
        <span className="flex items-center gap-2 text-small text-fg-3">
          {demonstration && <Demonstration />}
          {one.run_id && (
            <Link
              to="/runs/$id"
              params={{ id: one.run_id }}
              className={cx(textLink, "inline-flex min-h-6 items-center")}
            >
              Run<span className="sr-only"> of {one.label}</span>
            </Link>
          )}
        </span>
      </header>
      <div
        role="region"
        aria-label={`What ${one.label} handed over`}
        tabIndex={0}
        className="max-h-96 min-w-0 overflow-y-auto px-4 py-3"
      >
        {text !== "" && <Markdown text={text} what={`the output of ${one.label}`} />}
        {one.error && <p className="break-words text-failed">{visible(one.error)}</p>}
        {text === "" && !one.error && <p className="text-fg-3">Nothing yet.</p>}
      </div>
    </section>
  );
}

/** Candidates side by side: what they handed over, what it cost, and what the judge said. */
export function Comparison({ run, comparison }: { run: Run; comparison: Told }) {
  const told = { ...comparison, candidates: byLabel(comparison.candidates) };
  const { verdict, no_verdict: none } = told;
  const judge = verdict?.judged_by ?? none?.judged_by;
  const best = told.candidates.find(({ label }) => label === verdict?.best);
  return (
    <>
      <Panel
        title="Comparison"
        aside={
          judge && (
            <Link
              to="/claws/$id"
              params={{ id: judge }}
              className={cx(textLink, "inline-flex min-h-6 items-center")}
            >
              The judge
            </Link>
          )
        }
      >
        {verdict && (
          <div className="flex gap-2.5 border-b border-line px-4 py-3">
            <Trophy size={16} aria-hidden className="mt-0.5 shrink-0 text-done" />
            <div className="min-w-0">
              <p className="font-[550]">
                {verdict.best} is the best
                {best && (
                  <>
                    : <bdi>{visible(best.name)}</bdi>
                  </>
                )}
              </p>
              {best?.outcome === "rejected" && <p className="text-failed">{BEST_REJECTED}</p>}
              <p dir="auto" className="break-words whitespace-pre-wrap text-fg-2">
                {visible(spoken(verdict.reason).text)}
              </p>
              <p className="text-small text-fg-3">
                The judge saw the outputs under letters. It did not know who wrote them.
              </p>
            </div>
          </div>
        )}
        {none && (
          <Notice tone="warning" className="m-4">
            <p>There is no verdict: {inlineCode(visible(none.why))}</p>
            {none.text && <p className="break-words text-fg-2">{visible(spoken(none.text).text)}</p>}
          </Notice>
        )}
        <Figures run={run} told={told} />
      </Panel>
      <div
        role="region"
        aria-label="Outputs side by side"
        tabIndex={0}
        className="relative flex gap-3 overflow-x-auto"
      >
        {told.candidates.map((one) => (
          <Output key={one.label} one={one} best={verdict?.best === one.label} />
        ))}
      </div>
    </>
  );
}
