import {
  infiniteQueryOptions,
  queryOptions,
  type InfiniteData,
  type QueryClient,
} from "@tanstack/react-query";
import { api } from "~/api/client";
import type { Door } from "~/api/doors";
import { keys } from "~/api/keys";
import type { components } from "~/api/schema";

export { waitingDoorsQuery } from "~/api/doors";

/** All of them, newest first, page by page. */
export const doorsQuery = infiniteQueryOptions({
  queryKey: keys.doorsAll,
  queryFn: ({ pageParam, signal }) =>
    api.get("/api/doors", { query: { state: "all", limit: 50, cursor: pageParam }, signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (last) => last.next_cursor ?? undefined,
});

const doorKey = (id: string) => [...keys.doors, "one", id];

/** One of them, whatever its state. */
export const doorQuery = (id: string) =>
  queryOptions({
    queryKey: doorKey(id),
    queryFn: ({ signal }) => api.get("/api/doors/{id}", { path: { id }, signal }),
  });

export const catalogueQuery = queryOptions({
  queryKey: keys.doorCatalogue,
  queryFn: ({ signal }) => api.get("/api/doors/catalogue", { signal }),
});

export type Decision = "approve" | "deny";

/** Answers the request as it is now: somebody else may have been faster. */
/** Decides. A denial may have a reason, which the agent reads. */
export const resolve = (id: string, decision: Decision, reason?: string) =>
  api.post("/api/doors/{id}/resolve", { path: { id }, body: { decision, ...(reason && { reason }) } });

/** Puts what the gateway has just said of one into its page and into the lists. */
export function take(client: QueryClient, door: Door) {
  client.setQueryData<Door>(doorKey(door.id), (one) => one && door);
  client.setQueryData<Door[]>(keys.doorsWaiting, (list) =>
    list?.filter(({ id }) => id !== door.id || door.state === "pending"),
  );
  client.setQueryData<InfiniteData<components["schemas"]["Page_Door"]>>(keys.doorsAll, (data) => {
    if (!data) return data;
    const known = data.pages.some(({ items }) => items.some(({ id }) => id === door.id));
    const pages = data.pages.map((page, at) => ({
      ...page,
      items: known
        ? page.items.map((one) => (one.id === door.id ? door : one))
        : at === 0
          ? [door, ...page.items]
          : page.items,
    }));
    return { ...data, pages };
  });
}
