import { Link } from "@tanstack/react-router";
import { Trophy } from "lucide-react";
import { DASH, number } from "~/ui/bytes";
import { cx, textLink } from "~/ui/class";
import { Demonstration } from "~/ui/demonstration";
import { Markdown } from "~/ui/markdown/markdown";
import { Notice } from "~/ui/notice";
import { Panel } from "~/ui/panel";
import { money, runState } from "~/ui/run-state";
import { Status } from "~/ui/status";
import { table } from "~/ui/table";
import { duration } from "~/ui/time";
import { kindName } from "~/ui/topology/place";
import { visible } from "~/ui/visible";
import { bars, figures, type Compared, type Comparison as Told } from "./compare";
import { useTeamsGone } from "./team";
import { spoken } from "./words";

/** A figure with its bar beside the longest of all. */
function Bar({ share, text, good }: { share: number | undefined; text: string; good?: boolean }) {
  return (
    <td className={cx(table.cell, "min-w-28")}>
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
    </td>
  );
}

function Figures({ told }: { told: Told }) {
  const { candidates, verdict } = told;
  const gone = useTeamsGone(candidates.map((one) => one.team_id));
  const scores = candidates.map(({ label }) => verdict?.scores[label]);
  const known = candidates.map(figures);
  const of = {
    cost: bars(known.map(({ cost }) => cost)),
    time: bars(known.map(({ took }) => took)),
    tokens: bars(known.map(({ tokens }) => tokens)),
  };
  const heads = ["Candidate", "State", "Score", "Cost", "Time", "Tokens", "Steps"];
  return (
    <div className={table.wrap} role="region" aria-label="Table of candidates" tabIndex={0}>
      <table className={table.root}>
        <thead>
          <tr>
            {heads.map((name) => (
              <th key={name} scope="col" className={table.head}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {candidates.map((one, at) => (
            <tr key={one.label} data-candidate={one.label} className={table.row}>
              <th scope="row" className={cx(table.cell, "min-w-40 font-normal")}>
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
              </th>
              <td className={table.cell}>
                <Status {...runState({ status: one.status, cancelling: false })} />
                {verdict?.best === one.label && (
                  <span className="flex items-center gap-1 text-small text-done">
                    <Trophy size={12} aria-hidden /> best
                  </span>
                )}
              </td>
              <Bar
                good
                share={scores[at] === undefined ? undefined : scores[at] * 10}
                text={scores[at] === undefined ? DASH : `${number(scores[at], 1)} of 10`}
              />
              <Bar share={of.cost[at]} text={money(known[at]?.cost)} />
              <Bar share={of.time[at]} text={one.took_ms == null ? DASH : duration(one.took_ms)} />
              <Bar share={of.tokens[at]} text={number(known[at]?.tokens)} />
              <td className={table.cell}>{number(known[at]?.steps)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
export function Comparison({ comparison: told }: { comparison: Told }) {
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
              <p dir="auto" className="break-words whitespace-pre-wrap text-fg-2">
                {visible(spoken(verdict.reason).text)}
              </p>
              <p className="text-small text-fg-3">
                The judge saw the outputs by their letters, and was not told whose they are.
              </p>
            </div>
          </div>
        )}
        {none && (
          <Notice tone="warning" className="m-4">
            <p>There is no verdict: {visible(none.why)}</p>
            {none.text && <p className="break-words text-fg-2">{visible(spoken(none.text).text)}</p>}
          </Notice>
        )}
        <Figures told={told} />
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
