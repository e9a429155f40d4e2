import { describe, expect, it } from "vitest";
import { busyFirst, ownersOf } from "./sandboxes";

type Agents = Parameters<typeof busyFirst>[1];
type Teams = Parameters<typeof ownersOf>[1];
const agents = ["a", "b", "c", "d"].map((id) => ({ id, sandbox: id === "d" ? {} : null })) as Agents;
const members = ["a", "b"].map((agent_id) => ({ agent_id }));
const teams = [
  { id: "apart", shared_sandbox: false, members },
  { id: "shared", shared_sandbox: true, members },
] as unknown as Teams;
const ids = (runs: Parameters<typeof ownersOf>[0]) =>
  ownersOf(runs, teams, agents).map(({ kind, id }) => `${kind} ${id}`);

describe("whose commands are listed", () => {
  it("begins with agents that have a sandbox", () => {
    expect(busyFirst(["a", "d", "b"], agents)).toStrictEqual(["d", "a", "b"]);
  });

  it("begins with the sandboxes of the newest runs and names each owner once", () => {
    expect(
      ids([{ team_id: "apart" }, { agent_id: "c" }, { mission_id: "m", team_id: "shared" }]),
    ).toStrictEqual(["claw a", "claw b", "claw c", "mission m", "team shared", "claw d"]);
  });

  it("names no agent and no team that is deleted", () => {
    expect(ids([{ agent_id: "gone" }, { team_id: "gone" }])).toStrictEqual([
      "team shared",
      "claw d",
      "claw a",
      "claw b",
      "claw c",
    ]);
  });
});
