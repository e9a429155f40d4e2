import type { TemplateBrief } from "~/api/teams";

export type Purpose = "research" | "coding";

/** The category of templates that are made for a purpose. */
const CATEGORY: Record<Purpose, string> = { research: "research", coding: "development" };

type Listed = Pick<TemplateBrief, "id" | "name" | "description" | "category">;

/** The templates that fit the words: the chosen ones first, then those that are made for the purpose, by name. */
export function suited<T extends Listed>(
  templates: readonly T[],
  purpose: Purpose,
  words: string,
  chosen: readonly string[],
): T[] {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ id, category }: T) => (chosen.includes(id) ? 0 : category === CATEGORY[purpose] ? 1 : 2);
  return templates
    .filter(({ name, description, category }) =>
      parts.every((part) => `${name} ${description} ${category}`.toLowerCase().includes(part)),
    )
    .toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}
