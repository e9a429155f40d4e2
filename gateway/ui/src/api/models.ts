// Models that agents think with.
import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type ModelBinding = Schemas["ModelBinding"];
export type ModelProvider = Schemas["ModelProvider"];

/** As the live stream calls their kind. */
export const MODELS = ["model"] as const;

/** What an agent is bound to that thinks with the demonstration's script. */
export const SCRIPTED = "scripted";

export const modelsQuery = queryOptions({
  queryKey: [...MODELS, "list"],
  queryFn: ({ signal }) => api.get("/api/models", { signal }),
});
