import type { Skill, SkillBrief } from "./queries";

const SOURCES: Record<string, string> = {
  builtin: "Built-in",
  authored: "written here",
  promoted: "made from an agent's work",
};
export const sourceWord = (source: string) => SOURCES[source] ?? source;

/** Whether the workspace wrote the skill. Only such a skill can be changed. */
export const isOwn = ({ visibility }: Pick<SkillBrief, "visibility">) => visibility === "workspace";

/** Whether a skill has all the words, and the tag. */
export function fits(skill: SkillBrief, words: string, tag: string): boolean {
  if (tag && !skill.tags.includes(tag)) return false;
  const text = `${skill.name} ${skill.title} ${skill.when_to_use} ${skill.tags.join(" ")}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** All tags, those of most skills first. */
export function tagsOf(skills: readonly SkillBrief[]): [string, number][] {
  const count = new Map<string, number>();
  for (const { tags } of skills) for (const tag of tags) count.set(tag, (count.get(tag) ?? 0) + 1);
  return [...count].toSorted(([a, n], [b, m]) => m - n || a.localeCompare(b));
}

/** Skills of no common subject. */
export const OTHER = "other";

/** Each skill once, under that of its tags which most of the others have as well. */
export function bySubject(skills: readonly SkillBrief[]): [subject: string, SkillBrief[]][] {
  const groups: [string, SkillBrief[]][] = [];
  let left = [...skills];
  for (;;) {
    const [tag, count] = tagsOf(left)[0] ?? ["", 0];
    if (count < 2) break;
    groups.push([tag, left.filter(({ tags }) => tags.includes(tag))]);
    left = left.filter(({ tags }) => !tags.includes(tag));
  }
  groups.sort(([a], [b]) => a.localeCompare(b));
  return left.length > 0 ? [...groups, [OTHER, left]] : groups;
}

export const splitTags = (typed: string) => [
  ...new Set(
    typed
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean),
  ),
];

/** The text of a skill as it stands in the fields. */
export const formOf = (skill?: Skill) => ({
  name: skill?.name ?? "",
  title: skill?.title ?? "",
  when_to_use: skill?.when_to_use ?? "",
  tags: skill?.tags.join(" ") ?? "",
  body: skill?.body ?? "",
});
type Form = ReturnType<typeof formOf>;

/** Whether something was typed that would be lost. */
export const isTyped = (form: Form, before: Form) =>
  Object.entries(before).some(([name, text]) => form[name as keyof Form] !== text);
