// Repositories: what several pages show of them.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";

export type Repo = components["schemas"]["Repo"];
export type RunRepository = components["schemas"]["RunRepository"];
export type RunBranch = components["schemas"]["RunBranch"];
export type RunDiff = components["schemas"]["RunDiff"];
export type RunStepCommits = components["schemas"]["RunStepCommits"];
export type RunSupplies = components["schemas"]["RunSupplies"];
export type RunRepo = components["schemas"]["RunRepo"];

/** Repositories that a run can work on. */
export const repoChoicesQuery = queryOptions({
  queryKey: keys.repoList(""),
  queryFn: ({ signal }) => api.get("/api/repos", { query: {}, signal }),
});

/** How many the gateway lists at most; where there may be more, it searches. */
export const MOST_REPOS = 500;

/** Those whose name or description has the text. Until they are here, those of the text before stay. */
export const reposFoundQuery = (q: string) =>
  queryOptions({
    queryKey: keys.repoList(q),
    queryFn: ({ signal }) => api.get("/api/repos", { query: { q: q || undefined }, signal }),
    placeholderData: keepPreviousData,
  });

export const repoQuery = (id: string) =>
  queryOptions({
    queryKey: keys.repo(id),
    queryFn: ({ signal }) => api.get("/api/repos/{id}", { path: { id }, signal }),
  });

/** The branches of a repository whose name has the text, as its host has them. Each answer is a request to the host. */
export const branchesQuery = (id: string, q: string) =>
  queryOptions({
    queryKey: keys.branches(id, q),
    queryFn: ({ signal }) =>
      api.get("/api/repos/{id}/branches", { path: { id }, query: { q: q || undefined }, signal }),
    staleTime: 60_000,
    retry: false,
  });

/** A commit never changes, so its diff stays. */
export const runDiffQuery = (run: string, branch: string, commit: string) =>
  queryOptions({
    queryKey: [...keys.runRepo(run), "diff", branch, commit],
    queryFn: ({ signal }) =>
      api.get("/api/runs/{id}/repo/diff", { path: { id: run }, query: { branch, commit }, signal }),
    staleTime: Infinity,
  });
