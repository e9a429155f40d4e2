// What the first page requests. Runs of all origins count: a person may have given work to one agent alone.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import { MODELS } from "~/api/models";
import type { RunSummary } from "~/api/runs";
import { DAYS } from "./usage";

/** A run that another run started is part of it: its cost is rolled up there. */
const whole = (run: RunSummary) => !run.parent_run_id;

/** The newest ones, for what needs a person and what was done. */
export const recentQuery = queryOptions({
  queryKey: [...keys.runs, "home", "recent"],
  queryFn: async ({ signal }) => {
    const page = await api.get("/api/topology-runs", { query: { limit: 100, all: true }, signal });
    return page.items.filter(whole);
  },
});

/** A run that began long ago is not among the newest, so these have requests of their own. */
export const activeQuery = queryOptions({
  queryKey: [...keys.runs, "home", "active"],
  queryFn: async ({ signal }) => {
    const ask = (status: "running" | "queued") =>
      api.get("/api/topology-runs", { query: { limit: 100, all: true, status }, signal });
    const [running, queued] = await Promise.all([ask("running"), ask("queued")]);
    return [...running.items, ...queued.items].filter(whole);
  },
});

const PAGE = 200;
const PAGES = 5;
const DAY_MS = 86_400_000;

export interface Spent {
  runs: RunSummary[];
  /** More runs began in the time than were read. */
  cut: boolean;
}

/**
 * The runs of the last days, for the figures. `ended` names the newest end of a run: when another run has ended, they are
 * read again. They are not renewed at each step of a run, because they may be a thousand.
 */
export const spentQuery = (ended: string) =>
  queryOptions({
    queryKey: ["spent", ended],
    queryFn: async ({ signal }): Promise<Spent> => {
      const since = Date.now() - DAYS * DAY_MS;
      const runs: RunSummary[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < PAGES; page += 1) {
        const answer = await api.get("/api/topology-runs", {
          query: { limit: PAGE, all: true, cursor },
          signal,
        });
        runs.push(...answer.items.filter(whole));
        cursor = answer.next_cursor ?? undefined;
        const last = answer.items.at(-1);
        if (!cursor || !last || Date.parse(last.created_at) < since) return { runs, cut: false };
      }
      return { runs, cut: true };
    },
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

export const ceilingsQuery = queryOptions({
  queryKey: [...MODELS, "settings"],
  queryFn: ({ signal }) => api.get("/api/models/settings", { signal }),
});

/** Whether a run works on files. Uploaded files have no list of their own: the run that they came with knows them. */
export const filesQuery = (run: string) =>
  queryOptions({
    queryKey: keys.runRepo(run),
    queryFn: ({ signal }) => api.get("/api/runs/{id}/repo", { path: { id: run }, signal }),
    retry: false,
  });
