import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./keys";

/** What the workspace has taken of its plan. */
export const quotaQuery = queryOptions({
  queryKey: keys.quota,
  queryFn: ({ signal }) => api.get("/api/quota", { signal }),
});
