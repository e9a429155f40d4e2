import { describe, expect, it } from "vitest";
import type { ModelBinding } from "~/api/models";
import type { Team } from "~/api/teams";
import { teamModels, usedModel } from "./model";

const team = (model: string | null, ...agents: string[]) =>
  ({ model_binding: model, members: agents.map((agent_id) => ({ agent_id })) }) as Team;
const agent = (id: string, model_binding: string | null = null) => ({ id, model_binding }) as never;
const models = [{ name: "a/default", is_default: true }] as ModelBinding[];
const teams = teamModels([team("a/team", "one", "both"), team(null, "none", "both")]);

describe("the model that an agent uses", () => {
  it("is its own, else its team's, else the workspace's", () => {
    expect(usedModel(agent("one", "a/own"), teams, models)).toStrictEqual({ name: "a/own" });
    expect(usedModel(agent("one"), teams, models)).toStrictEqual({ name: "a/team", from: "team" });
    expect(usedModel(agent("none"), teams, models)).toStrictEqual({ name: "a/default", from: "workspace" });
    expect(usedModel(agent("alone"), teams, [])).toStrictEqual({ name: "scripted", from: "workspace" });
  });

  it("is not named while it is not known, or where the teams differ", () => {
    expect(usedModel(agent("both"), teams, models)).toBeUndefined();
    expect(usedModel(agent("alone"), undefined, models)).toBeUndefined();
    expect(usedModel(agent("alone"), teams, undefined)).toBeUndefined();
  });
});
