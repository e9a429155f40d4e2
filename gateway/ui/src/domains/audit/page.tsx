import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ScrollText } from "lucide-react";
import { useMemo } from "react";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { cleared } from "~/ui/list/saved";
import { Views } from "~/ui/list/views";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { ChainState } from "./chain-state";
import { EntryList } from "./entry-list";
import { ExportButtons } from "./export";
import { Filters } from "./filters";
import { logQuery, narrows, whole, type Wanted } from "./queries";
import { words } from "~/ui/audit-words";

const route = getRouteApi("/shell/audit");

export function AuditPage() {
  const wanted = route.useSearch() as Wanted;
  const navigate = route.useNavigate();
  const log = useInfiniteQuery(logQuery(wanted));
  const entries = useMemo(() => log.data?.pages.flatMap((page) => page.items) ?? [], [log.data]);
  const filter = (next: Wanted) => {
    const given = Object.entries(next).filter(([, value]) => value);
    void navigate({ search: Object.fromEntries(given), replace: true });
  };
  const some = narrows(wanted);
  const refused = log.isError && asProblem(log.error).status === 403;
  return (
    <PageFrame
      wide
      crumbs={[{ label: "Audit" }]}
      actions={!refused && entries.length > 0 && <ExportButtons wanted={wanted} />}
    >
      <header>
        <h1 className="text-head-1">Audit</h1>
        <p className="text-fg-2">{words.lead}</p>
      </header>
      {refused && (
        <Empty title="The audit log is for Admins">
          <MissingRight what="read the audit log" least="admin" />
        </Empty>
      )}
      {!refused && (
        <>
          {/* Above the entries, which grow: nothing below it would stay where it is. */}
          <ChainState shown={entries} />
          <Views list="audit" filters={cleared({ ...wanted })} />
          <Filters wanted={wanted} shown={entries} onChange={filter} />
          {log.isPending && (
            <Loading what="the audit log" rows={6} className="rounded-panel border border-line bg-surface" />
          )}
          {log.isError && !log.data && (
            <Failed error={log.error} retry={() => void log.refetch()} className="" />
          )}
          <Stale query={log} />
          {log.data && entries.length === 0 && (
            <Empty
              icon={<ScrollText size={32} strokeWidth={1.5} aria-hidden />}
              title={some ? "No entries match the filter" : "No entries yet"}
              action={some && <Button onClick={() => filter(whole(wanted))}>Clear filter</Button>}
            >
              {some ? "No entries match these filters. Change or clear them." : words.lead}
            </Empty>
          )}
          {entries.length > 0 && (
            <EntryList
              key={JSON.stringify(wanted)}
              entries={entries}
              oldest={wanted.sort === "at"}
              more={log.hasNextPage ? () => void log.fetchNextPage() : undefined}
              busy={log.isFetchingNextPage}
              only={(thing) => filter({ ...whole(wanted), thing })}
            />
          )}
        </>
      )}
    </PageFrame>
  );
}
