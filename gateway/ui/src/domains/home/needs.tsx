import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronRight, X } from "lucide-react";
import { useMemo, useState } from "react";
import { clawsQuery } from "~/api/claws";
import { waitingDoorsQuery } from "~/api/doors";
import { pendingLevelUpsQuery } from "~/api/levelups";
import { useMay } from "~/api/may";
import { missionsQuery } from "~/api/missions";
import { nodesQuery } from "~/api/nodes";
import type { RunSummary } from "~/api/runs";
import { teamsQuery } from "~/api/teams";
import { Button, IconButton } from "~/ui/button";
import { inlineCode, withoutTicks } from "~/ui/inline-code";
import { Loading } from "~/ui/skeleton";
import { Status } from "~/ui/status";
import { Ago, span, useNow, useRemaining } from "~/ui/time";
import { needsPerson, type Need } from "./attention";
import { dismiss, useDismissed } from "./dismissed";
import { Nothing, row, rowLink, Section, Unloaded } from "./part";
import {
  actionsQuery,
  activeQuery,
  badQuery,
  completedQuery,
  connectionsQuery,
  hostsQuery,
  newestEnd,
  recentQuery,
} from "./queries";

const FIRST = 6;

const NO_RUNS: never[] = [];

/** Runs that ended badly, and those that may have done their work again. */
function useBad() {
  const bad = useQuery(badQuery);
  const recent = useQuery(recentQuery);
  const active = useQuery(activeQuery);
  const known = recent.data ?? NO_RUNS;
  const oldest = (runs: readonly RunSummary[]) =>
    runs.reduce((first, { created_at: at }) => (first === "" || at < first ? at : first), "");
  const from = oldest(bad.data ?? NO_RUNS);
  const completed = useQuery({
    ...completedQuery(from, newestEnd(known)),
    enabled: recent.data !== undefined && from !== "" && from < oldest(known),
  });
  const runs = useMemo(() => {
    const all = [completed.data, bad.data, active.data, recent.data].flatMap((list) => list ?? NO_RUNS);
    return [...new Map(all.map((run) => [run.id, run])).values()];
  }, [completed.data, bad.data, active.data, recent.data]);
  return { runs, bad, pending: recent.isLoading || completed.isLoading };
}

/** Everything that a person is needed for, with each list that it is made of. */
export function useNeeds() {
  const may = useMay();
  const now = useNow();
  const doors = useQuery({ ...waitingDoorsQuery, enabled: may("doors.read") });
  const { runs, bad, pending: unanswered } = useBad();
  const missions = useQuery({ ...missionsQuery("paused"), enabled: may("missions.read") });
  const nodes = useQuery(nodesQuery);
  const connections = useQuery({ ...connectionsQuery, enabled: may("apps.read") });
  const hosts = useQuery(hostsQuery);
  const actions = useQuery({ ...actionsQuery, enabled: (doors.data?.length ?? 0) > 0 });
  const claws = useQuery(clawsQuery);
  const levelUps = useQuery(pendingLevelUpsQuery);
  const teams = useQuery({ ...teamsQuery, enabled: levelUps.data?.some((one) => one.team_id) === true });
  const aside = useDismissed();
  // Ages change each second; what needs a person, each minute at most.
  const minute = Math.floor(now / 60_000) * 60_000;
  const needs = useMemo(() => {
    const facts = {
      doors: doors.data ?? [],
      runs,
      missions: missions.data ?? [],
      nodes: nodes.data ?? [],
      connections: connections.data ?? [],
      hosts: hosts.data ?? [],
      levelUps: levelUps.data ?? [],
      actions: new Map((actions.data?.items ?? []).map((one) => [one.action, one.title])),
      agents: new Map((claws.data ?? []).map(({ id, name }) => [id, name])),
      teams: new Map((teams.data ?? []).map(({ id, name }) => [id, name])),
    };
    return needsPerson(facts, minute).filter(({ id }) => !aside.has(id));
  }, [
    doors.data,
    runs,
    missions.data,
    nodes.data,
    connections.data,
    hosts.data,
    actions.data,
    claws.data,
    levelUps.data,
    teams.data,
    aside,
    minute,
  ]);
  const parts = [
    { what: "Approvals", query: doors },
    { what: "Runs that failed", query: bad },
    { what: "Missions", query: missions },
    { what: "Machines", query: nodes },
    { what: "Connections", query: connections },
    { what: "Code hosts", query: hosts },
    { what: "Level-ups", query: levelUps },
  ];
  const pending = unanswered || parts.some(({ query }) => query.isLoading);
  const failed = parts.some(({ query }) => query.isError);
  return { needs, parts, pending, failed };
}

function NeedLink({ need }: { need: Need }) {
  const text = <bdi>{need.says}</bdi>;
  if ("proposal" in need.to) {
    const { id, proposal } = need.to;
    return need.to.to === "/teams/$id" ? (
      <Link to="/teams/$id" params={{ id }} search={{ tab: "level-ups", proposal }} className={rowLink}>
        {text}
      </Link>
    ) : (
      <Link to="/claws/$id" params={{ id }} search={{ app: "level-ups", proposal }} className={rowLink}>
        {text}
      </Link>
    );
  }
  if ("id" in need.to)
    return (
      <Link to={need.to.to} params={{ id: need.to.id }} className={rowLink}>
        {text}
      </Link>
    );
  return (
    <Link to={need.to.to} className={rowLink}>
      {text}
    </Link>
  );
}

function Left({ until }: { until: string }) {
  const left = useRemaining(until);
  return <span className="whitespace-nowrap">{left > 0 ? `${span(left)} left` : "expired"}</span>;
}

function Row({ need }: { need: Need }) {
  return (
    <li data-row className={row}>
      <div className="flex items-start gap-3">
        <Status
          tone={need.tone}
          word={need.word}
          className="w-[108px] shrink-0 max-sm:w-auto max-sm:[&>span]:sr-only"
        />
        <div className="min-w-0 flex-1">
          <p className="line-clamp-2">
            <NeedLink need={need} />
          </p>
          {need.why && (
            <p className="truncate text-fg-2" title={withoutTicks(need.why)}>
              <bdi>{inlineCode(need.why)}</bdi>
            </p>
          )}
          <p className="text-small text-fg-3 sm:hidden">
            {need.at && <Ago at={need.at} />}
            {need.until && (
              <>
                , <Left until={need.until} />
              </>
            )}
          </p>
        </div>
        <p className="flex flex-col items-end text-small text-fg-3 max-sm:hidden">
          {need.at && <Ago at={need.at} />}
          {need.until && <Left until={need.until} />}
        </p>
        {need.dismiss ? (
          <IconButton
            label={`Dismiss ${need.says}`}
            className="relative -my-1 -mr-1.5"
            onClick={() => dismiss(need.id)}
          >
            <X size={14} aria-hidden />
          </IconButton>
        ) : (
          <ChevronRight size={14} aria-hidden className="my-[3px] mr-[2px] shrink-0 text-fg-3" />
        )}
      </div>
    </li>
  );
}

/** What waits for a person. Rows that a person must see first are at the top. */
export function Needs({ state }: { state: ReturnType<typeof useNeeds> }) {
  const { needs, parts, pending, failed } = state;
  const [all, setAll] = useState(false);
  const shown = all ? needs : needs.slice(0, FIRST);
  return (
    <Section title="Needs you" count={pending ? undefined : needs.length}>
      {pending && <Loading what="what needs you" rows={3} />}
      {parts.map(({ what, query }) => (
        <Unloaded key={what} what={what} query={query} />
      ))}
      {!pending && needs.length > 0 && (
        <ul>
          {shown.map((need) => (
            <Row key={need.id} need={need} />
          ))}
        </ul>
      )}
      {!pending && needs.length > FIRST && (
        <p className="border-t border-line px-4 py-2">
          <Button look="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? "Show fewer" : `Show all ${needs.length}`}
          </Button>
        </p>
      )}
      {!pending && !failed && needs.length === 0 && (
        <Nothing>
          <Status tone="done" word="Nothing needs you." />
        </Nothing>
      )}
    </Section>
  );
}
