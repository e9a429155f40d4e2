import { queryOptions } from "@tanstack/react-query";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import type { components } from "~/api/schema";

export { skillsQuery, type SkillBrief } from "~/api/skills";

type Schemas = components["schemas"];

export type Skill = Schemas["Skill"];
export type SkillVersion = Schemas["SkillVersionBrief"];
export type NewSkill = Schemas["NewSkill"];
export type SkillText = Schemas["SkillText"];

export const skillQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.skills, "one", id],
    queryFn: ({ signal }) => api.get("/api/skills/{id}", { path: { id }, signal }),
  });

export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.skills, "one", id, "versions"],
    queryFn: ({ signal }) => all("/api/skills/{id}/versions", { path: { id }, signal }),
  });

export const versionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: [...keys.skills, "one", id, "versions", version],
    queryFn: ({ signal }) =>
      api.get("/api/skills/{id}/versions/{version}", { path: { id, version }, signal }),
  });

export const create = (body: NewSkill) => api.post("/api/skills", { body });
export const write = (id: string, body: SkillText, version: number) =>
  api.put("/api/skills/{id}", { path: { id }, body, ifMatch: version });
export const remove = (id: string) => api.delete("/api/skills/{id}", { path: { id } });
export const restore = (id: string, version: number, now: number) =>
  api.post("/api/skills/{id}/versions/{version}/restore", { path: { id, version }, ifMatch: now });
