// The skills that the workspace sees.
import { queryOptions } from "@tanstack/react-query";
import { all } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";

export type SkillBrief = components["schemas"]["SkillBrief"];

export const skillsQuery = queryOptions({
  queryKey: [...keys.skills, "list"],
  queryFn: ({ signal }) => all("/api/skills", { signal }),
});
