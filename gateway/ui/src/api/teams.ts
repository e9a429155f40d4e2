// Teams and the templates that they are made from.
import { queryOptions } from "@tanstack/react-query";
import { all, api } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Team = Schemas["Team"];
export type TopologyKind = Schemas["TopologyKind"];
export type RiskProfile = Schemas["RiskProfile"];
export type ToolBundle = Schemas["ToolBundle"];
export type TemplateBrief = Schemas["TeamTemplateBrief"];
export type TeamTemplate = Schemas["TeamTemplate"];
export type TemplateRole = Schemas["TemplateRole"];
export type NewTeam = Schemas["NewTeam"];
export type RoleOfTeam = Schemas["NewTeamRole"];

export const teamsQuery = queryOptions({
  queryKey: [...keys.teams, "list"],
  queryFn: ({ signal }) => all<Team>("/api/teams", {}, signal),
});

export const teamQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.teams, "one", id],
    queryFn: ({ signal }) => api.get<Team>(`/api/teams/${encodeURIComponent(id)}`, { signal }),
  });

export const templatesQuery = queryOptions({
  queryKey: [...keys.templates, "list"],
  queryFn: ({ signal }) => all<TemplateBrief>("/api/team-templates", {}, signal),
});

export const templateQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.templates, "one", id],
    queryFn: ({ signal }) =>
      api.get<TeamTemplate>(`/api/team-templates/${encodeURIComponent(id)}`, { signal }),
  });
