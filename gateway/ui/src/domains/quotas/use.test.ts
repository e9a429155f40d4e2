import { describe, expect, it } from "vitest";
import { linePoints, rowsOf, sinceOf, totalOf, type Counted, type Names } from "./use";

const NOW = new Date(2026, 10, 28, 12).getTime();
const ago = (days: number, hours = 0) => new Date(NOW - days * 86_400_000 - hours * 3_600_000).toISOString();
let count = 0;
const run = (more: Partial<Counted>): Counted => ({
  id: `run${(count += 1)}`,
  created_at: ago(0, 2),
  started_at: ago(0, 2),
  ended_at: ago(0, 1),
  cost_microusd: 1000,
  tokens_in: 10,
  tokens_out: 5,
  ...more,
});
const NAMES: Names = {
  team: (id) =>
    id === "gone" ? undefined : { name: `Team ${id}`, template: id === "own" ? undefined : `of ${id}` },
  template: (id) => (id === "of b" ? undefined : `Template ${id}`),
  mission: (id) => (id === "m" ? "Faster" : undefined),
};
const RUNS = [
  run({ team_id: "a", cost_microusd: 5000, mission_id: "m" }),
  run({ team_id: "a", cost_microusd: 1000, created_at: ago(2), mission_id: "old" }),
  run({
    team_id: "b",
    cost_microusd: 9000,
    tokens_in: 0,
    created_by: { id: "p", name: "Ada", email: "a@b" },
  }),
  run({ team_id: "own" }),
  run({ team_id: "gone" }),
  run({ agent_id: "x", started_at: null, ended_at: null }),
  run({ team_id: "a", created_at: ago(40) }),
];
const rows = (more: Partial<Parameters<typeof rowsOf>[1]> = {}) =>
  rowsOf(RUNS, { by: "team", measure: "cost", days: 7, ...more }, NAMES, NOW);

describe("use, compared", () => {
  it("adds the runs of each team, the highest first, and none from before the range", () => {
    expect(rows().map(({ name, cost, runs }) => [name, cost, runs])).toStrictEqual([
      ["Team b", 9000, 1],
      ["Team a", 6000, 2],
      ["Agents without a team", 1000, 1],
      ["Deleted teams", 1000, 1],
      ["Team own", 1000, 1],
    ]);
    expect(totalOf(rows())).toStrictEqual({ cost: 18_000, tokens: 80, time: 5 * 3_600_000 + 0, runs: 6 });
    expect(rows()[0]?.way).toStrictEqual({ to: "team", id: "b" });
  });

  it("compares by template, mission and person as well", () => {
    const names = (by: "template" | "mission" | "person") => rows({ by }).map(({ name }) => name);
    expect(names("template")).toStrictEqual([
      "Deleted templates",
      "Template of a",
      "Agents without a team",
      "Deleted teams",
      "Teams without a template",
    ]);
    expect(names("mission")).toStrictEqual(["Without a mission", "Faster", "Deleted missions"]);
    expect(names("person")).toStrictEqual(["Ada", "Nobody any more"]);
  });

  it("has the measure of each day, and no time of a run that did not begin", () => {
    expect(rows()[1]?.days).toStrictEqual([0, 0, 0, 0, 1000, 0, 5000]);
    const time = rows({ measure: "time" });
    expect(time.find(({ key }) => key === "alone")?.time).toBe(0);
    // At work: it took until now.
    const [open] = rowsOf(
      [run({ team_id: "a", ended_at: null })],
      { by: "team", measure: "time", days: 7 },
      NAMES,
      NOW,
    );
    expect(open?.time).toBe(2 * 3_600_000);
  });

  it("puts what has no room into one row at the end", () => {
    const many = Array.from({ length: 20 }, (_, at) => run({ team_id: `t${at}`, cost_microusd: at }));
    const found = rowsOf(many, { by: "team", measure: "cost", days: 7 }, NAMES, NOW);
    expect(found).toHaveLength(15);
    expect(found.at(-1)).toMatchObject({ name: "6 others", cost: 15, runs: 6 });
    expect(found.at(-1)?.days.at(-1)).toBe(15);
    expect(totalOf(found).cost).toBe(190);
  });

  it("begins with a whole day", () => {
    expect(new Date(sinceOf(7, NOW)).toString()).toContain("Nov 22 2026 00:00:00");
    expect(linePoints([0, 2, 1])).toBe("0.00,100.00 50.00,0.00 100.00,50.00");
    expect(linePoints([0, 0])).toBe("0.00,100.00 100.00,100.00");
  });
});
