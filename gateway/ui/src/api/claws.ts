import { queryOptions } from "@tanstack/react-query";
import { all } from "./client";
import { keys } from "./keys";

/** All agents of the workspace: several pages have to say whose a thing is. */
export const clawsQuery = queryOptions({
  queryKey: keys.claws,
  queryFn: ({ signal }) => all("/api/claws", { signal }),
});
