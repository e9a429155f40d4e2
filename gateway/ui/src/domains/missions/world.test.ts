import { describe, expect, it } from "vitest";
import type { MissionPhase, MissionRun } from "~/api/missions";
import { readLandmarks, type TopologyUpdate } from "./landmarks";
import { knownOf } from "./use-world";
import { LIT_MS, touchWord, workspaceWorld, worldOf, worldWords, type Heard, type Known } from "./world";
import { HEIGHT, heightOf, placeWorld } from "./world-place";

const NOW = 1_000_000;
const run = (team: string, status: NonNullable<MissionRun["status"]>): MissionRun => ({
  run_id: `run of ${team}`,
  attempt: 1,
  team_id: team,
  team_name: team,
  status,
  is_paused: false,
  cancelling: false,
  steps_done: 0,
  steps_most: 1,
  cost_microusd: 0,
});
const phase = (runs: MissionRun[], more: Partial<MissionPhase> = {}): MissionPhase => ({
  id: "p",
  mission_id: "m",
  position: 0,
  kind: "research",
  status: "running",
  attempt: 1,
  dropped_tasks: 0,
  has_card: false,
  runs,
  ...more,
});
const team = (id: string, agents: number): Known["teams"][number] => ({
  id,
  name: id,
  members: Array.from({ length: agents }, (_, at) => ({
    node: `n${at}`,
    slot: "s",
    agent_id: `${id}${at}`,
    name: `${id} ${at}`,
    status: "idle",
  })),
});
const mission = (phases: MissionPhase[]) => ({
  id: "m",
  title: "Faster",
  status: "running" as const,
  phase_details: phases,
});
const known = (teams: Known["teams"], more: Partial<Known> = {}): Known => ({
  teams,
  places: new Map(),
  own: undefined,
  ...more,
});
const QUIET: Heard = { touches: new Map(), states: new Map() };
const names = (world: ReturnType<typeof worldOf>) => world.things.map(({ id }) => id);

describe("the map of a mission", () => {
  const both = mission([phase([run("a", "completed")]), phase([run("b", "running")])]);
  const places = new Map([["b0", { node_id: "n1", node_name: "build-box" }]]);
  const world = worldOf(both, known([team("a", 1), team("b", 2)], { places }), QUIET, NOW);

  it("has the mission, its teams in the order of their work, their agents, and the machines", () => {
    expect(names(world)).toStrictEqual([
      "mission:m",
      "team:a",
      "agent:a0",
      "team:b",
      "agent:b0",
      "agent:b1",
      "machine:n1",
    ]);
    // The team stands beside its agents, so their names do not repeat it.
    expect(world.things.map(({ name }) => name)).toStrictEqual([
      "Faster",
      "a",
      "0",
      "b",
      "0",
      "1",
      "build-box",
    ]);
    expect(world.edges).toContainEqual(["agent:b0", "machine:n1"]);
    expect(world.things.filter(({ works }) => works).map(({ id }) => id)).toStrictEqual([
      "mission:m",
      "team:b",
    ]);
    expect(worldWords(world)).toBe("Map of the mission: 2 teams (1 at work), 3 agents, 1 machine");
  });

  it("does not repeat the title of the mission in the name of a team", () => {
    const minted = { ...team("a", 0), name: "Codebase research · Faster" };
    const found = worldOf(mission([phase([run("a", "running")])]), known([minted]), QUIET, NOW);
    expect(found.things[1]?.name).toBe("Codebase research");
  });

  it("lights what was heard of a moment ago, and only where its team is at work", () => {
    const heard: Heard = {
      touches: new Map([
        ["agent:b1", { what: "uses shell", at: NOW - 100 }],
        ["agent:a0", { what: "uses shell", at: NOW - 100 }],
        ["machine:n1", { what: "works", at: NOW - LIT_MS - 1 }],
      ]),
      states: new Map([["b0", "working"]]),
    };
    const now = worldOf(both, known([team("a", 1), team("b", 2)], { places }), heard, NOW);
    const of = (id: string) => now.things.find((one) => one.id === id);
    expect(of("agent:b1")?.state.word).toBe("Uses shell");
    expect(of("agent:b0")?.state.word).toBe("Works");
    expect(of("agent:a0")?.works).toBe(false);
    expect(of("machine:n1")?.works).toBe(false);
    // Nothing that happens moves anything.
    expect(placeWorld(now, false)).toStrictEqual(placeWorld(world, false));
  });

  it("leaves out agents of teams that are not at work, then those without room", () => {
    const crowd = worldOf(both, known([team("a", 5), team("b", 20)]), QUIET, NOW);
    expect(names(crowd).filter((id) => id.startsWith("agent:a"))).toHaveLength(0);
    expect(names(crowd).filter((id) => id.startsWith("agent:b"))).toHaveLength(11);
    expect(crowd.left).toBe(14);
    const many = Array.from({ length: 20 }, (_, at) => `t${String(at)}`);
    const all = worldOf(
      mission([phase(many.map((id) => run(id, "running")))]),
      known(many.map((id) => team(id, 1))),
      QUIET,
      NOW,
    );
    expect(names(all).filter((id) => id.startsWith("team:"))).toHaveLength(11);
    expect(all.left).toBe(9);
  });

  it("has the mission's own sandbox, in which commands run while a benchmark does", () => {
    const own = { node_id: "local", node_name: "" };
    const bench = mission([phase([], { kind: "benchmark" })]);
    const found = worldOf(bench, known([], { own }), QUIET, NOW);
    expect(names(found)).toStrictEqual(["mission:m", "mission:m/own", "machine:local"]);
    expect(found.things[1]?.works).toBe(true);
    expect(found.things[2]?.name).toBe("Gateway's machine");
  });

  it("places everything inside of the map, and nothing above another", () => {
    for (const [teams, agents] of [
      [1, 1],
      [2, 6],
      [11, 1],
      [1, 11],
    ] as const) {
      const ids = Array.from({ length: teams }, (_, at) => `t${String(at)}`);
      const shown = worldOf(
        mission([phase(ids.map((id) => run(id, "running")))]),
        known(
          ids.map((id) => team(id, agents)),
          { places: new Map(ids.map((id) => [`${id}0`, { node_id: "n1", node_name: "" }])) },
        ),
        QUIET,
        NOW,
      );
      for (const narrow of [true, false]) {
        const { spots, rows } = placeWorld(shown, narrow);
        expect(spots.size).toBe(shown.things.length);
        for (const tier of ["team", "agent", "machine"] as const) {
          const ys = shown.things
            .filter((one) => one.tier === tier)
            .map(({ id }) => spots.get(id)?.y ?? NaN)
            .toSorted((a, b) => a - b);
          expect(ys[0]).toBeGreaterThanOrEqual(rows[tier] / 2 - 0.01);
          expect(ys.at(-1)).toBeLessThanOrEqual(HEIGHT - rows[tier] / 2 + 0.01);
          ys.slice(1).forEach((y, at) => expect(y - (ys[at] ?? 0)).toBeGreaterThanOrEqual(rows[tier] - 0.01));
        }
      }
    }
  });

  it("says what an agent touches", () => {
    expect(touchWord("service:model/openai/gpt")).toBe("asks openai/gpt");
    expect(touchWord("event:tool/shell")).toBe("uses shell");
    expect(touchWord("machine:local")).toBe("works");
  });
});

describe("the landmarks of a workspace", () => {
  const update: TopologyUpdate = {
    formation: "live",
    nodes: [
      { id: "mission:m", tier: "event", label: "Faster" },
      { id: "machine:local", tier: "service", label: "This gateway" },
      { id: "machine:n", tier: "service", label: "build-box" },
      { id: "team:later", tier: "team", label: "Later" },
      { id: "team:t", tier: "team", label: "Coders", parentId: "mission:m" },
      { id: "agent:free", tier: "agent", label: "Free" },
      { id: "agent:a", tier: "agent", label: "Coders Ada", parentId: "team:t" },
    ],
    edges: [
      { from: "mission:m", to: "team:t", kind: "parent" },
      { from: "team:t", to: "agent:a", kind: "parent" },
      { from: "team:t", to: "machine:n", kind: "flow" },
      { from: "agent:free", to: "machine:local", kind: "flow" },
      { from: "agent:gone", to: "machine:n", kind: "flow" },
    ],
  };
  const marks = readLandmarks(update);
  const quiet: Heard = { touches: new Map(), states: new Map() };

  it("stand in the order of what they belong to, each with its machine", () => {
    const world = workspaceWorld(marks, quiet, NOW);
    expect(names(world)).toStrictEqual([
      "mission:m",
      "team:t",
      "team:later",
      "agent:a",
      "agent:free",
      "machine:local",
      "machine:n",
    ]);
    // The agents of a team that shares a sandbox lead to its machine.
    expect(world.edges).toStrictEqual([
      ["mission:m", "team:t"],
      ["team:t", "agent:a"],
      ["agent:a", "machine:n"],
      ["agent:free", "machine:local"],
    ]);
    expect(world.things.find(({ id }) => id === "agent:a")?.name).toBe("Ada");
    expect(world.things.some(({ works }) => works)).toBe(false);
  });

  it("light up to the mission when an agent is touched, and none of them moves", () => {
    const heard: Heard = {
      touches: new Map([["agent:a", { what: "uses shell", at: NOW }]]),
      states: new Map(),
    };
    const world = workspaceWorld(marks, heard, NOW);
    expect(world.things.filter(({ works }) => works).map(({ id }) => id)).toStrictEqual([
      "mission:m",
      "team:t",
      "agent:a",
    ]);
    expect(placeWorld(world, false)).toStrictEqual(placeWorld(workspaceWorld(marks, quiet, NOW), false));
  });

  it("leave out what has no room, and say how much", () => {
    const crowd = readLandmarks({
      formation: "live",
      nodes: Array.from({ length: 30 }, (_, at) => ({ id: `agent:${at}`, tier: "agent", label: "x" })),
    });
    const world = workspaceWorld(crowd, quiet, NOW);
    expect(world.things).toHaveLength(24);
    expect(world.left).toBe(6);
    expect(heightOf(world)).toBe(24 * 36);
  });

  it("give a mission its teams with their agents and machines", () => {
    expect(knownOf(marks, ["t", "gone"], new Map([["a", "working"]]))).toStrictEqual({
      teams: [
        { id: "t", name: "Coders", members: [{ agent_id: "a", name: "Coders Ada", status: "working" }] },
      ],
      places: new Map([["a", { node_id: "n", node_name: "build-box" }]]),
    });
  });
});
