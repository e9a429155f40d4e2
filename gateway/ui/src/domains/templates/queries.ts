import { queryOptions } from "@tanstack/react-query";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import type { components } from "~/api/schema";

type Schemas = components["schemas"];
export type TemplateAgent = Schemas["TemplateAgent"];
export type VersionBrief = Schemas["TemplateVersionBrief"];
export type UpgradeReport = Schemas["UpgradeReport"];

const of = (id: string) => [...keys.templates, "one", id] as const;

export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: [...of(id), "versions"],
    queryFn: ({ signal }) => all("/api/team-templates/{id}/versions", { path: { id }, signal }),
  });

export const versionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: [...of(id), "versions", version],
    queryFn: ({ signal }) =>
      api.get("/api/team-templates/{id}/versions/{version}", { path: { id, version }, signal }),
  });

export const agentsQuery = (id: string) =>
  queryOptions({
    queryKey: [...of(id), "agents"],
    queryFn: ({ signal }) => all("/api/team-templates/{id}/agents", { path: { id }, signal }),
  });

export const copy = (from: string, key: string, name: string) =>
  api.post("/api/team-templates", { body: { from, key, ...(name && { name }) } });
/** Only over the version that was read. */
export const write = (id: string, content: Schemas["TemplateContent"], version: number) =>
  api.put("/api/team-templates/{id}", { path: { id }, body: content, ifMatch: version });
export const upgrade = (id: string) =>
  api.post("/api/team-templates/{id}/upgrade", { path: { id }, body: {} });
export const remove = (id: string) => api.delete("/api/team-templates/{id}", { path: { id } });
