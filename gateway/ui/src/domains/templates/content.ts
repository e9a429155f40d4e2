// A template as it is written: what is sent of it, and its whole text for a comparison.
import type { components } from "~/api/schema";
import type { SkillBrief } from "~/api/skills";
import type { TeamTemplate, TemplateRole } from "~/api/teams";
import { imageName, needName } from "~/ui/template-words";

export type TemplateContent = components["schemas"]["TemplateContent"];

/** Exactly what a version holds, without what the gateway adds to it. */
export const contentOf = (one: TeamTemplate): TemplateContent => ({
  name: one.name,
  description: one.description,
  category: one.category,
  stack: one.stack,
  default_topology: one.default_topology,
  risk_profile: one.risk_profile,
  mcp_bundles: one.mcp_bundles,
  image: one.image.kind ?? null,
  needs: one.needs,
  roles: one.roles.map(
    ({ slot, title, seat, on_reject, back_to, summary, skills, system_prompt, brain_seed }) => ({
      slot,
      title,
      seat: seat ?? null,
      ...(on_reject && { on_reject }),
      ...(back_to && { back_to }),
      summary: summary ?? "",
      skills: skills ?? [],
      system_prompt,
      brain_seed: brain_seed ?? "",
    }),
  ),
});

export const newRole = (roles: readonly TemplateRole[]): TemplateRole => {
  const taken = new Set(roles.map(({ slot }) => slot));
  let at = roles.length + 1;
  while (taken.has(`role_${at}`)) at += 1;
  return {
    slot: `role_${at}`,
    title: "",
    seat: null,
    summary: "",
    skills: [],
    system_prompt: "",
    brain_seed: "",
  };
};

/** The list with one of it moved; at either end it stays. */
export function moved<T>(list: readonly T[], from: number, by: 1 | -1): T[] {
  const to = from + by;
  const one = list[from];
  if (one === undefined || to < 0 || to >= list.length) return [...list];
  return list.toSpliced(from, 1).toSpliced(to, 0, one);
}

/** The skills by their names. A skill of the workspace replaces a built-in one of its name. */
export const namedSkills = (skills: readonly SkillBrief[]): ReadonlyMap<string, SkillBrief> =>
  new Map(
    skills
      .toSorted(
        (a, b) =>
          a.name.localeCompare(b.name) ||
          Number(a.visibility !== "builtin") - Number(b.visibility !== "builtin"),
      )
      .map((skill) => [skill.name, skill]),
  );

const part = (title: string, text: string | null | undefined) =>
  text ? [`### ${title}`, "", text.trim(), ""] : [];

/** All of it as one text, in an order that does not change: two versions can be held against each other. */
export const textOf = (content: TemplateContent): string =>
  [
    `# ${content.name}`,
    "",
    content.description,
    "",
    `Works as: ${content.default_topology}`,
    `May: ${content.risk_profile}; ${content.mcp_bundles.join(", ")}`,
    `Image: ${imageName(content.image)}${content.needs?.length ? `; needs ${content.needs.map(needName).join(", ")}` : ""}`,
    `For: ${content.category ?? "development"}, ${content.stack}`,
    "",
    ...content.roles.flatMap((role) => [
      `## ${role.title} (${role.slot}${role.seat ? `, ${role.seat}` : ""})`,
      "",
      ...(role.summary ? [role.summary, ""] : []),
      ...(role.on_reject
        ? [`When it rejects: ${role.on_reject}${role.back_to ? ` to ${role.back_to}` : ""}`]
        : []),
      `Skills: ${role.skills?.join(", ") || "none"}`,
      "",
      ...part("Prompt", role.system_prompt),
      ...part("First memory", role.brain_seed),
    ]),
  ].join("\n");
