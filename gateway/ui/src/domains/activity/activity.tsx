import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useMay } from "~/api/may";
import { meQuery } from "~/api/me";
import type { Owner } from "~/api/sandboxes";
import { Button } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { isNarrow } from "~/ui/fold";
import { useOwners } from "~/ui/owner-link";
import { Failed } from "~/ui/problem";
import { Segments } from "~/ui/segments";
import { Loading } from "~/ui/skeleton";
import { GroupRow } from "./group-row";
import { LOOKS, type Look } from "./model";
import { useReading } from "./reading";
import type { Scope } from "./sources";
import { useActivity } from "./use-activity";

interface Props {
  scope: Scope;
  /** What a command wrote: another part of the page draws it. */
  output: (owner: Owner, op: string) => ReactNode;
  look: Look;
  onLook: (look: Look) => void;
  title?: string | undefined;
  aside?: ReactNode;
  /** Further choices of what is shown. */
  choices?: ReactNode;
  /** How many things are shown at first, and more with each press. */
  step?: number;
  none: string;
}

/** Which lists the reader chose to have. */
const askedOf = (scope: Scope) => (scope.kind === "workspace" ? `${scope.changes} ${scope.commands}` : "");

/** A choice once its answer is there. What the reader chose to see is not held back as something new. */
function useLoaded(choice: string, coming: boolean): string {
  const [loaded, setLoaded] = useState(choice);
  if (!coming && loaded !== choice) setLoaded(choice);
  return loaded;
}

/** What happened here: who did what, and how it ended. Live; what is being read stays where it is. */
export function ActivityView({
  scope,
  output,
  look,
  onLook,
  title,
  aside,
  choices,
  step: given,
  none,
}: Props) {
  // What comes with a rerender, such as a turned phone, changes nothing of what is shown.
  const [step] = useState(given ?? (isNarrow() ? 12 : 30));
  const may = useMay();
  const me = useQuery(meQuery).data?.user.id;
  const owners = useOwners();
  const [most, setMost] = useState(step);
  const { query, groups: all, problems, filling } = useActivity(scope, look, most);
  const asked = useLoaded(askedOf(scope), query.isPlaceholderData);
  const { groups, waiting, release, head, bind } = useReading(all.slice(0, most), `${look} ${most} ${asked}`);
  const more = all.length > most || query.hasNextPage;
  const loading = query.isPending || (filling && all.length === 0);
  const older = () => {
    if (all.length < most + step && query.hasNextPage) void query.fetchNextPage();
    setMost(most + step);
  };
  return (
    <section aria-label={title ?? "Activity"} className="flex min-w-0 flex-col gap-2">
      <header className="flex min-h-7 flex-wrap items-center gap-x-4 gap-y-1">
        {title && <h2 className="text-head-3">{title}</h2>}
        <Segments label="What is shown" value={look} options={LOOKS} onChange={onLook} />
        {choices}
        {aside && <div className="ml-auto text-small text-fg-2">{aside}</div>}
      </header>
      <div ref={head} className="scroll-mt-24" />
      {/* Over the list and not in it: nothing moves when it comes. */}
      <div role="status" className="sticky top-24 z-10 -my-1 flex h-0 justify-center">
        {waiting > 0 && (
          <Button className="-translate-y-1/2 shadow-float" onClick={release}>
            {waiting} new
          </Button>
        )}
      </div>
      <div className="min-w-0 rounded-panel border border-line bg-surface">
        {/* An agent has two lists of commands: its own, and that of its team. */}
        {[...new Map(problems.map((one) => [one.what, one])).values()].map(({ id, what, problem }) => (
          <div
            key={id}
            role="alert"
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2"
          >
            <p className="min-w-0 flex-1 basis-56">
              <span className="font-[550]">{what} could not be loaded.</span>{" "}
              <span className="text-fg-2">{problem?.title}.</span>
            </p>
            <Button busy={query.isFetching} onClick={() => void query.refetch()}>
              Try again
            </Button>
          </div>
        ))}
        {loading && <Loading what="what happened" rows={Math.min(step, 6)} />}
        {query.isError && !query.data && <Failed error={query.error} retry={() => void query.refetch()} />}
        {query.data && !filling && all.length === 0 && (
          <Empty
            title={look === "only" ? "Nothing failed" : "Nothing has happened yet"}
            action={look === "only" && <Button onClick={() => onLook("all")}>Show everything</Button>}
          >
            {look === "only" ? "Everything that is listed here ended well, or runs." : none}
          </Empty>
        )}
        <ol {...bind}>
          {groups.map((group) => (
            <GroupRow key={group.id} group={group} known={{ scope, me, owners, output }} />
          ))}
        </ol>
        {more && groups.length > 0 && (
          <div className="border-t border-line px-4 py-2">
            <Button busy={query.isFetchingNextPage} onClick={older}>
              Show older ones
            </Button>
          </div>
        )}
      </div>
      {!may("audit.read") && (
        <p className="text-small text-fg-3">Only an Admin or Owner sees who changed what.</p>
      )}
    </section>
  );
}

/** The newest things, without choices: the whole list has a page or a tab of its own. */
export function Latest({ scope, output, most }: Pick<Props, "scope" | "output"> & { most: number }) {
  const me = useQuery(meQuery).data?.user.id;
  const owners = useOwners();
  const { query, groups, filling } = useActivity(scope, "all", most);
  return (
    <>
      {(query.isPending || (filling && groups.length === 0)) && (
        <Loading what="what happened last" rows={3} />
      )}
      {query.isError && !query.data && <Failed error={query.error} retry={() => void query.refetch()} />}
      {query.data && !filling && groups.length === 0 && (
        <p className="px-4 py-5 text-fg-3">Nothing has happened yet.</p>
      )}
      <ol>
        {groups.slice(0, most).map((group) => (
          <GroupRow key={group.id} group={group} known={{ scope, me, owners, output }} />
        ))}
      </ol>
    </>
  );
}
