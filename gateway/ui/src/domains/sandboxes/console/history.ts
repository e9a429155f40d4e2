// The commands of a sandbox's owner, as the gateway has them: of every person and agent, those that run and those that ended.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { addressOf, type Owner } from "~/api/sandboxes";
import type { components } from "~/api/schema";

export type Command = components["schemas"]["SandboxCommand"];

export interface Wanted {
  q: string;
  failed: boolean;
}

/** In an address: any shell, or a new one. */
export const NEW = "new";

const PAGE = 30;

export const keyOf = ({ kind, id }: Owner) => [...keys.commands, kind, id] as const;

/** Newest first, a page at a time. */
export function historyQuery(owner: Owner, { q, failed }: Wanted) {
  const { at, path } = addressOf(owner);
  return infiniteQueryOptions({
    queryKey: [...keyOf(owner), "list", q, failed],
    queryFn: ({ pageParam, signal }) =>
      api.get(`${at}/sandbox/commands`, {
        path,
        query: { limit: PAGE, cursor: pageParam, q: q || undefined, failed: failed || undefined },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    refetchOnMount: "always",
  });
}

/** Those that have not ended, shells too: one may have begun long before the newest page. */
export function runningQuery(owner: Owner) {
  const { at, path } = addressOf(owner);
  return queryOptions({
    queryKey: [...keyOf(owner), "running"],
    queryFn: async ({ signal }): Promise<Command[]> =>
      (await api.get(`${at}/sandbox/commands`, { path, query: { running: true, limit: 100 }, signal })).items,
    refetchOnMount: "always",
  });
}
