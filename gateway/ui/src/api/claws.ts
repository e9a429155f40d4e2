import { queryOptions } from "@tanstack/react-query";
import { all } from "./client";
import { keys } from "./keys";
import type { Claw } from "./types";

/** All agents of the workspace: several pages have to say whose a thing is. */
export const clawsQuery = queryOptions({
  queryKey: keys.claws,
  queryFn: ({ signal }) => all<Claw>("/api/claws", {}, signal),
});
