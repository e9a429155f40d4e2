// Teams and the templates that they are made from.
import { queryOptions } from "@tanstack/react-query";
import { all, api } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Team = Schemas["Team"];
export type TopologyKind = Schemas["TopologyKind"];
export type RiskProfile = Schemas["RiskProfile"];
export type TemplateBrief = Schemas["TeamTemplateBrief"];
export type TeamTemplate = Schemas["TeamTemplate"];
export type TemplateRole = Schemas["TemplateRole"];
export type NewTeam = Schemas["NewTeam"];
export type TeamChange = Schemas["TeamChange"];
export type TeamRepo = components["schemas"]["TeamRepo"];
export type RoleOfTeam = Schemas["NewTeamRole"];

export const teamsQuery = queryOptions({
  queryKey: [...keys.teams, "list"],
  queryFn: ({ signal }) => all("/api/teams", { signal }),
});

export const teamQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.teams, "one", id],
    queryFn: ({ signal }) => api.get("/api/teams/{id}", { path: { id }, signal }),
  });

export const templatesQuery = queryOptions({
  queryKey: [...keys.templates, "list"],
  queryFn: ({ signal }) => all("/api/team-templates", { signal }),
});

export const templateQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.templates, "one", id],
    queryFn: ({ signal }) => api.get("/api/team-templates/{id}", { path: { id }, signal }),
  });
