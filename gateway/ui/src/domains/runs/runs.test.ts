import { describe, expect, it } from "vitest";
import type { Run, RunCall, RunSummary } from "~/api/runs";
import { money, stepsWord } from "~/ui/run-state";
import {
  bars,
  bodyOf,
  byLabel,
  caughtUp,
  draftOf,
  emptyDraft,
  figures,
  isWhole,
  sharesTeam,
  type Compared,
} from "./compare";
import { addDelta, screenOf, signOf, transcriptOf, type LiveTurn } from "./transcript";
import { failureWord, purposeWord, spoken, targetOf } from "./words";

const LABEL = "[demonstration: a script speaks here, no model]";
const call = (index: number, kind: "model" | "tool" | "note", content: RunCall["content"]): RunCall => ({
  step: "coder",
  lap: 1,
  shard: 0,
  index,
  kind,
  name: kind === "model" ? "scripted" : "shell",
  content,
  failed: false,
  started_at: "2030-01-01T00:00:00Z",
  ended_at: "2030-01-01T00:00:01Z",
  tokens_in: 1,
  tokens_out: 1,
  cost_microusd: 1,
});
const turns = (heard: readonly LiveTurn[], calls: RunCall[], busy = true) =>
  transcriptOf(calls, heard, busy).map((one) =>
    one.kind === "turn" ? [one.think, one.say, one.live] : one.kind === "heard" ? one.text : one.name,
  );

describe("what an agent says", () => {
  it("shows the script's line as a mark, whole or as it begins to come", () => {
    expect(spoken(`${LABEL}\nHello`)).toEqual({ text: "Hello", demonstration: true });
    expect(spoken("[demonstration: a scr").text).toBe("");
    expect(spoken("[demonstrably not]").text).toBe("[demonstrably not]");
  });
  it("stands once: what was heard gives way to what was kept, with its thoughts", () => {
    const heard = addDelta(addDelta([], "think", "Hm.", false), "say", `${LABEL}\nI look`, false);
    expect(turns(heard, [])).toEqual([["Hm.", "I look", true]]);
    const kept = call(0, "model", { text: `${LABEL}\nI look at it` });
    expect(turns(heard, [kept])).toEqual([["Hm.", "I look at it", false]]);
    const next = addDelta(heard, "say", "And now", true);
    expect(turns(next, [kept, call(1, "tool", {})])).toEqual([
      ["Hm.", "I look at it", false],
      "shell",
      ["", "And now", true],
    ]);
    expect(turns(next, [kept], false)).toHaveLength(1);
  });
  it("shows what was thought and summarised after a reload, from what was kept alone", () => {
    const thought = call(0, "model", { text: "I look.", thought: "Where is it?" });
    const note = call(1, "note", { text: "So far: nothing." });
    expect(turns([], [thought, note], false)).toEqual([
      ["Where is it?", "I look.", false],
      ["", "Older turns were summarised to fit the model's window.\n\nSo far: nothing.", false],
    ]);
  });
  it("begins another turn by thinking after words, and stays bounded", () => {
    let heard: LiveTurn[] = [];
    for (let n = 0; n < 200; n += 1)
      heard = addDelta(addDelta(heard, "say", "x".repeat(50_000), false), "think", "y", false);
    expect(heard.length).toBeLessThanOrEqual(60);
    expect(heard.every(({ say }) => say.length <= 40_000)).toBe(true);
  });
  it("takes whatever a call holds, and makes a screen of the last one", () => {
    const odd = call(0, "tool", { text: 7, arguments: "no object", exit_code: "none" });
    expect(transcriptOf([odd], [], false)[0]).toMatchObject({ text: "", target: "", exit: undefined });
    expect(targetOf("shell", { command: "ls\nrm" })).toBe("ls");
    const ran = call(1, "tool", { text: "a\n[exit code 1]", arguments: { command: "ls" }, exit_code: 1 });
    expect(screenOf(transcriptOf([odd, ran], [], false))?.lines.map(({ text }) => text)).toEqual([
      "$ ls",
      "a",
      "exit 1",
    ]);
  });
  it("gives a line of a diff no second sign", () => {
    const diff = call(1, "tool", { text: "+new\n-old\n same", arguments: { path: "a" } });
    expect(screenOf(transcriptOf([diff], [], false))?.lines.map(signOf)).toEqual(["›", "", "", ""]);
    expect(signOf({ kind: "add", text: "fn main() {" })).toBe("+");
    expect(signOf({ kind: "warn", text: "no such file" })).toBe("!");
  });
  it("calls refused only what was not started", () => {
    expect(failureWord("the tool `shell` is not offered under the profile toolfree")).toBe("refused");
    expect(failureWord("the sandbox did not run it: no such image")).toBe("refused");
    expect(failureWord("There is no file `a.txt`.")).toBe("failed");
    expect(purposeWord("verdict")).toBe("judges");
  });
  it("names the bound of a run only while it runs", () => {
    const run = { steps_done: 6, steps_most: 11 };
    expect(stepsWord({ ...run, status: "running" })).toBe("6 of at most 11 steps");
    expect(stepsWord({ ...run, status: "completed" })).toBe("6 steps");
    expect(stepsWord({ ...run, status: "failed", steps_done: 1 })).toBe("1 step");
  });
  it("writes small sums with the digits that say something", () => {
    expect([null, 0, 1530, 18_342, 2_500_000].map(money)).toEqual(["–", "$0", "$0.00153", "$0.018", "$2.50"]);
  });
});

describe("a comparison", () => {
  const whole = {
    ...emptyDraft(),
    input: " Go ",
    candidates: [
      { id: 0, team: "t1", kind: "" as const },
      { id: 1, team: "t1", kind: "single" as const },
    ],
  };
  it("sends what was chosen and nothing else", () => {
    expect(isWhole(emptyDraft())).toBe(false);
    expect(isWhole({ ...whole, input: " " })).toBe(false);
    expect(isWhole(whole)).toBe(true);
    expect(bodyOf(whole)).toEqual({
      input: "Go",
      candidates: [{ team_id: "t1" }, { team_id: "t1", topology: "single" }],
      files: { from: "own" },
    });
    expect(bodyOf({ ...whole, judge: "a", most: "0,5", title: " T " })).toMatchObject({
      judge_agent_id: "a",
      cost_ceiling_microusd: 500_000,
      title: "T",
    });
  });
  it("gives all candidates the same files, unless a person wants otherwise", () => {
    const different = {
      ...whole,
      candidates: [whole.candidates[0]!, { id: 1, team: "t2", kind: "" as const }],
    };
    expect(bodyOf(different).files).toEqual({ from: "empty" });
    expect(bodyOf({ ...different, files: "own" }).files).toEqual({ from: "own" });
    const step = { ...different, files: "step" as const };
    expect(isWhole(step)).toBe(false);
    expect(isWhole({ ...step, run: "r", step: "s" })).toBe(true);
    expect(bodyOf({ ...step, run: "r", step: "s" }).files).toEqual({ from: "step", run_id: "r", step: "s" });
  });
  it("begins with a run: its goal, its team, its limits, and the files of its first step", () => {
    const step = (key: string, snapshot_id: string | null, lap = 1) => ({
      key,
      lap,
      files: { began: { snapshot_id } },
    });
    const run = {
      id: "r",
      title: "Mend the tests",
      input: "Mend all of them",
      team_id: "t1",
      cost_ceiling_microusd: 500_000,
      limits: { turns: 7 },
      steps: [step("plan", null), step("code", "s1", 2), step("code", "s1"), step("test", "s2")],
    } as unknown as Run;
    const draft = draftOf(run);
    expect(draft).toMatchObject({
      title: "",
      input: "Mend all of them",
      most: "1",
      turns: "7",
    });
    expect(draft.candidates.map(({ team }) => team)).toEqual(["t1", ""]);
    expect([draft.files, draft.run, draft.step]).toEqual(["step", "r", "code"]);
    const bare = draftOf({ ...run, steps: [], cost_ceiling_microusd: null, limits: {}, team_id: null });
    expect([bare.files, bare.most, bare.turns, bare.candidates[0]?.team]).toEqual(["empty", "", "", ""]);
  });
  it("says when a team is selected twice", () => {
    expect(sharesTeam(whole)).toBe(true);
    expect(sharesTeam(emptyDraft())).toBe(false);
  });
  it("has no figures while nothing was counted", () => {
    const none = {
      cost_microusd: 0,
      tokens_in: 0,
      tokens_out: 0,
      steps: 0,
      took_ms: null,
    } as unknown as Compared;
    expect(figures(none)).toEqual({ took: null });
    expect(figures({ ...none, tokens_in: 2, tokens_out: 1, steps: 1 })).toEqual({
      cost: 0,
      tokens: 3,
      steps: 1,
      took: null,
    });
  });
  it("stands in the order of the letters, not in that of the lot", () => {
    const candidates = ["C", "A", "B"].map((label) => ({ label }) as Compared);
    expect(byLabel(candidates).map(({ label }) => label)).toEqual(["A", "B", "C"]);
  });
  it("shows a candidate at work with the figures of its own run", () => {
    const one = {
      label: "A",
      status: "running",
      cost_microusd: 0,
      tokens_in: 0,
      tokens_out: 0,
      steps: 0,
    } as Compared;
    const child = {
      status: "running",
      started_at: "2026-11-22T10:00:00Z",
      cost_microusd: 7,
      tokens_in: 5,
      tokens_out: 1,
      steps_done: 0,
    } as RunSummary;
    const now = Date.parse("2026-11-22T10:00:30Z");
    expect(figures(caughtUp(one, child, now))).toEqual({ cost: 7, tokens: 6, steps: 0, took: 30_000 });
    expect(caughtUp(one, undefined, now)).toBe(one);
    const over = { ...one, status: "completed", took_ms: 1 } as Compared;
    expect(caughtUp(over, child, now)).toBe(over);
  });
  it("draws bars beside the longest, and none for what is not known", () => {
    expect(bars([50, 100, null, 0])).toEqual([50, 100, undefined, 0]);
    expect(bars([0, null])).toEqual([0, undefined]);
  });
});
