import { queryOptions } from "@tanstack/react-query";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import type { components } from "~/api/schema";
import type { TeamTemplate } from "~/api/teams";

type Schemas = components["schemas"];
export type TemplateAgent = Schemas["TemplateAgent"];
export type VersionBrief = Schemas["TemplateVersionBrief"];
export type UpgradeReport = Schemas["UpgradeReport"];

const at = (id: string, rest = "") => `/api/team-templates/${encodeURIComponent(id)}${rest}`;
const of = (id: string) => [...keys.templates, "one", id] as const;

export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: [...of(id), "versions"],
    queryFn: ({ signal }) => all<VersionBrief>(at(id, "/versions"), {}, signal),
  });

export const versionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: [...of(id), "versions", version],
    queryFn: ({ signal }) => api.get<Schemas["TemplateVersion"]>(at(id, `/versions/${version}`), { signal }),
  });

export const agentsQuery = (id: string) =>
  queryOptions({
    queryKey: [...of(id), "agents"],
    queryFn: ({ signal }) => all<TemplateAgent>(at(id, "/agents"), {}, signal),
  });

export const copy = (from: string, key: string, name: string) =>
  api.post<TeamTemplate>("/api/team-templates", { from, key, ...(name && { name }) });
/** Only over the version that was read. */
export const write = (id: string, content: Schemas["TemplateContent"], version: number) =>
  api.put<TeamTemplate>(at(id), content, { headers: { "if-match": `"${version}"` } });
export const upgrade = (id: string) => api.post<UpgradeReport>(at(id, "/upgrade"), {});
export const remove = (id: string) => api.delete<void>(at(id));
