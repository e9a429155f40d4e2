import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./keys";
import type { Me } from "./types";

/** Who is signed in, in which workspace, with which rights. */
export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: ({ signal }) => api.get<Me>("/api/auth/me", { signal }),
});
