// Skills, templates and routines by name. Their lists are the ones of their pages, so what a page has asked for is there at
// once.
import type { QueryClient } from "@tanstack/react-query";
import { Clock, LayoutTemplate, BookOpen } from "lucide-react";
import { routinesQuery, type Routine } from "~/api/routines";
import { skillsQuery, type SkillBrief } from "~/api/skills";
import { templatesQuery, type TemplateBrief } from "~/api/teams";
import type { Me } from "~/api/types";
import { routineState } from "~/domains/routines/words";
import { categoryName } from "~/ui/template-words";
import { visible } from "~/ui/visible";
import type { Choice } from "../pick/pick-list";
import { FRESH_MS, name } from "./work";

type Go = (path: string) => void;

export const skillEntries = (skills: readonly SkillBrief[], go: Go): Choice[] =>
  skills.map(({ id, title, name: short, tags }) => ({
    id: `skill:${id}`,
    group: "Skills",
    label: name(title),
    hint: visible(short),
    words: visible(tags.join(" ")),
    icon: BookOpen,
    run: () => go(`/skills/${encodeURIComponent(id)}`),
  }));

export const templateEntries = (templates: readonly TemplateBrief[], go: Go): Choice[] =>
  templates.map((one) => ({
    id: `template:${one.id}`,
    group: "Templates",
    label: name(one.name),
    hint: categoryName(one.category),
    icon: LayoutTemplate,
    run: () => go(`/templates/${encodeURIComponent(one.id)}`),
  }));

export const routineEntries = (routines: readonly Routine[], go: Go): Choice[] =>
  routines.map((routine) => ({
    id: `routine:${routine.id}`,
    group: "Routines",
    label: name(routine.name),
    hint: routineState(routine).word,
    icon: Clock,
    run: () => go(`/routines/${encodeURIComponent(routine.id)}`),
  }));

/** What the person may read of each; a list that cannot be had leaves its things out. */
export async function madeEntries(client: QueryClient, me: Me, go: Go): Promise<Choice[]> {
  const may = (right: string) => me.permissions.some((one) => one === right);
  const fresh = { staleTime: FRESH_MS };
  const [templates, skills, routines] = await Promise.all([
    may("templates.read") ? client.fetchQuery({ ...templatesQuery, ...fresh }).catch(() => []) : [],
    may("skills.read") ? client.fetchQuery({ ...skillsQuery, ...fresh }).catch(() => []) : [],
    may("routines.read") ? client.fetchQuery({ ...routinesQuery, ...fresh }).catch(() => []) : [],
  ]);
  return [...templateEntries(templates, go), ...skillEntries(skills, go), ...routineEntries(routines, go)];
}
