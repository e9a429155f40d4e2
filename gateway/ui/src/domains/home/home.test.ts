import { describe, expect, it } from "vitest";
import type { Door } from "~/api/doors";
import type { LevelUpBrief } from "~/api/levelups";
import type { Mission } from "~/api/missions";
import type { RunSummary } from "~/api/runs";
import type { AppConnection, NodeLine, RepoConnection } from "~/api/types";
import { needsPerson, type Facts } from "./attention";
import { nextOf, ofDemonstration, stepsOf } from "./checklist";
import { whoIs, workers } from "./workers";
import { DAYS, daysOf, totalOf, type Counted } from "./usage";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const ago = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString();

const none: Facts = {
  doors: [],
  runs: [],
  missions: [],
  nodes: [],
  connections: [],
  hosts: [],
  levelUps: [],
  actions: new Map(),
  agents: new Map(),
  teams: new Map(),
};
const needs = (facts: Partial<Facts>) => needsPerson({ ...none, ...facts }, NOW);
const says = (facts: Partial<Facts>) => needs(facts).map((need) => need.says);

const door = (more: Partial<Door>) =>
  ({
    id: "d",
    state: "pending",
    agent_name: "mason",
    action: "github.issues.create",
    target: "octo/hello",
    created_at: ago(1),
    expires_at: ago(-23),
    ...more,
  }) as Door;
const run = (more: Partial<RunSummary>) =>
  ({
    id: "r",
    title: "Mend",
    status: "failed",
    team_id: "t",
    created_at: ago(2),
    ended_at: ago(1),
    cost_microusd: 0,
    tokens_in: 0,
    tokens_out: 0,
    ...more,
  }) as RunSummary;
const node = (more: Partial<NodeLine>) =>
  ({ id: "n", name: "box", status: "online", sandboxes: 0, rev: 1, ...more }) as NodeLine;
const connection = (more: Partial<AppConnection>) =>
  ({ id: "c", provider: "github", agent_id: "a", state: "ready", renewable: true, ...more }) as AppConnection;

describe("what needs a person", () => {
  it("names the proposals that wait, after all that is broken, and where to decide them", () => {
    const items = [1, 2].map((n) => ({ id: `i${n}`, kind: "skill_add" as const, summary: `Skill ${n}` }));
    const proposal = (more: Partial<LevelUpBrief>) =>
      ({
        id: "p",
        status: "pending",
        created_at: ago(1),
        payload: { items, agents: [] },
        ...more,
      }) as LevelUpBrief;
    const all = needs({
      runs: [run({})],
      levelUps: [
        proposal({ agent_id: "a" }),
        proposal({ id: "q", team_id: "t", payload: { items: items.slice(1), agents: [] } }),
      ],
      agents: new Map([["a", "mason"]]),
    });
    expect(all.map(({ says }) => says)).toEqual([
      "Mend",
      "A level-up of mason has 2 proposed changes",
      "A level-up of a team has 1 proposed change",
    ]);
    expect(all[1]).toMatchObject({
      why: "Skill 1 · Skill 2",
      to: { to: "/claws/$id", id: "a", proposal: "p" },
    });
    expect(all[2]?.to).toEqual({ to: "/teams/$id", id: "t", proposal: "q" });
  });

  it("is nothing where nothing is wrong", () => {
    expect(
      needs({
        doors: [door({ state: "denied" })],
        runs: [
          run({ status: "completed", outcome: "accepted" }),
          run({ status: "completed", outcome: "undecided" }),
          run({ status: "cancelled" }),
          run({ status: "running" }),
        ],
        nodes: [node({}), node({ paused: true, problems: ["paused"] }), node({ status: "pending" })],
        connections: [connection({}), connection({ state: "unknown" })],
        hosts: [{ id: "h", label: "github.com", last_sync_error: null } as RepoConnection],
      }),
    ).toEqual([]);
  });

  it("names the approval that waits longest first, before runs and machines", () => {
    const all = needs({
      doors: [door({ id: "new", created_at: ago(1) }), door({ id: "old", created_at: ago(5) })],
      runs: [run({})],
      nodes: [node({ status: "offline", sandboxes: 1 })],
      actions: new Map([["github.issues.create", "Open an issue."]]),
    });
    expect(all.map(({ id }) => id)).toEqual(["door:old", "door:new", "run:r", "node:n"]);
    expect(all[0]?.says).toBe("mason asks for approval: Open an issue");
    expect(all[0]?.until).toBe(ago(-23));
    expect(all[3]).toMatchObject({ says: "box is offline", why: "1 sandbox waits there." });
  });

  it("shows the hidden characters of names and the name of an action that is not known", () => {
    expect(says({ doors: [door({ agent_name: "ma\u202Eson", action: "other.thing.do" })] })).toEqual([
      "ma\\u{202e}son asks for approval: other.thing.do",
    ]);
  });

  it("has runs of the last three days that failed or were rejected, the newest first, with the reason", () => {
    const all = needs({
      runs: [
        run({ id: "old", ended_at: ago(73) }),
        run({ id: "first", title: "A", ended_at: ago(20), error: "no key" }),
        run({
          id: "second",
          title: "B",
          status: "completed",
          outcome: "rejected",
          outcome_reason: "TEST_FAIL",
          ended_at: ago(3),
        }),
      ],
    });
    expect(all.map(({ id, word, why }) => [id, word, why])).toEqual([
      ["run:second", "Rejected", "TEST_FAIL"],
      ["run:first", "Failed", "no key"],
    ]);
  });

  it("drops a failed run when a later run of the same work, or a fork, goes on or ended well", () => {
    const bad = run({ id: "bad", created_at: ago(9) });
    const later = (more: Partial<RunSummary>) =>
      run({ id: "later", created_at: ago(1), ended_at: ago(0.5), ...more });
    expect(says({ runs: [bad, later({ status: "completed", outcome: "accepted" })] })).toEqual([]);
    expect(says({ runs: [bad, later({ status: "running" })] })).toEqual([]);
    expect(
      says({ runs: [bad, later({ title: "Other", forked_from: "bad" as never, status: "running" })] }),
    ).toEqual([]);
    // The same words of another team, a second failure, and one that somebody cancelled answer nothing.
    expect(says({ runs: [bad, later({ team_id: "u" as never, status: "running" })] })).toEqual(["Mend"]);
    expect(says({ runs: [bad, later({ status: "cancelled" })] })).toEqual(["Mend"]);
    expect(needs({ runs: [bad, later({})] }).map(({ id }) => id)).toEqual(["run:later", "run:bad"]);
    // An earlier one that ended well does not answer what failed after it.
    const before = run({ id: "before", created_at: ago(30), status: "completed", outcome: "accepted" });
    expect(needs({ runs: [bad, before] }).map(({ id }) => id)).toEqual(["run:bad"]);
  });

  it("leaves a machine alone that was taken out of work on purpose", () => {
    const away = { status: "offline", connection: "disconnected" } as const;
    expect(says({ nodes: [node({ ...away, drained: true })] })).toEqual([]);
    expect(says({ nodes: [node({ problems: ["clock"] })] })).toEqual(["box has a problem"]);
    expect(says({ nodes: [node({ problems: ["version"] })] })).toEqual(["box needs another version"]);
    expect(needs({ nodes: [node({ problems: ["new-code"] })] })[0]?.why).toBe("Its page says what to do.");
  });

  it("has connections that a person must renew and code hosts that cannot be read", () => {
    const agents = new Map([["a", "scribe"]]);
    expect(
      says({
        agents,
        connections: [
          connection({ state: "needs_reauth" }),
          connection({ renewable: false, expires_at: ago(1), agent_id: null }),
          connection({ renewable: false, expires_at: ago(-1) }),
        ],
        hosts: [{ id: "h", label: "git.example", last_sync_error: "401" } as RepoConnection],
      }),
    ).toEqual([
      "GitHub of scribe has to be connected again",
      "GitHub has to be connected again",
      "Repositories of git.example could not be read",
    ]);
  });

  it("says why a mission is paused, and has none that a person paused", () => {
    const paused = (title: string, status_reason: Mission["status_reason"]) =>
      ({
        id: title,
        title,
        status: "paused",
        status_reason,
        created_at: ago(1),
        updated_at: ago(1),
      }) as Mission;
    const missions = [
      paused("A", "phase_failed"),
      paused("B", "node_deleted"),
      paused("C", "runtime_failed"),
      paused("D", "person"),
    ];
    expect(says({ missions })).toEqual([
      "A waits for you: a phase failed",
      "B waits for you: its machine was deleted",
      "C waits for you: its runtime failed",
    ]);
  });
});

describe("spend and use", () => {
  const counted = (hours: number, more: Partial<Counted> = {}): Counted => ({
    created_at: ago(hours),
    cost_microusd: 10,
    tokens_in: 3,
    tokens_out: 2,
    status: "completed",
    outcome: "accepted",
    ...more,
  });

  it("puts each run on the day when it began, oldest day first, and leaves out what is older", () => {
    const days = daysOf(
      [counted(0), counted(0, { status: "failed" }), counted(24), counted(24 * 60)],
      false,
      NOW,
    );
    expect(days).toHaveLength(DAYS);
    expect(days.at(-1)).toMatchObject({ runs: 2, cost: 20, tokens: 10, bad: 1, known: true });
    expect(days.at(-2)).toMatchObject({ runs: 1, bad: 0 });
    expect(days.reduce((sum, day) => sum + day.runs, 0)).toBe(3);
    expect(days.map(({ at }) => at)).toEqual(days.map(({ at }) => at).toSorted((a, b) => a - b));
  });

  it("does not call a day empty whose runs were not read", () => {
    const days = daysOf([counted(0), counted(48)], true, NOW);
    expect(days.filter(({ known }) => known).length).toBeLessThan(4);
    expect(days[0]?.known).toBe(false);
    expect(days.at(-1)?.known).toBe(true);
    expect(daysOf([], false, NOW).every(({ known }) => known)).toBe(true);
  });

  it("counts runs whose model has no price", () => {
    const runs = [
      counted(1),
      counted(1, { cost_microusd: 0 }),
      counted(1, { cost_microusd: 0, tokens_in: 0 }),
      counted(24 * 60, { cost_microusd: 0 }),
    ];
    expect(totalOf(daysOf(runs, false, NOW), runs)).toMatchObject({ runs: 3, cost: 10, unpriced: 1 });
  });
});

describe("the first steps", () => {
  const has = { models: 0, demonstrated: false, repos: 0, files: false, team: undefined, runs: 0 };
  const done = (more: object) =>
    stepsOf({ ...has, ...more })
      .filter((step) => step.done)
      .map(({ id }) => id);
  it("tick themselves, each by its own fact", () => {
    expect(done({})).toEqual([]);
    expect(done({ models: 1 })).toEqual(["model"]);
    expect(done({ demonstrated: true })).toEqual(["model"]);
    expect(done({ repos: 2 })).toEqual(["code"]);
    expect(done({ files: true })).toEqual(["code"]);
    expect(done({ team: "t", runs: 1 })).toEqual(["team", "run"]);
  });
  it("lead to the first that is open", () => {
    expect(nextOf(stepsOf(has))).toBe("model");
    expect(nextOf(stepsOf({ ...has, models: 1, team: "t" }))).toBe("code");
    expect(nextOf(stepsOf({ ...has, models: 1, repos: 1, team: "t", runs: 1 }))).toBeUndefined();
  });
});

describe("a run of the demonstration", () => {
  it("is one of a team with the scripted model", () => {
    const teams = [
      { id: "t1", model_binding: "scripted" },
      { id: "t2", model_binding: "openai/small" },
      { id: "t3" },
    ];
    const runs = [
      { id: "r1", team_id: "t1" },
      { id: "r2", team_id: "t2" },
      { id: "r3", team_id: "t3" },
      { id: "r4", team_id: null },
    ];
    expect([...ofDemonstration(runs, teams)]).toStrictEqual(["r1"]);
  });
});

describe("who can be given work", () => {
  const team = (id: string, name: string, agents: string[], more = {}) =>
    ({ id, name, state: "ready", members: agents.map((agent_id) => ({ agent_id })), ...more }) as never;
  const agent = (id: string, name: string, more = {}) => ({ id, name, ...more }) as never;
  const all = workers(
    [team("t2", "Two", ["a1"]), team("t1", "One", ["a2"]), team("t3", "Going", [], { state: "going" })],
    [agent("a1", "Ada"), agent("a3", "Cleo"), agent("a2", "Ben"), agent("a4", "Gone", { deleted_at: "x" })],
  );

  it("is each team that stays, and each agent that is in none", () => {
    expect(all.map(({ key }) => key)).toStrictEqual(["team:t1", "team:t2", "agent:a3"]);
  });

  it("is the one that worked last, until a person chooses", () => {
    expect(whoIs(all, undefined, undefined)?.name).toBe("One");
    expect(whoIs(all, undefined, { team_id: "t2" })?.name).toBe("Two");
    expect(whoIs(all, undefined, { agent_id: "a3" })?.name).toBe("Cleo");
    expect(whoIs(all, "team:t1", { team_id: "t2" })?.name).toBe("One");
    expect(whoIs(all, "team:gone", undefined)?.name).toBe("One");
    expect(whoIs([], "team:t1", undefined)).toBeUndefined();
  });
});
