// Who used what in the last days, to compare teams, templates, missions and people.
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { api } from "~/api/client";
import { missionsQuery } from "~/api/missions";
import type { RunSummary } from "~/api/runs";
import { teamsQuery, templatesQuery } from "~/api/teams";
import { DASH, number } from "~/ui/bytes";
import { cx, textLink } from "~/ui/class";
import { DataTable, type Column } from "~/ui/data-table";
import { Panel } from "~/ui/panel";
import { QueryView } from "~/ui/query-view";
import { money } from "~/ui/run-state";
import { Segments } from "~/ui/segments";
import { duration, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import { linePoints, rowsOf, sinceOf, totalOf, type By, type Measure, type Names, type Row } from "./use";

const PAGE = 200;
const PAGES = 10;

/** The runs of the last days. A run that another one started is a part of it, and its cost is counted there. */
const usedQuery = (days: number) =>
  queryOptions({
    queryKey: ["used", days],
    queryFn: async ({ signal }): Promise<{ runs: RunSummary[]; cut: boolean }> => {
      const from = new Date(sinceOf(days, Date.now())).toISOString();
      const runs: RunSummary[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < PAGES; page += 1) {
        const query = { limit: PAGE, all: true, from, cursor };
        const answer = await api.get("/api/topology-runs", { query, signal });
        runs.push(...answer.items.filter((run) => !run.parent_run_id));
        cursor = answer.next_cursor ?? undefined;
        if (!cursor) return { runs, cut: false };
      }
      return { runs, cut: true };
    },
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const FORMATS: Record<Measure, (value: number) => string> = {
  cost: (value) => (value >= 10_000 ? `$${(value / 1e6).toFixed(2)}` : money(value)),
  tokens: (value) => compact.format(value),
  time: duration,
  runs: (value) => number(value),
};
const NAMES: Record<Measure, string> = { cost: "Cost", tokens: "Tokens", time: "Time", runs: "Runs" };
const OF: Record<By, string> = {
  team: "Team",
  template: "Template",
  mission: "Mission",
  person: "Person",
};
const SPANS = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
] as const;

function Name({ row: { name, way } }: { row: Row }) {
  const words = <bdi>{visible(name)}</bdi>;
  if (!way) return <span className="block truncate">{words}</span>;
  const to = way.to === "team" ? "/teams/$id" : way.to === "template" ? "/templates/$id" : "/missions/$id";
  return (
    <Link to={to} params={{ id: way.id }} title={name} className={cx(textLink, "block max-w-fit truncate")}>
      {words}
    </Link>
  );
}

/** The days of a row as a line; its figures are beside it. */
const Trend = ({ days }: { days: readonly number[] }) => (
  <svg aria-hidden viewBox="0 -4 100 108" preserveAspectRatio="none" className="h-6 w-24 text-accent">
    <polyline
      points={linePoints(days)}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      vectorEffect="non-scaling-stroke"
    />
  </svg>
);

function columnsOf(by: By, measure: Measure, top: number): Column<Row>[] {
  const figure = (one: Measure): Column<Row> => ({
    name: NAMES[one],
    look: cx("w-24 text-right", one !== measure && "max-md:hidden"),
    cell: cx("whitespace-nowrap tabular-nums", one === measure ? "font-[550]" : "text-fg-2"),
    show: (row) => FORMATS[one](row[one]),
  });
  return [
    {
      name: OF[by],
      show: (row) => (
        <>
          <Name row={row} />
          <span aria-hidden className="mt-1 block h-1.5 rounded-full bg-line">
            <span
              data-bar={row.key}
              className="block h-full rounded-full bg-accent"
              style={{ width: `${top > 0 ? (row[measure] / top) * 100 : 0}%` }}
            />
          </span>
        </>
      ),
    },
    {
      name: "By day",
      look: "w-28 max-lg:hidden",
      show: (row) => <Trend days={row.days} />,
    },
    figure("cost"),
    figure("tokens"),
    figure("time"),
    figure("runs"),
  ];
}

/** The names of what runs name by ids, as far as they have arrived. */
function useNames(by: By): Names {
  const teams = useQuery(teamsQuery).data;
  const templates = useQuery({ ...templatesQuery, enabled: by === "template" }).data;
  const missions = useQuery({ ...missionsQuery(), enabled: by === "mission" }).data;
  return useMemo(() => {
    const byId = <T extends { id: string }>(all: readonly T[] | undefined) =>
      new Map((all ?? []).map((one) => [one.id, one]));
    const [team, template, mission] = [byId(teams), byId(templates), byId(missions)];
    // Before a list is there, nothing in it counts as deleted.
    const late = (all: unknown) => (all ? undefined : DASH);
    return {
      team: (id) => {
        const found = team.get(id);
        if (found) return { name: found.name, template: found.template_id ?? undefined };
        return teams ? undefined : { name: DASH, template: undefined };
      },
      template: (id) => template.get(id)?.name ?? late(templates),
      mission: (id) => mission.get(id)?.title ?? late(missions),
    };
  }, [teams, templates, missions]);
}

/** Cost, tokens, time and runs of the last days, compared. */
export function UsePanel() {
  const [days, setDays] = useState<(typeof SPANS)[number][0]>("30");
  const [by, setBy] = useState<By>("team");
  const [chosen, setMeasure] = useState<Measure>();
  const used = useQuery(usedQuery(Number(days)));
  const names = useNames(by);
  // The time of runs at work grows; a minute is exact enough, and the table stays still between.
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  const runs = used.data?.runs;
  // A workspace whose models have no price would see an empty chart of costs.
  const measure = chosen ?? (runs?.some((run) => run.cost_microusd > 0) === false ? "time" : "cost");
  const rows = useMemo(
    () => rowsOf(runs ?? [], { by, measure, days: Number(days) }, names, minute),
    [runs, by, measure, days, names, minute],
  );
  const total = totalOf(rows);
  const top = Math.max(0, ...rows.map((row) => row[measure]));
  return (
    <Panel
      title="Use, compared"
      aside={<Segments label="Time range" value={days} options={SPANS} onChange={setDays} />}
    >
      <div className="flex flex-wrap gap-x-4 gap-y-2 border-b border-line px-4 py-2">
        <Segments
          label="Compare by"
          value={by}
          options={(Object.keys(OF) as By[]).map((one) => [one, OF[one]] as const)}
          onChange={setBy}
        />
        <Segments
          label="Measure"
          value={measure}
          options={(Object.keys(NAMES) as Measure[]).map((one) => [one, NAMES[one]] as const)}
          onChange={setMeasure}
        />
      </div>
      <QueryView query={used} what="the use" rows={5}>
        {({ cut }) => (
          <>
            <DataTable
              caption={`Use of the last ${days} days by ${OF[by].toLowerCase()}`}
              columns={columnsOf(by, measure, top)}
              rows={rows}
              keyOf={({ key }) => key}
              empty={<p className="px-4 py-3 text-fg-2">No run began in the last {days} days.</p>}
            />
            {rows.length > 0 && (
              <p className="border-t border-line px-4 py-2 text-small text-fg-2">
                Together {FORMATS.cost(total.cost)}, {FORMATS.tokens(total.tokens)} tokens,{" "}
                {FORMATS.time(total.time)} of runs, {number(total.runs)} {total.runs === 1 ? "run" : "runs"}.
                {cut && ` Only the newest ${number(runs?.length ?? 0)} runs are counted.`}
              </p>
            )}
          </>
        )}
      </QueryView>
    </Panel>
  );
}
