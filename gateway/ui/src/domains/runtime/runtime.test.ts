import { describe, expect, it } from "vitest";
import type { SkillBrief } from "~/api/skills";
import type { ClawSkills, RuntimeConfig } from "./queries";
import { addable, leftOut, modelWhy, rightWhy } from "./words";

const config = (more: Partial<RuntimeConfig>) => ({ model: "openai/m", ...more }) as RuntimeConfig;
const brief = (id: string, more: Partial<SkillBrief> = {}) =>
  ({ id, name: id, visibility: "builtin", ...more }) as SkillBrief;

describe("what an agent runs with", () => {
  it("says why, the nearest reason first", () => {
    expect(modelWhy(config({ model: null, model_binding: "gone/m", team_id: "t" }))).toContain(
      "has no model of this name",
    );
    expect(modelWhy(config({ model_binding: "openai/m", team_id: "t" }))).toBe("Set for this agent.");
    expect(modelWhy(config({ team_id: "t" }))).toContain("team");
    expect(modelWhy(config({}))).toBe("The workspace's default.");
    expect(rightWhy(config({ team_id: "t", template_id: "x" }))).toContain("Its team sets its permissions");
    expect(rightWhy(config({ template_id: "x" }))).toContain("its own permissions apply");
    expect(rightWhy(config({}))).toContain("its own permissions apply");
  });

  it("names what was left out, and offers no skill twice", () => {
    const skills = {
      items: [{ id: "a" }],
      overrides: [
        { skill_id: "b", include: false },
        { skill_id: "gone", include: false },
        { skill_id: "a", include: true },
      ],
    } as ClawSkills;
    const catalogue = [
      brief("z"),
      brief("a"),
      brief("b", { name: "bees" }),
      brief("c", { visibility: "workspace", namesake: "d" }),
      brief("d", { namesake: "c" }),
    ];
    expect(leftOut(skills, catalogue)).toEqual([
      { id: "b", name: "bees" },
      { id: "gone", name: "gone" },
    ]);
    expect(addable(skills, catalogue).map(({ id }) => id)).toEqual(["c", "z"]);
  });
});
