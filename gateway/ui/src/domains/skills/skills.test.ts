import { describe, expect, it } from "vitest";
import type { Skill, SkillBrief } from "./queries";
import { fits, formOf, isTyped, splitTags, tagsOf } from "./words";

const skill = (name: string, tags: string[]) =>
  ({ name, title: name, when_to_use: "When asked", tags }) as SkillBrief;
const all = [skill("code-review", ["quality", "review"]), skill("debugging", ["quality"])];

describe("the catalogue of skills", () => {
  it("needs all words and the tag", () => {
    expect(all.filter((one) => fits(one, "asked review", "")).map(({ name }) => name)).toEqual([
      "code-review",
    ]);
    expect(all.filter((one) => fits(one, "", "quality"))).toHaveLength(2);
    expect(all.filter((one) => fits(one, "debugging", "review"))).toHaveLength(0);
  });
  it("knows whether something was typed that would be lost", () => {
    const before = formOf();
    expect(isTyped({ ...before }, before)).toBe(false);
    expect(isTyped({ ...before, body: "First," }, before)).toBe(true);
    expect(formOf({ ...skill("a", ["x", "y"]), body: "B" } as Skill)).toMatchObject({
      tags: "x y",
      body: "B",
    });
  });
  it("counts tags, and takes them as they are typed", () => {
    expect(tagsOf(all)).toEqual([
      ["quality", 2],
      ["review", 1],
    ]);
    expect(splitTags(" Logging,  quality quality ")).toEqual(["logging", "quality"]);
  });
});
