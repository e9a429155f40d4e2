// The summary card of a phase.
import { useQuery } from "@tanstack/react-query";
import type { MissionPhase, PhaseSummary } from "~/api/missions";
import { DASH, number } from "~/ui/bytes";
import { textLink } from "~/ui/class";
import { DataTable, type Column } from "~/ui/data-table";
import { Fold, NarrowFold } from "~/ui/fold";
import { QueryView } from "~/ui/query-view";
import { money } from "~/ui/run-state";
import { sentence } from "~/ui/sentence";
import { visible } from "~/ui/visible";
import { summaryQuery } from "./queries";
import { addressOf, figuresOf, narratorWord } from "./words";
import { inlineCode } from "~/ui/inline-code";

type ToolUse = PhaseSummary["tooling"][number];

const COLUMNS: Column<ToolUse>[] = [
  { name: "Tool or model", show: ({ name }) => <bdi className="break-words">{visible(name)}</bdi> },
  { name: "Kind", cell: "text-fg-2", show: ({ kind }) => sentence(kind) },
  { name: "Calls", look: "text-right", cell: "text-fg-2", show: ({ calls }) => number(calls) },
  {
    name: "Failed",
    look: "text-right",
    show: ({ failed }) => <span className={failed > 0 ? "text-failed" : "text-fg-3"}>{number(failed)}</span>,
  },
  {
    name: "Cost",
    look: "text-right max-sm:hidden",
    cell: "text-fg-2",
    show: ({ kind, cost_microusd }) => (kind === "model" ? money(cost_microusd ?? 0) : DASH),
  },
];

/** An address is a link when it leads where it says. A place in a file is text. */
function Source({ text }: { text: string }) {
  const to = addressOf(text);
  if (to === undefined) return <code className="font-mono text-small break-all">{visible(text)}</code>;
  return (
    <a href={to} target="_blank" rel="noopener noreferrer" className={`${textLink} break-all`}>
      {visible(text)}
    </a>
  );
}

const Part = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <section aria-label={title} className="flex min-w-0 flex-col gap-1.5">
    <h3 className="text-small font-[550] text-fg-2">{title}</h3>
    {children}
  </section>
);

/** "13 calls, 1 failed". */
function usedWord(tooling: readonly ToolUse[]): string {
  const sum = (of: (use: ToolUse) => number) => tooling.reduce((all, use) => all + of(use), 0);
  const failed = sum((use) => use.failed);
  const calls = sum((use) => use.calls);
  return `${number(calls)} ${calls === 1 ? "call" : "calls"}${failed > 0 ? `, ${number(failed)} failed` : ""}`;
}

function Body({ card }: { card: PhaseSummary }) {
  return (
    <div className="flex flex-col gap-4 px-4 py-3">
      <div>
        <p className="max-w-[72ch] text-reading break-words whitespace-pre-wrap">
          {inlineCode(visible(card.narrative))}
        </p>
        <p className="text-small text-fg-3">{visible(narratorWord(card))}</p>
      </div>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-[repeat(auto-fit,minmax(8rem,1fr))]" data-figures>
        {figuresOf(card.metrics).map(([name, value]) => (
          <div key={name} className="flex flex-col-reverse rounded-control border border-line px-3 py-2">
            <dt className="text-small text-fg-3">{name}</dt>
            <dd className="text-figure">{value}</dd>
          </div>
        ))}
      </dl>
      {card.next_actions.length > 0 && (
        <Part title="Next actions">
          <ul className="list-disc pl-5">
            {card.next_actions.map((action) => (
              <li key={action} className="break-words">
                {visible(action)}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {card.sources.length > 0 && (
        <Part title="Sources">
          <ul className="flex flex-col gap-0.5">
            {card.sources.map((source) => (
              <li key={source}>
                <Source text={source} />
              </li>
            ))}
          </ul>
        </Part>
      )}
      {card.tooling.length > 0 && (
        <Fold id="tooling" title="Tools and models" summary={usedWord(card.tooling)}>
          <DataTable
            columns={COLUMNS}
            rows={card.tooling}
            keyOf={({ kind, name }) => `${kind} ${name}`}
            label="Tools and models"
          />
        </Fold>
      )}
    </div>
  );
}

export function Card({ mission, phase }: { mission: string; phase: MissionPhase }) {
  const summary = useQuery(summaryQuery(mission, phase.id, phase.attempt));
  const { data } = summary;
  return (
    <NarrowFold
      id="summary"
      title="Summary"
      summary={data && `of attempt ${data.attempt}`}
      aside={data && `of attempt ${data.attempt}`}
    >
      <QueryView query={summary} what="the summary" rows={4}>
        {(card) => <Body card={card} />}
      </QueryView>
    </NarrowFold>
  );
}
