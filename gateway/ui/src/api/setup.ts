import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./keys";

/** What is known before anybody is signed in: whether the Owner has a password, and who else vouches for people. */
export const setupQuery = queryOptions({
  queryKey: keys.setup,
  queryFn: ({ signal }) => api.get("/api/setup", { signal }),
});
