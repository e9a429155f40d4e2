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

/** The name of the model that answers where neither the agent nor its team has one. */
export const defaultModel = (models: readonly Pick<ModelBinding, "name" | "is_default">[]): string =>
  models.find((one) => one.is_default)?.name ?? SCRIPTED;

/** What runs of the workspace may spend. */
export const ceilingsQuery = queryOptions({
  queryKey: [...MODELS, "settings"],
  queryFn: ({ signal }) => api.get("/api/models/settings", { signal }),
});

export const modelsQuery = queryOptions({
  queryKey: [...MODELS, "list"],
  queryFn: ({ signal }) => api.get("/api/models", { signal }),
});
