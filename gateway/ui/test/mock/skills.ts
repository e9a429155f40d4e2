// Skills of the mock: two that come with Roost, one of the workspace's own.
import { readdirSync, readFileSync } from "node:fs";
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

const BUILTIN = new URL("../../../organisation/src/skills/builtin/", import.meta.url);

/** All skills that the product comes with, by their own heads. */
export const shippedSkills = (): KnownSkill[] =>
  readdirSync(BUILTIN)
    .filter((file) => file.endsWith(".md"))
    .map((file) => {
      const text = readFileSync(new URL(file, BUILTIN), "utf8");
      const head = (name: string) => new RegExp(`^${name} = "(.*)"$`, "m").exec(text)?.[1] ?? "";
      const tags = /^tags = \[(.*)\]$/m.exec(text)?.[1] ?? "";
      return makeSkill(head("name"), {
        title: head("title"),
        when_to_use: head("when_to_use"),
        tags: tags.split(",").map((tag) => tag.trim().replaceAll('"', "")),
      });
    });
