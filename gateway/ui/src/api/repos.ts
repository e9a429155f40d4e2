// Repositories: what several pages show of them.
import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";

export type RunRepository = components["schemas"]["RunRepository"];
export type RunBranch = components["schemas"]["RunBranch"];
export type RunDiff = components["schemas"]["RunDiff"];
export type RunStepCommits = components["schemas"]["RunStepCommits"];
export type RunRepo = components["schemas"]["RunRepo"];

/** Repositories that a run can work on. */
export const repoChoicesQuery = queryOptions({
  queryKey: keys.repoList(""),
  queryFn: ({ signal }) => api.get("/api/repos", { query: {}, signal }),
});
