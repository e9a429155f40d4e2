// What the first page requests. Runs of all origins count: a person may have given work to one agent alone.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import type { RunSummary } from "~/api/runs";
import { RECENT_DAYS } from "./attention";
import { DAYS } from "./usage";

const PAGE = 200;
const PAGES = 5;
const DAY_MS = 86_400_000;

export interface Read {
  runs: RunSummary[];
  /** There are more runs than were read. */
  cut: boolean;
}

interface Asked {
  status?: RunSummary["status"];
  outcome?: NonNullable<RunSummary["outcome"]>;
  from?: string;
}

/**
 * Runs that no other run started, newest first. A run that another run started is part of it: its cost is rolled up
 * there. The gateway cannot leave out the parts alone, and one run may start hundreds. So more pages are read until
 * `enough` says that the next one is not needed.
 */
async function whole(
  asked: Asked,
  signal: AbortSignal,
  enough: (runs: readonly RunSummary[], last: RunSummary) => boolean = () => false,
  first = PAGE,
): Promise<Read> {
  const runs: RunSummary[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const answer = await api.get("/api/topology-runs", {
      query: { ...asked, limit: page === 0 ? first : PAGE, all: true, cursor },
      signal,
    });
    runs.push(...answer.items.filter((run) => !run.parent_run_id));
    cursor = answer.next_cursor ?? undefined;
    const last = answer.items.at(-1);
    if (!cursor || !last || enough(runs, last)) return { runs, cut: false };
  }
  return { runs, cut: true };
}

/** Whether the pages have reached the runs that began before the last days. */
const beyond = (days: number) => {
  const since = Date.now() - days * DAY_MS;
  return (_: readonly RunSummary[], last: RunSummary) => Date.parse(last.created_at) < since;
};

/** These come with each visit and each change of a run, so their first pages are shorter. */
const FIRST_PAGE = { recent: 100, bad: 50 };
const FEW = 20;

/** The newest ones, for what was done, and for whether anything was done at all. */
export const recentQuery = queryOptions({
  queryKey: [...keys.runs, "home", "recent"],
  queryFn: async ({ signal }) =>
    (await whole({}, signal, (runs) => runs.length >= FEW, FIRST_PAGE.recent)).runs,
});

/** A run that began long ago is not among the newest, so these have requests of their own. */
export const activeQuery = queryOptions({
  queryKey: [...keys.runs, "home", "active"],
  queryFn: async ({ signal }) => {
    const lists = await Promise.all([
      whole({ status: "running" }, signal),
      whole({ status: "queued" }, signal),
    ]);
    return lists.flatMap(({ runs }) => runs);
  },
});

/** A run may work and wait so long before it ends. The gateway lists runs by when they began. */
const LONGEST_DAYS = 7;

/** Runs that ended badly in the time in which they ask for a person. They may be older than the newest runs. */
export const badQuery = queryOptions({
  queryKey: [...keys.runs, "home", "bad"],
  queryFn: async ({ signal }) => {
    const since = Date.now() - RECENT_DAYS * DAY_MS;
    const enough = beyond(RECENT_DAYS + LONGEST_DAYS);
    const lists = await Promise.all([
      whole({ status: "failed" }, signal, enough, FIRST_PAGE.bad),
      whole({ outcome: "rejected" }, signal, enough, FIRST_PAGE.bad),
    ]);
    return lists.flatMap(({ runs }) =>
      runs.filter((run) => Date.parse(run.ended_at ?? run.created_at) >= since),
    );
  },
});

/** The newest end of a run. */
export const newestEnd = (runs: readonly RunSummary[]) =>
  runs.reduce((newest, { ended_at: at }) => (at && at > newest ? at : newest), "");

/**
 * Runs that were completed since a run that ended badly began. One of them may have done its work again. Only asked for
 * when the newest runs do not reach so far back; `ended` as for `spentQuery`.
 */
export const completedQuery = (from: string, ended: string) =>
  queryOptions({
    queryKey: ["completed", from, ended],
    queryFn: async ({ signal }) => (await whole({ status: "completed", from }, signal)).runs,
    placeholderData: keepPreviousData,
    gcTime: 30_000,
  });

/**
 * The runs of the last days, for the figures. `ended` names the newest end of a run: when another run has ended, they are
 * read again. They are not renewed at each step of a run, because they may be a thousand.
 */
export const spentQuery = (ended: string) =>
  queryOptions({
    queryKey: ["spent", ended],
    queryFn: ({ signal }) => whole({}, signal, beyond(DAYS)),
    placeholderData: keepPreviousData,
    gcTime: 30_000,
  });

export const connectionsQuery = queryOptions({
  queryKey: keys.connections,
  queryFn: ({ signal }) => all("/api/apps/connections", { signal }),
});

export const hostsQuery = queryOptions({
  queryKey: keys.repoConnections,
  queryFn: ({ signal }) => all("/api/repos/connections", { signal }),
});

export const actionsQuery = queryOptions({
  queryKey: keys.doorCatalogue,
  queryFn: ({ signal }) => api.get("/api/doors/catalogue", { signal }),
});

/** Whether a run works on files. Uploaded files have no list of their own: the run that they came with knows them. */
export const filesQuery = (run: string) =>
  queryOptions({
    queryKey: keys.runRepo(run),
    queryFn: ({ signal }) => api.get("/api/runs/{id}/repo", { path: { id: run }, signal }),
    retry: false,
  });
