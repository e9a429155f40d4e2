import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./keys";
import type { AppOptions } from "./types";

/** What can be connected here. A change of the configuration tells nobody, so it is asked each time it matters. */
export const appOptionsQuery = queryOptions({
  queryKey: keys.appOptions,
  queryFn: ({ signal }) => api.get<AppOptions>("/api/apps/options", { signal }),
  staleTime: 0,
});
