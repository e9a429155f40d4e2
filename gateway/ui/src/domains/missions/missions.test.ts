import { estimateOf } from "./estimate";
import { describe, expect, it } from "vitest";
import type { Mission, MissionPhase, MissionRun, PhaseStatus } from "~/api/missions";
import type { ModelBinding } from "~/api/models";
import {
  bodyOf,
  bodyOver,
  draftOf,
  draftOfNew,
  EMPTY,
  isTouched,
  mistakesOf,
  parseDraft,
  phasesOf,
  type Draft,
} from "./draft";
import { board, columnOf, goalLine, readAsked, shown, since, sorted } from "./list";
import { pretty } from "./pretty";
import { suited } from "./suited";
import { weights } from "./weights";
import {
  addressOf,
  figuresOf,
  firstShown,
  missionRunState,
  missionState,
  phasesWord,
  progressWord,
  reasonWord,
} from "./words";

const mission = (more: Partial<Mission> = {}): Mission => ({
  id: "m1",
  title: "Faster parser",
  cost_microusd: 0,
  goal: "# Goal\n\nTwice as fast.",
  template_kind: "development",
  status: "running",
  config: {},
  runtime_kind: "standard",
  phases: [
    { id: "p1", position: 0, kind: "research", status: "completed" },
    { id: "p2", position: 1, kind: "coding", status: "running" },
  ],
  created_at: "2026-01-01T10:00:00Z",
  updated_at: "2026-01-01T10:00:00Z",
  version: 1,
  ...more,
});

const phase = (id: string, status: PhaseStatus, more: Partial<MissionPhase> = {}): MissionPhase => ({
  id,
  mission_id: "m",
  position: 0,
  kind: "research",
  status,
  attempt: 1,
  dropped_tasks: 0,
  has_card: false,
  runs: [],
  ...more,
});

describe("words of missions", () => {
  it("tells a mission that a person paused from one that needs a person", () => {
    expect(missionState({ status: "paused", status_reason: "person" }).word).toBe("Paused");
    expect(missionState({ status: "paused", status_reason: "phase_failed" }).word).toBe("Needs you");
    expect(missionState({ status: "failed", status_reason: "phase_failed" }).word).toBe("Failed");
  });
  it("prefers the gateway's own words for a reason", () => {
    expect(reasonWord(mission({ status_reason: "phase_failed", status_detail: "The tests fail." }))).toBe(
      "The tests fail.",
    );
    expect(reasonWord(mission({ status: "paused", status_reason: "person" }))).toBe("A person paused it.");
    expect(reasonWord(mission())).toBeUndefined();
  });
  it("counts a skipped phase as past", () => {
    expect(progressWord([{ status: "completed" }, { status: "skipped" }, { status: "pending" }])).toBe(
      "2 of 3 phases",
    );
    expect(progressWord([{ status: "failed" }])).toBe("0 of 1 phase");
    expect(phasesWord(mission().phases)).toBe("Research completed, Coding running");
  });
  it("shows the phase at work first, then one that failed, then the last that ended", () => {
    const at = (...phase_details: MissionPhase[]) => firstShown({ phase_details })?.id;
    expect(at(phase("a", "completed"), phase("b", "running"), phase("c", "pending"))).toBe("b");
    expect(at(phase("a", "failed"), phase("b", "pending"))).toBe("a");
    expect(at(phase("a", "completed"), phase("b", "skipped"))).toBe("b");
    expect(at(phase("a", "pending"))).toBe("a");
    expect(at()).toBeUndefined();
  });
  it("names the figures of each kind of card, and findings by severity", () => {
    expect(figuresOf({ cards_picked_up: 2, commits: 3, tests: 7, issues: 0 })).toEqual([
      ["Tasks begun", "2"],
      ["Commits", "3"],
      ["Checks and test verdicts", "7"],
      ["Failed checks and rejections", "0"],
    ]);
    expect(figuresOf({ findings: { high: 2, low: 1 } as unknown as never })).toEqual([
      ["High", "2"],
      ["Low", "1"],
    ]);
    expect(figuresOf({ findings: {} as never })).toEqual([["Findings", "0"]]);
  });
  it("follows only addresses that lead where they say", () => {
    expect(addressOf("https://example.org/a.pdf")).toBe("https://example.org/a.pdf");
    for (const text of [
      "javascript:alert(1)",
      "src/lib.rs:12",
      "https://bank.example@elsewhere.example/",
      "https://a.example/\u202Efdp",
      "http://",
    ])
      expect(addressOf(text), text).toBeUndefined();
  });
  it("has a word for a run that was deleted or paused", () => {
    const run: MissionRun = {
      run_id: "r",
      attempt: 1,
      team_id: "t",
      is_paused: true,
      cancelling: false,
      steps_done: 0,
      steps_most: 5,
      cost_microusd: 0,
    };
    expect(missionRunState(run).word).toBe("Deleted");
    expect(missionRunState({ ...run, status: "running" }).word).toBe("Paused");
    expect(missionRunState({ ...run, status: "failed" }).word).toBe("Failed");
  });
});

describe("the list of missions", () => {
  const done = mission({ id: "m2", title: "Audit", status: "failed", ended_at: "2026-01-03T00:00:00Z" });
  const draft = mission({ id: "m3", title: "box 10", status: "draft", budget_usd: 5 });
  const all = [mission({ launched_at: "2026-01-02T00:00:00Z", cost_microusd: 7 }), done, draft];
  it("takes from the address what it knows", () => {
    expect(readAsked({ q: "x", state: "ended", sort: "name", view: "board" })).toEqual({
      q: "x",
      state: "ended",
      sort: "name",
      view: "board",
    });
    expect(readAsked({ state: "lost", sort: "colour", view: "tree" })).toEqual({});
  });
  it("puts all ends into one column", () => {
    expect(columnOf({ status: "cancelled" })).toBe("ended");
    expect(columnOf({ status: "paused" })).toBe("paused");
    expect(board(all).map(([column, , rows]) => [column, rows.length])).toEqual([
      ["draft", 1],
      ["running", 1],
      ["paused", 0],
      ["ended", 1],
    ]);
  });
  it("finds words of the title and of the goal, and a state", () => {
    expect(shown(all, { q: "twice parser" }).map(({ id }) => id)).toEqual(["m1"]);
    expect(shown(all, { state: "ended" })).toEqual([done]);
  });
  it("sorts by time, name, cost and budget, and puts those without a budget last", () => {
    const by = (order: string) => sorted(all, order).map(({ id }) => id);
    expect(since(done)).toBe("2026-01-03T00:00:00Z");
    expect(by("-since")).toEqual(["m2", "m1", "m3"]);
    expect(by("since")).toEqual(["m3", "m1", "m2"]);
    expect(by("name")).toEqual(["m2", "m3", "m1"]);
    expect(by("-name")).toEqual(["m1", "m3", "m2"]);
    expect(by("-budget")[0]).toBe("m3");
    expect(by("-cost")).toEqual(["m1", "m2", "m3"]);
    expect(readAsked({ sort: "-cost" })).toEqual({ sort: "-cost" });
  });
  it("shows the first line of a goal without its signs", () => {
    expect(goalLine("\n## \n# Make it *fast*\nmore")).toBe("Make it *fast*");
    expect(goalLine("")).toBe("");
  });
});

describe("a mission that is written down", () => {
  const whole: Draft = {
    title: " Faster ",
    goal: "Twice as fast.",
    kind: "custom",
    phases: ["coding", "benchmark"],
    teams: { research: ["t9"], coding: ["t1", "t2"] },
    repo: "r1",
    base: "main",
    machine: "n1",
    model: "openai/gpt",
    budget: "2,50",
    benchmark: "make bench",
    image: "security",
    runtime: "runtime",
    program: " roost-runtime -- cat ",
  };
  it("sends what was chosen, and no team for a phase that it does not have", () => {
    expect(bodyOf(whole)).toEqual({
      template_kind: "custom",
      title: "Faster",
      goal: "Twice as fast.",
      config: {
        phases: ["coding", "benchmark"],
        phase_teams: { coding: ["t1", "t2"] },
        benchmark: { command: "make bench" },
        runtime: { image: "runtime", command: "roost-runtime -- cat" },
      },
      repo_id: "r1",
      base_ref: "main",
      runtime_kind: "local_node",
      target_node_id: "n1",
      model: "openai/gpt",
      budget_usd: 2.5,
    });
    // The image of its runtime goes before the other one.
    expect(bodyOf({ ...whole, runtime: "" }).config).toEqual({
      phases: ["coding", "benchmark"],
      phase_teams: { coding: ["t1", "t2"] },
      benchmark: { command: "make bench" },
      image: "security",
    });
    expect(bodyOf({ ...EMPTY, goal: "x", base: "main" })).toEqual({
      template_kind: "development",
      title: "x",
      goal: "x",
    });
  });
  it("keeps what the form does not show of a runtime, and drops the runtime of a mission without teams", () => {
    const runtime = { image: "old", port: 4000, command: "cat" };
    const before = {
      ...bodyOf({ ...whole, kind: "development" }),
      config: { runtime } as unknown as Record<string, never>,
    };
    const draft = draftOfNew(before);
    expect(draft).toMatchObject({ runtime: "old", program: "cat" });
    expect(bodyOver(draft, before).config).toMatchObject({ runtime });
    const line = bodyOver({ ...draft, runtime: "new", program: "cat" }, before).config;
    expect(line).toMatchObject({ runtime: { image: "new", port: 4000, command: "cat" } });
    expect(bodyOver({ ...draft, runtime: "" }, before).config ?? {}).not.toHaveProperty("runtime");
    expect(bodyOf({ ...whole, phases: ["benchmark"] }).config ?? {}).not.toHaveProperty("runtime");
  });
  it("names what is missing", () => {
    expect(Object.keys(mistakesOf(EMPTY))).toEqual(["goal", "teams"]);
    expect(mistakesOf(whole)).toEqual({});
    expect(Object.keys(mistakesOf({ ...whole, repo: "", budget: "much", phases: [] }))).toEqual([
      "phases",
      "budget",
    ]);
    expect(mistakesOf({ ...whole, repo: "" }).repo).toMatch(/need a repository/);
  });
  it("comes back from the browser as it was, without what is not of it", () => {
    expect(parseDraft(JSON.stringify(whole))).toEqual(whole);
    for (const text of [null, "", "7", "[]", "{", '{"kind":"magic","teams":7,"phases":["x"]}'])
      expect({ ...parseDraft(text), phases: [] }).toEqual({ ...EMPTY, phases: [] });
    expect(isTouched(EMPTY)).toBe(false);
    expect(isTouched(whole)).toBe(true);
  });
  it("begins again with the values of a mission", () => {
    const again = draftOf({
      ...mission({ budget_usd: 5, repo_id: "r1" }),
      config: { phase_teams: { coding: ["t1"] } },
    });
    expect(again).toMatchObject({
      kind: "development",
      teams: { research: [], coding: ["t1"] },
      budget: "5",
    });
    expect(phasesOf(again)).toEqual(["research", "coding"]);
    const own = draftOf({ ...mission(), config: { phases: ["research", "coding"] } });
    expect(own).toMatchObject({ kind: "custom", phases: ["research", "coding"] });
  });
});

describe("parts of the pages", () => {
  it("gives no phase less than a sixth of the longest", () => {
    const at = (minute: number) => new Date(minute * 60_000).toISOString();
    expect(
      weights(
        [
          { started_at: at(0), ended_at: at(60) },
          { started_at: at(60), ended_at: at(61) },
          { started_at: at(61) },
          {},
        ],
        91 * 60_000,
      ),
    ).toEqual([6, 1, 3, 1]);
    expect(weights([{}], 0)).toEqual([1]);
  });
  it("offers templates for the purpose first, and the chosen ones before all", () => {
    const template = (id: string, category: "ops" | "development" | "research") => ({
      id,
      name: `Team ${id}`,
      description: "",
      category,
    });
    const all = [template("a", "ops"), template("b", "development"), template("c", "research")];
    const ids = (purpose: "research" | "coding", words: string, chosen: string[]) =>
      suited(all, purpose, words, chosen).map(({ id }) => id);
    expect(ids("coding", "", [])).toEqual(["b", "a", "c"]);
    expect(ids("coding", "", ["c"])).toEqual(["c", "b", "a"]);
    expect(ids("research", "team research", [])).toEqual(["c"]);
  });
  it("breaks JSON into lines, and leaves everything else", () => {
    expect(pretty('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
    expect(pretty("{not json")).toBe("{not json");
    expect(pretty("plain")).toBe("plain");
  });
});

describe("the mission of a routine", () => {
  it("keeps what the form does not show", () => {
    const start = {
      template_kind: "custom" as const,
      goal: "Measure it.",
      repo_id: "r",
      config: {
        phases: ["benchmark"],
        image: "roost-agent:rust",
        security: { scanners: ["bandit"] },
        benchmark: { command: "make bench", iterations: 3 },
      } as unknown as Record<string, never>,
    };
    const draft = draftOfNew(start);
    expect(draft).toMatchObject({
      kind: "custom",
      phases: ["benchmark"],
      benchmark: "make bench",
      repo: "r",
    });
    expect(bodyOver({ ...draft, benchmark: "cargo bench" }, start).config).toStrictEqual({
      image: "roost-agent:rust",
      security: { scanners: ["bandit"] },
      phases: ["benchmark"],
      benchmark: { command: "cargo bench", iterations: 3 },
    });
    expect(bodyOver({ ...draft, benchmark: "" }, start).config).toMatchObject({
      benchmark: { iterations: 3 },
    });
    // Without a benchmark phase its settings mean nothing.
    expect(bodyOver({ ...draft, phases: ["coding"] }, start).config).not.toHaveProperty("benchmark");
  });
  it("shows the single template of a request as a team of the first phase", () => {
    const draft = draftOfNew({ template_kind: "full_cycle", team_template_id: "t" });
    expect(draft.teams).toStrictEqual({ research: ["t"], coding: [] });
    expect(bodyOver(draft, undefined).config).toStrictEqual({ phase_teams: { research: ["t"] } });
  });
});

describe("what a launch may cost", () => {
  const model = (name: string, more: object = {}) =>
    ({
      name,
      is_default: false,
      price: { input_microusd: 1_000_000, output_microusd: 10_000_000 },
      ...more,
    }) as ModelBinding;
  const past = (id: string, cost_microusd: number, more: object = {}) =>
    ({ id, template_kind: "research", status: "completed", cost_microusd, ...more }) as const;
  const used = (key: string, input_tokens: number, output_tokens: number) => ({
    key,
    name: key,
    runs: 1,
    input_tokens,
    output_tokens,
    cost_microusd: 0,
    seconds: 1,
  });
  const asked = { template_kind: "research", model: null } as const;
  const models = [model("a/one", { is_default: true }), model("b/two", { price: null })];

  it("is that of the tokens of ended missions of the same kind, at the price of its model", () => {
    const missions = [
      past("m1", 100_000),
      past("m2", 0),
      past("m3", 9_000_000, { template_kind: "security" }),
      past("m4", 9_000_000, { status: "failed" }),
    ];
    const rows = [
      used("m1", 1_000_000, 100_000),
      used("m2", 500_000, 0),
      used("m3", 9e6, 9e6),
      used("m4", 9e6, 9e6),
    ];
    expect(estimateOf(asked, missions, rows, models)).toBe(
      "$0.50 to $2.00, if it uses as many tokens as 2 ended missions of this kind, at the price of a/one. They cost $0.10.",
    );
    expect(estimateOf({ ...asked, model: "b/two" }, missions, rows, models)).toMatch(
      /^Not known: b\/two has no price/,
    );
  });

  it("is not guessed where nothing is known, and the script costs nothing", () => {
    expect(estimateOf(asked, [past("m1", 5)], [], models)).toMatch(/^Not known: no mission of this kind/);
    expect(estimateOf(asked, [], [], [])).toMatch(/^Nothing: /);
    expect(estimateOf({ ...asked, model: "scripted" }, [], [], models)).toMatch(/^Nothing: /);
  });
});
