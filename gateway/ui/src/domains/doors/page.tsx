import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ShieldCheck } from "lucide-react";
import { useMemo } from "react";
import type { Door } from "~/api/doors";
import { useMay } from "~/api/may";
import { Button } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { cleared } from "~/ui/list/saved";
import { Views } from "~/ui/list/views";
import { MissingRight } from "~/ui/missing-right";
import { Help } from "~/ui/help";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { useCards } from "./cards";
import { History } from "./history";
import { doorsQuery, waitingDoorsQuery } from "./queries";
import { byAge, WaitingList } from "./waiting-list";
import { matches } from "./words";

// One chunk for both pages: they share the card of a request.
export { ApprovalPage } from "./door-page";

const route = getRouteApi("/shell/approvals");

function useDoors(filter: string) {
  const waiting = useQuery(waitingDoorsQuery);
  const all = useInfiniteQuery(doorsQuery);
  const { own, cardOf, ready } = useCards();
  const list = useMemo(() => all.data?.pages.flatMap((page) => page.items) ?? [], [all.data]);
  const fits = (door: Door) => {
    const { action, agent } = cardOf(door);
    return matches(door, agent.name, action?.title ?? "", filter);
  };
  return {
    waiting,
    all,
    own,
    cardOf,
    open: (waiting.data ?? []).filter(fits).toSorted(byAge),
    over: list.filter((door) => door.state !== "pending" && fits(door)),
    now: new Map(list.map((door) => [door.id, door])),
    ready,
  };
}

/** What agents ask to do in the outside world. A person decides; only then Roost does it. */
export function ApprovalsPage() {
  const { q = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay();
  const { waiting, all, own, cardOf, open, over, now, ready } = useDoors(q);
  const filter = (text: string) => void navigate({ search: text ? { q: text } : {}, replace: true });
  const none =
    waiting.data?.length === 0 ? (
      <Empty icon={<ShieldCheck size={32} strokeWidth={1.5} aria-hidden />} title="No pending approvals">
        When an agent asks to do something outside, such as opening an issue, its request appears here.
        Nothing is sent before a person approves it. A request expires after one day.
      </Empty>
    ) : (
      <Empty
        title="No pending request fits the filter"
        action={<Button onClick={() => filter("")}>Clear filter</Button>}
      />
    );
  return (
    <PageFrame wide crumbs={[{ label: "Approvals" }]}>
      <div className="flex items-center gap-1">
        <h1 className="text-head-1">Approvals</h1>
        <Help word="door" />
      </div>
      <Views list="approvals" filters={cleared({ q })} />
      <FilterField label="Filter by agent, action, target or state" value={q} onChange={filter} />
      <Stale query={waiting} />
      <div className="grid min-w-0 items-start gap-4 2xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          {(waiting.isPending || (waiting.data && !ready)) && (
            <Loading what="requests" rows={3} className="rounded-panel border border-line bg-surface" />
          )}
          {waiting.isError && !waiting.data && (
            <Failed error={waiting.error} retry={() => void waiting.refetch()} className="" />
          )}
          {waiting.data && ready && (
            <WaitingList
              doors={open}
              now={now}
              filter={q}
              cardOf={cardOf}
              own={own}
              mayResolve={may("doors.resolve")}
              none={none}
            />
          )}
          {!may("doors.resolve") && (
            <MissingRight what="approve or deny what agents ask for" least="member" />
          )}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {all.isError && !all.data && (
            <Failed error={all.error} retry={() => void all.refetch()} className="" />
          )}
          {all.data && ready && (
            <History
              doors={over}
              filter={q}
              cardOf={cardOf}
              own={own}
              more={{
                pages: all.data.pages.length,
                has: all.hasNextPage,
                busy: all.isFetchingNextPage,
                load: () => void all.fetchNextPage(),
              }}
            />
          )}
        </div>
      </div>
    </PageFrame>
  );
}
