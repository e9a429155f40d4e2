import { api } from "~/api/client";
import type { components } from "~/api/schema";

type Schemas = components["schemas"];
export type ModelSettings = Schemas["ModelSettings"];

export { ceilingsQuery as settingsQuery } from "~/api/models";

export const add = (body: Schemas["NewModel"]) => api.post("/api/models", { body });
export const change = (id: string, body: Schemas["ModelChange"], version: number) =>
  api.patch("/api/models/{id}", { path: { id }, body, ifMatch: version });
export const remove = (id: string) => api.delete("/api/models/{id}", { path: { id } });
export const tryOut = (id: string) => api.post("/api/models/{id}/try", { path: { id } });
export const setCeilings = (body: ModelSettings) => api.put("/api/models/settings", { body });
