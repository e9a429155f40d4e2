// The figures of a team's last days, each with its line.
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { Team } from "~/api/teams";
import { DASH, number } from "~/ui/bytes";
import { Spark } from "~/ui/chart/lazy";
import { textLink } from "~/ui/class";
import { Panel } from "~/ui/panel";
import { money } from "~/ui/run-state";
import { duration, useNow } from "~/ui/time";
import { DAYS, recentOf, sinceOf, sum, type Recent } from "./recent";

const useQueryOf = (team: string, since: number) =>
  queryOptions({
    queryKey: [...keys.runs, "recent", team, since],
    queryFn: ({ signal }) =>
      api.get("/api/runs/use", {
        query: { by: "day", team_id: team, from: new Date(since).toISOString() },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const FIGURES: [keyof Recent, string, (value: number) => string][] = [
  ["runs", "Runs", (value) => number(value)],
  ["cost", "Cost", (value) => (value >= 10_000 ? `$${(value / 1e6).toFixed(2)}` : money(value))],
  ["tokens", "Tokens", (value) => compact.format(value)],
  ["time", "Time", (value) => (value === 0 ? "0 s" : duration(value))],
];

export function RecentUse({ team }: { team: Team }) {
  const since = sinceOf(useNow());
  const found = useQuery(useQueryOf(team.id, since)).data;
  const recent = useMemo(() => found && recentOf(found.rows, since), [found, since]);
  return (
    <Panel
      title={`Last ${DAYS} days`}
      aside={
        <Link to="/runs" search={{ team: team.id, when: "30d", shown: "all" }} className={textLink}>
          Its runs
        </Link>
      }
    >
      <dl className="grid grid-cols-2 gap-4 p-4 sm:grid-cols-4">
        {FIGURES.map(([key, name, format]) => (
          <div key={key} className="min-w-0">
            <dt className="text-small text-fg-3">{name}</dt>
            <dd className="text-figure">{recent ? format(sum(recent[key])) : DASH}</dd>
            <dd className="h-6">{recent && <Spark days={recent[key]} />}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
