// Skills of the mock: two that come with Roost, one of the workspace's own.
import { ago, newId } from "./ids.ts";
import type { KnownSkill } from "./state.ts";

export function makeSkill(name: string, more: Partial<KnownSkill> = {}): KnownSkill {
  const { body = `## Steps\n\n1. Look first.\n2. Say what you found.\n`, ...rest } = more;
  const title = name[0].toUpperCase() + name.slice(1).replaceAll("-", " ");
  const skill: KnownSkill = {
    id: newId(),
    name,
    title,
    when_to_use: `When ${name.replaceAll("-", " ")} is what has to be done.`,
    tags: ["quality"],
    source_kind: "builtin",
    visibility: "builtin",
    foundation: false,
    namesake: null,
    current_version: 1,
    created_at: ago(90_000),
    updated_at: ago(90_000),
    body,
    versions: [],
    ...rest,
  };
  const { tags, when_to_use } = skill;
  skill.versions = [
    { version: 1, title: skill.title, at: ago(90_000), author: null, body: skill.body, tags, when_to_use },
  ];
  return skill;
}

export const makeSkills = (): KnownSkill[] => [
  makeSkill("code-review", { tags: ["quality", "review"] }),
  makeSkill("debugging", { tags: ["coding"], foundation: true }),
  makeSkill("release-notes", {
    tags: ["writing"],
    source_kind: "authored",
    visibility: "workspace",
    body: "# Release notes\n\nSay **why** before what.\n",
  }),
];
