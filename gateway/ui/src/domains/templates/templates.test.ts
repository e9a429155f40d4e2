import { describe, expect, it } from "vitest";
import type { SkillBrief } from "~/api/skills";
import type { TeamTemplate } from "~/api/teams";
import { contentOf, moved, namedSkills, newRole, textOf } from "./content";

const role = (slot: string) => ({ slot, title: slot, system_prompt: `You are ${slot}.` });
const template = {
  id: "t",
  version: 3,
  missing_skills: [],
  name: "Ours",
  description: "For us",
  category: "development",
  stack: "rust",
  default_topology: "pipeline",
  risk_profile: "toolfree",
  mcp_bundles: ["door"],
  image: { kind: "node", tag: "roost-agent:node", lacks: [] },
  needs: ["gpu"],
  roles: [role("a"), { ...role("role_2"), seat: "hub", skills: ["x", "y"], brain_seed: "Knows b." }],
} as unknown as TeamTemplate;

describe("a template that is written", () => {
  it("sends what a version holds and nothing that the gateway adds", () => {
    const content = contentOf(template);
    expect(Object.keys(content).toSorted()).toEqual([
      "category",
      "default_topology",
      "description",
      "image",
      "mcp_bundles",
      "name",
      "needs",
      "risk_profile",
      "roles",
      "stack",
    ]);
    expect([content.image, content.needs]).toEqual(["node", ["gpu"]]);
    expect(content.roles[0]).toEqual({ ...role("a"), seat: null, summary: "", skills: [], brain_seed: "" });
  });

  it("is one text with all that can change in it", () => {
    const text = textOf(contentOf(template));
    for (const piece of [
      "# Ours",
      "## role_2 (role_2, hub)",
      "Skills: x, y",
      "Knows b.",
      "May: toolfree; door",
      "Image: node; needs a GPU",
    ])
      expect(text).toContain(piece);
    expect(textOf(contentOf({ ...template, stack: "web" }))).not.toBe(text);
  });

  it("moves roles within the list, and gives a new one a slot of its own", () => {
    expect([moved([1, 2, 3], 0, 1), moved([1, 2], 0, -1), moved([1, 2], 1, 1)]).toEqual([
      [2, 1, 3],
      [1, 2],
      [1, 2],
    ]);
    expect(newRole([...template.roles]).slot).toBe("role_3");
    expect(newRole([role("role_2")]).slot).toBe("role_3");
  });

  it("offers the workspace's skill in place of a built-in one of the same name", () => {
    const skill = (id: string, name: string, visibility: string) =>
      ({ id, name, visibility }) as unknown as SkillBrief;
    const named = namedSkills([
      skill("3", "write", "builtin"),
      skill("1", "read", "workspace"),
      skill("2", "read", "builtin"),
    ]);
    expect([...named].map(([name, { id }]) => [name, id])).toEqual([
      ["read", "1"],
      ["write", "3"],
    ]);
  });
});
