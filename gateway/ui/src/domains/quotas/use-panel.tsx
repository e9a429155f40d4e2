// Who used what in the last days: a chart or a table of the sums that the gateway makes.
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { number } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { Bars, chartsReady, Columns } from "~/ui/chart/lazy";
import { cx, textLink } from "~/ui/class";
import { DataTable, type Column } from "~/ui/data-table";
import { Panel } from "~/ui/panel";
import { QueryView } from "~/ui/query-view";
import { Segments } from "~/ui/segments";
import { useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import {
  allOf,
  BY,
  cutTo,
  daysOf,
  FORMATS,
  MEASURE_NAMES,
  MEASURES,
  moreOf,
  partOf,
  rowsOf,
  sinceOf,
  totalOf,
  type By,
  type Measure,
  type Row,
  type RunsUse,
} from "./use";

const SPANS = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "Year"],
] as const;
type Span = (typeof SPANS)[number][0];
const VIEWS = [
  ["chart", "Chart"],
  ["table", "Table"],
] as const;
/** As many bars as a look takes in. */
const FEW = 12;

/** Not renewed at each step of a run: the sums of a year are work for the gateway. */
const useQueryOf = (by: By, since: number) =>
  queryOptions({
    queryKey: [...keys.use, by, since],
    queryFn: async ({ signal }) => {
      const query = { by, from: new Date(since).toISOString() };
      const [sums] = await Promise.all([api.get("/api/runs/use", { query, signal }), chartsReady()]);
      return sums;
    },
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });

interface Way {
  by: By;
  span: Span;
}

/** A bar counts every run, also those that belong to something else. The list behind it has them all. */
const COUNTED = { shown: "all" };
const dayOf = (day: string) => ({ day, ...COUNTED });

/** A link to the runs behind a row. */
function Behind({
  row,
  by,
  span,
  className,
  children,
}: Way & { row: Row; className?: string; children: ReactNode }) {
  const { id } = row;
  const begin = new Date(sinceOf(Number(span), useNow())).toISOString().slice(0, 10);
  const since = { ...COUNTED, ...(span === "90" ? { from: begin } : { when: `${span}d` }) };
  if (id === undefined || row.name === BY[by].gone) return <span className={className}>{children}</span>;
  const search =
    by === "day"
      ? dayOf(id)
      : by === "team"
        ? { team: id, ...since }
        : by === "person"
          ? { by: id, ...since }
          : { [by]: id, ...since };
  return (
    <Link to="/runs" search={search} className={className}>
      {children}
    </Link>
  );
}

function columnsOf({ by, span }: Way, measure: Measure, total: number): Column<Row>[] {
  const figure = (one: Measure): Column<Row> => ({
    name: MEASURE_NAMES[one],
    look: cx("w-24 text-right", one !== measure && "max-md:hidden"),
    cell: cx("whitespace-nowrap tabular-nums", one === measure ? "font-[550]" : "text-fg-2"),
    show: (row) => FORMATS[one](row[one]),
  });
  return [
    {
      name: BY[by].one,
      show: (row) => (
        <Behind row={row} by={by} span={span} className={cx("block max-w-fit truncate", row.id && textLink)}>
          <bdi>{visible(row.name)}</bdi>
        </Behind>
      ),
    },
    ...MEASURES.map(figure),
    {
      name: `Part of all ${MEASURE_NAMES[measure].toLowerCase()}`,
      look: "w-32 text-right",
      cell: "whitespace-nowrap tabular-nums text-fg-2",
      show: (row) => partOf(row[measure], total),
    },
  ];
}

interface FoundProps extends Way {
  use: RunsUse;
  measure: Measure;
  since: number;
  table: boolean;
}

function Chart({ rows, by, span, measure }: Way & { rows: readonly Row[]; measure: Measure }) {
  const navigate = useNavigate();
  const days = `last ${span} days`;
  const format = FORMATS[measure];
  if (by === "day")
    return (
      <div className="px-4 py-3">
        <Columns
          label={`${MEASURE_NAMES[measure]} of each of the ${days}. Arrow keys choose a day, Enter shows its runs.`}
          parts="other"
          tall
          days={rows.map((row) => ({
            at: Date.parse(row.key),
            value: row[measure],
            ...(measure === "tokens" && { part: row.output }),
            says: allOf(row),
          }))}
          format={format}
          rest="Days in UTC. Each run counts on the day when it was created."
          onOpen={({ at }) =>
            void navigate({ to: "/runs", search: dayOf(new Date(at).toISOString().slice(0, 10)) })
          }
          link={({ at }) => (
            <Link to="/runs" search={dayOf(new Date(at).toISOString().slice(0, 10))} className={textLink}>
              Its runs
            </Link>
          )}
        />
      </div>
    );
  return (
    <Bars
      label={`${MEASURE_NAMES[measure]} by ${BY[by].one.toLowerCase()}, ${days}`}
      bars={rows.map((row) => ({
        key: row.key,
        name: visible(row.name),
        value: row[measure],
        ...(measure === "tokens" && { part: row.output }),
        says: format(row[measure]),
        more: moreOf(row, measure),
      }))}
      format={format}
      legend={measure === "tokens" ? ["Input tokens", "Output tokens"] : undefined}
      link={(bar, content, look) => {
        const row = rows.find(({ key }) => key === bar.key);
        return row?.id ? (
          <Behind row={row} by={by} span={span} className={cx(look, "hover:bg-line/50")}>
            {content}
          </Behind>
        ) : (
          <div className={look}>{content}</div>
        );
      }}
    />
  );
}

function Found({ use, by, span, measure, since, table }: FoundProps) {
  const [whole, setWhole] = useState(false);
  const all = by === "day" ? daysOf(use, since, Number(span)) : rowsOf(use, measure);
  const total = totalOf(all);
  if (total.runs === 0 && total.tokens === 0)
    return <p className="px-4 py-3 text-fg-2">No run began in the last {span} days.</p>;
  const rows = by === "day" || whole ? all : cutTo(all, FEW);
  return (
    <>
      {table ? (
        <DataTable
          caption={`Use of the last ${span} days by ${BY[by].one.toLowerCase()}`}
          columns={columnsOf({ by, span }, measure, total[measure])}
          rows={by === "day" ? rows.toReversed() : rows}
          keyOf={({ key }) => key}
        />
      ) : (
        <Chart rows={rows} by={by} span={span} measure={measure} />
      )}
      <div className="flex flex-wrap items-center justify-between gap-2 border-t border-line px-4 py-2">
        <p className="text-small text-fg-2">Together {allOf(total)}.</p>
        {by !== "day" && all.length > FEW && (
          <Button look="quiet" onClick={() => setWhole(!whole)}>
            {whole ? `Show ${FEW}` : `Show all ${number(all.length)}`}
          </Button>
        )}
      </div>
    </>
  );
}

const oneOf = <T extends string>(all: readonly T[], value: unknown, other: T): T =>
  all.find((one) => one === value) ?? other;

/** Cost, tokens, time and runs of the last days, compared. What is shown is in the address. */
export function UsePanel() {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const by = oneOf(Object.keys(BY) as By[], search["by"], "team");
  const span = oneOf(
    SPANS.map(([one]) => one),
    String(search["days"] ?? ""),
    "30",
  );
  const table = search["view"] === "table";
  // A day begins once in a day; the clock of the page moves each second.
  const since = sinceOf(Number(span), useNow());
  const used = useQuery(useQueryOf(by, since));
  const rows = used.data?.rows;
  // A workspace whose models have no price would see an empty chart of costs.
  const fits: Measure = rows?.some((one) => one.cost_microusd > 0) === false ? "time" : "cost";
  const measure = oneOf(MEASURES, search["measure"], fits);
  const look = (change: Record<string, string>) =>
    void navigate({ to: ".", search: (now: object) => ({ ...now, ...change }), replace: true });
  return (
    <Panel
      title="Usage"
      aside={<Segments label="Time range" value={span} options={SPANS} onChange={(days) => look({ days })} />}
    >
      <div className="flex flex-wrap gap-x-4 gap-y-2 border-b border-line px-4 py-2">
        <Segments
          label="Compare"
          value={by}
          options={(Object.keys(BY) as By[]).map((one) => [one, BY[one].several] as const)}
          onChange={(next) => look({ by: next })}
        />
        <Segments
          label="Measure"
          value={measure}
          options={MEASURES.map((one) => [one, MEASURE_NAMES[one]] as const)}
          onChange={(next) => look({ measure: next })}
        />
        <Segments
          label="View"
          value={table ? "table" : "chart"}
          options={VIEWS}
          onChange={(view) => look({ view })}
        />
      </div>
      <QueryView query={used} what="the use" rows={6}>
        {(use) => (
          // Until the answer to a new choice is there, the chart is that of the choice before.
          <Found
            key={use.by}
            use={use}
            by={use.by}
            span={span}
            measure={measure}
            since={since}
            table={table}
          />
        )}
      </QueryView>
    </Panel>
  );
}
