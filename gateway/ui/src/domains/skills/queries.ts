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

const at = (id: string, rest = "") => `/api/skills/${encodeURIComponent(id)}${rest}`;
const over = (version: number) => ({ headers: { "if-match": `"${version}"` } });

export const skillQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.skills, "one", id],
    queryFn: ({ signal }) => api.get<Skill>(at(id), { signal }),
  });

export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.skills, "one", id, "versions"],
    queryFn: ({ signal }) => all<SkillVersion>(at(id, "/versions"), {}, signal),
  });

export const versionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: [...keys.skills, "one", id, "versions", version],
    queryFn: ({ signal }) => api.get<Schemas["SkillVersion"]>(at(id, `/versions/${version}`), { signal }),
  });

export const create = (body: NewSkill) => api.post<Skill>("/api/skills", body);
export const write = (id: string, body: SkillText, version: number) =>
  api.put<Skill>(at(id), body, over(version));
export const remove = (id: string) => api.delete<void>(at(id));
export const restore = (id: string, version: number, now: number) =>
  api.post<Skill>(at(id, `/versions/${version}/restore`), undefined, over(now));
