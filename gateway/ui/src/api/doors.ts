// Requests of agents for an action in the outside world. Every page says how many wait, so their shape stands here.
import { queryOptions } from "@tanstack/react-query";
import { all } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";

export type Door = components["schemas"]["Door"];
export type DoorState = Door["state"];

/** What agents can ask for. */
export type DoorAction = components["schemas"]["CatalogueAction"];

/** Those that nobody has decided yet. */
export const waitingDoorsQuery = queryOptions({
  queryKey: keys.doorsWaiting,
  queryFn: ({ signal }) => all("/api/doors", { query: { state: "pending" }, signal }),
});
