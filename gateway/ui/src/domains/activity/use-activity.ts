// What happened, read a page at a time from every list of a scope, and read again when something happens.
import { useInfiniteQuery, useQueryClient, type QueryKey } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { useMay } from "~/api/may";
import { asProblem, type Problem } from "~/api/problem";
import { watchEvents } from "~/live/provider";
import { renew } from "~/live/renew";
import { entriesOf, groupsOf, type Look, type Slice } from "./model";
import { sourcesOf, type Scope, type Source } from "./sources";

type Part = Slice & { id: string; what: string; problem?: Problem | undefined };
/** Where each list goes on; of those that are not named everything was read. Nothing at the beginning. */
type From = Record<string, string> | undefined;

async function read(sources: Source[], from: From, failed: boolean, signal: AbortSignal): Promise<Part[]> {
  const asked = sources.filter(({ id }) => !from || id in from);
  const answers = await Promise.allSettled(asked.map(({ id, ask }) => ask(from?.[id], failed, signal)));
  const [first] = answers;
  if (first?.status === "rejected" && answers.every(({ status }) => status === "rejected"))
    throw first.reason;
  return asked.map(({ id, what }, at): Part => {
    const answer = answers[at];
    if (answer?.status === "fulfilled") return { id, what, ...answer.value };
    return { id, what, entries: [], problem: asProblem(answer?.reason) };
  });
}

/** Events come in bursts; each would ask every list again. */
const APART_MS = 800;

const KINDS = new Set(["run", "door", "claw", "sandbox", "team"]);
const TYPES = new Set([
  "agent.status",
  "node.activity",
  "door.request",
  "door.resolve",
  "placement.fallback",
]);

/** Whether something may have happened here. A machine reports every ten seconds, which tells nothing to others. */
function concerns(scope: Scope, type: string, data: Record<string, unknown>): boolean {
  if (scope.kind === "node") return data["nodeId"] === scope.id || data["id"] === scope.id;
  if (type === "resource.changed")
    return scope.kind === "workspace" ? data["kind"] !== "node" : KINDS.has(String(data["kind"]));
  return TYPES.has(type);
}

function useRenewed(scope: Scope, key: QueryKey) {
  const client = useQueryClient();
  const [name, chosen] = [JSON.stringify(scope), JSON.stringify(key)];
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unwatch = watchEvents(({ type, data }) => {
      if (timer !== undefined || !concerns(JSON.parse(name) as Scope, type, data)) return;
      timer = setTimeout(() => {
        timer = undefined;
        void renew(client, { queryKey: JSON.parse(chosen) as QueryKey });
      }, APART_MS);
    });
    return () => {
      unwatch();
      clearTimeout(timer);
    };
  }, [client, name, chosen]);
}

const sameThing = (was: Scope | undefined, now: Scope) =>
  was?.kind === now.kind && JSON.stringify("id" in was && was.id) === JSON.stringify("id" in now && now.id);

/** Most parts that are asked for without a press. */
const MOST_PAGES = 4;

/** The groups of a scope, at least `least` of them where there are so many. */
export function useActivity(scope: Scope, look: Look, least: number) {
  const may = useMay();
  const rights = { audit: may("audit.read"), doors: may("doors.read") };
  const only = look === "only";
  const key = ["activity", scope, rights, only];
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(sourcesOf(scope, rights), pageParam, only, signal),
    initialPageParam: undefined as From,
    getNextPageParam: (last): From => {
      const next = last.flatMap(({ id, next }) => (next ? [[id, next] as const] : []));
      return next.length > 0 ? Object.fromEntries(next) : undefined;
    },
    refetchOnMount: "always",
    // One more sandbox, or the changes of people: what is there stays while the list is read again.
    placeholderData: (before, was) => (sameThing(was?.queryKey[1] as Scope, scope) ? before : undefined),
  });
  useRenewed(scope, key);
  const pages = query.data?.pages;
  const groups = useMemo(() => groupsOf(entriesOf(pages ?? []), look), [pages, look]);
  const problems = (pages ?? []).flat().filter((part) => part.problem);
  const count = pages?.length ?? 0;
  const short = groups.length < least && count > 0 && count < MOST_PAGES && query.hasNextPage;
  const { fetchNextPage, isFetching, isError } = query;
  useEffect(() => {
    if (short && !isFetching && !isError) void fetchNextPage();
  }, [short, isFetching, isError, fetchNextPage]);
  return { query, groups, problems, filling: short && !isError };
}
