// Requests of agents for an action in the outside world. Every page says how many wait, so their shape stands here.
import { queryOptions } from "@tanstack/react-query";
import { all } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";

export type Door = components["schemas"]["Door"];
export type DoorState = Door["state"];

/** What agents can ask for. */
export interface DoorAction {
  action: string;
  /** The app that the agent has to be connected to. */
  provider: string;
  title: string;
  description: string;
  params_schema: unknown;
}

/** Those that nobody has decided yet. */
export const waitingDoorsQuery = queryOptions({
  queryKey: keys.doorsWaiting,
  queryFn: ({ signal }) => all<Door>("/api/doors", { state: "pending" }, signal),
});
