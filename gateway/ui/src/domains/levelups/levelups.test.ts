import { describe, expect, it } from "vitest";
import type { LevelUp, LevelUpBrief, LevelUpItem } from "~/api/levelups";
import { Problem } from "~/api/problem";
import type { Team } from "~/api/teams";
import { changeAlone, rolesWith, skillsWith } from "./lists";
import { contents, fate, isOfOthers, outdated, pendingOf, texts } from "./words";

const item = (more: Partial<LevelUpItem>) =>
  ({ id: "i1", kind: "identity_refinement", summary: "s", needs_human: false, ...more }) as LevelUpItem;
const proposal = (more: Partial<LevelUp>) =>
  ({ status: "applied", applied_items: [], payload: { for_a_person: [] }, ...more }) as LevelUp;
const brief = (more: Partial<LevelUpBrief>) =>
  ({ payload: { items: [], agents: [] }, ...more }) as LevelUpBrief;

describe("the texts of an item", () => {
  it("are the whole text before and after, also where there was none", () => {
    expect(texts(item({ after: "new" }))).toEqual({ before: "", after: "new", what: "the instructions" });
    expect(texts(item({ kind: "brain_consolidation", before: "a", after: "b" }))).toMatchObject({
      before: "a",
      after: "b",
    });
  });

  it("of tools name each tool in words, in one order", () => {
    const bundles = { before: ["skills", "door"], after: ["door"] } as NonNullable<LevelUpItem["bundles"]>;
    expect(texts(item({ kind: "mcp_bundle_change", bundles }))).toMatchObject({
      before: "ask for approvals\nread skills",
      after: "ask for approvals",
    });
  });

  it("do not exist for a skill of the catalogue", () => {
    expect(texts(item({ kind: "skill_add" }))).toBeUndefined();
  });
});

describe("the list that an item changes", () => {
  const has = { items: [{ name: "writing" }, { name: "debugging" }] } as Parameters<typeof skillsWith>[0];
  const team = {
    members: [
      { node: "a", slot: "coder", name: "mason" },
      { node: "b", slot: "critic" },
    ],
    topology: { nodes: [{ id: "a", label: "Coder" }, { id: "b" }] },
  } as Team;
  const roster = (action: "add" | "remove" | "change", slot: string) => ({ action, slot, detail: "d" });

  it("has each skill in a line, by name", () => {
    expect(skillsWith(has, "planning")).toEqual({
      before: "debugging\nwriting",
      after: "debugging\nplanning\nwriting",
    });
    expect(skillsWith(has, "writing")).toEqual({ note: "The agent has this skill now." });
  });

  it("has each role in a line, with its title and its agent", () => {
    const before = "coder: Coder, mason\ncritic: agent deleted";
    expect(rolesWith(team, roster("add", "tester"))).toEqual({
      before,
      after: `${before}\ntester: new role`,
    });
    expect(rolesWith(team, roster("remove", "critic"))).toEqual({ before, after: "coder: Coder, mason" });
    expect(rolesWith(team, roster("change", "coder"))).toEqual({
      before,
      after: 'coder: as "What to do" says\ncritic: agent deleted',
    });
  });

  it("says when the team's roles do not permit the change", () => {
    expect(rolesWith(team, roster("add", "coder"))).toEqual({ note: "The team has this role now." });
    expect(rolesWith(team, roster("remove", "tester"))).toEqual({
      note: "The team has no role with this slot now.",
    });
  });

  it("is the entry alone once the proposal was decided", () => {
    const decided = (action: "add" | "remove" | "change") =>
      changeAlone(item({ kind: "roster_change", roster: roster(action, "coder") }));
    expect(decided("add")).toEqual({ before: "", after: "coder: new role" });
    expect(decided("remove")).toEqual({ before: "coder", after: "" });
    expect(decided("change")).toEqual({ before: "coder", after: 'coder: as "What to do" says' });
    expect(changeAlone(item({ kind: "skill_add", skill_name: "debugging" }))).toEqual({
      before: "",
      after: "debugging",
    });
  });
});

describe("a decision", () => {
  it("says of each item what happened to it", () => {
    const decided = proposal({
      applied_items: ["i1"],
      payload: { for_a_person: ["i2"] } as LevelUp["payload"],
    });
    const words = ["i1", "i2", "i3"].map((id) => fate(decided, item({ id }))?.word);
    expect(words).toEqual(["Applied", "A person makes this change", "Not applied"]);
    expect(fate(proposal({ status: "pending" }), item({}))).toBeUndefined();
  });

  it("is another person's when the answer is not what was sent", () => {
    const answer = proposal({
      applied_items: ["i1"],
      payload: { for_a_person: ["i2"] } as LevelUp["payload"],
    });
    expect(isOfOthers(answer, ["i2", "i1"])).toBe(false);
    expect(isOfOthers(answer, ["i1"])).toBe(true);
    expect(isOfOthers(answer, "reject")).toBe(true);
    expect(isOfOthers(proposal({ status: "rejected" }), ["i1"])).toBe(true);
    expect(isOfOthers(proposal({ status: "rejected" }), "reject")).toBe(false);
  });

  it("that was refused names its items by their places in the request", () => {
    const refusal = (code: string) =>
      new Problem({
        code,
        status: 409,
        title: "t",
        fields: [
          { pointer: "/approved_item_ids/1", detail: "i3: the skill was deleted" },
          { pointer: "/approved_item_ids/9", detail: "i9: nobody sent it" },
        ],
      });
    expect([...outdated(refusal("proposal-outdated"), ["i1", "i3"])]).toEqual([
      ["i3", "the skill was deleted"],
    ]);
    expect(outdated(refusal("validation"), ["i1", "i3"]).size).toBe(0);
  });
});

describe("the pending proposals of a page", () => {
  const items = [{ id: "i1", kind: "skill_add" as const, agent_id: "a", summary: "s" }];
  const own = brief({ id: "own", agent_id: "a" });
  const ofTeam = brief({ id: "team", team_id: "t", payload: { items, agents: ["a", "b"] } });

  it("of an agent include those of its teams that change it", () => {
    const ids = (id: string) =>
      pendingOf([own, ofTeam], { kind: "agent", id, name: "" }).map((one) => one.id);
    expect(ids("a")).toEqual(["own", "team"]);
    expect(ids("b")).toEqual([]);
  });

  it("of a team are only its own", () => {
    expect(pendingOf([own, ofTeam], { kind: "team", id: "t", name: "" })).toEqual([ofTeam]);
  });

  it("say what they contain, each kind once", () => {
    const two = brief({ payload: { items: [...items, ...items], agents: [] } });
    expect(contents(two)).toBe("2 changes: skill from the catalogue");
    expect(contents(own)).toBe("No changes");
  });
});
