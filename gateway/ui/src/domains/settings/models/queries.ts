import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { MODELS, type ModelBinding } from "~/api/models";
import type { components } from "~/api/schema";

type Schemas = components["schemas"];
export type ModelSettings = Schemas["ModelSettings"];

const at = (id: string, rest = "") => `/api/models/${encodeURIComponent(id)}${rest}`;

export const settingsQuery = queryOptions({
  queryKey: [...MODELS, "settings"],
  queryFn: ({ signal }) => api.get<ModelSettings>("/api/models/settings", { signal }),
});

export const add = (body: Schemas["NewModel"]) => api.post<ModelBinding>("/api/models", body);
export const change = (id: string, body: Schemas["ModelChange"]) => api.patch<ModelBinding>(at(id), body);
export const remove = (id: string) => api.delete<void>(at(id));
export const tryOut = (id: string) => api.post<Schemas["ModelTried"]>(at(id, "/try"));
export const setCeilings = (body: ModelSettings) => api.put<ModelSettings>("/api/models/settings", body);
