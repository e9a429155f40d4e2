// Teams beside each other: put together, watched and judged, in a real Chromium.
import type { Page } from "@playwright/test";
import { axe, axeBoth, choose, drawn, settled, shot, shotBoth, tryAgain, until } from "../kit.ts";
import { ago } from "../mock/ids.ts";
import { Refusal } from "../mock/refusal.ts";
import { makeDoneRun, makeRun } from "../mock/runs.ts";
import { makeTeam } from "../mock/teams.ts";
import { agentNamed, expect, test } from "./fixtures.ts";

const fits = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

test.describe("runs: comparison", () => {
  test("a run that ended is compared with another team on the same goal", async ({ visit }) => {
    const { mock, page } = await visit();
    const [team] = mock.state.teams.list;
    const other = makeTeam(mock.state, mock.state.templates[0], { name: "Other" });
    mock.state.teams.list.push(other);
    const { run } = makeDoneRun(mock.state, { team_id: team.id, input: "Mend the tests" });
    Object.assign(run, { cost_ceiling_microusd: 2_000_000, limits: { turns: 40 } });
    mock.state.runs.list.push(run);
    await page.goto(`${mock.url}/runs/${run.id}`);
    await page.getByRole("link", { name: "Compare teams" }).click();
    await expect(page.getByRole("textbox", { name: "Goal" })).toHaveValue("Mend the tests");
    await expect(page.getByLabel("Budget, in dollars")).toHaveValue("4");
    await expect(page.getByLabel("Turn limit")).toHaveValue("40");
    await expect(page.getByRole("group", { name: "Candidate 1" }).getByLabel("Team")).toHaveAttribute(
      "data-value",
      team.id,
    );
    await choose(page.getByRole("group", { name: "Candidate 2" }).getByLabel("Team"), other.id);
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "compare-from-run");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await until("the comparison to be asked for", () => mock.state.compared !== undefined);
    expect(mock.state.compared).toMatchObject({
      input: "Mend the tests",
      candidates: [{ team_id: team.id }, { team_id: other.id }],
      cost_ceiling_microusd: 4_000_000,
      limits: { turns: 40 },
    });
  });

  for (const [theme, width] of [
    ["dark", 1280],
    ["light", 390],
  ] as const)
    test(`a team is compared with itself side by side and judged (${theme}, ${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ theme, width, height: 860 });
      const [team] = mock.state.teams.list;
      const judge = mock.state.claws[2];
      await page.goto(`${mock.url}/runs`);
      await page.getByRole("link", { name: "Compare teams" }).focus();
      await page.keyboard.press("Enter");
      await choose(page.getByRole("group", { name: "Candidate 1" }).getByLabel("Team"), team.id);
      const second = page.getByRole("group", { name: "Candidate 2" });
      await choose(second.getByLabel("Team"), team.id);
      await page.getByText("The same team is selected twice.").waitFor();
      await choose(second.getByLabel("How they work together"), "single");
      await page.getByRole("button", { name: "Add a candidate" }).click();
      await page.getByRole("button", { name: "Remove candidate 3" }).click();
      expect(await page.getByRole("button", { name: "Remove candidate 2" }).isDisabled()).toBeTruthy();
      expect(await page.getByRole("button", { name: "Compare", exact: true }).isDisabled()).toBeTruthy();
      await page.getByRole("textbox", { name: "Goal" }).fill("refused");
      await choose(page.getByLabel("Who judges"), judge.id);
      await page.getByLabel("Budget, in dollars").fill("1");
      await page.getByRole("button", { name: "Compare", exact: true }).click();
      await second.getByText("does not fit its agents").waitFor();
      expect(await axe(page)).toStrictEqual([]);
      expect(await fits(page), "it scrolls sideways").toBeTruthy();
      await shot(page, `compare-form-${width}-${theme}`);
      await page.getByRole("textbox", { name: "Goal" }).fill("Mend the tests");
      await page.getByRole("button", { name: "Compare", exact: true }).click();
      await page.getByRole("region", { name: "Comparison", exact: true }).waitFor();
      const { key, ...body } = mock.state.compared!;
      expect(key, "it carries a key").toBeTruthy();
      expect(body).toStrictEqual({
        input: "Mend the tests",
        candidates: [{ team_id: team.id }, { team_id: team.id, topology: "single" }],
        judge_agent_id: judge.id,
        cost_ceiling_microusd: 1_000_000,
        files: { from: "own" },
      });
      expect(await page.getByText("Nothing yet.").count()).toBe(2);
      await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
      await drawn(page);
      const [run] = mock.state.runs.list;
      const [b, a] = run.comparison!.candidates;
      const node = page.locator('[data-node="a"]');
      expect(await node.getByRole("link").getAttribute("href")).toMatch(new RegExp(a.run_id!));
      expect(await page.locator("[data-candidate=B]").innerText()).not.toMatch(/\b0\b/);
      Object.assign(b, { steps: 1, tokens_in: 77 });
      mock.hub.changed("run", b.run_id!, 3);
      await page.locator("[data-candidate=B]").getByText("77", { exact: true }).waitFor();
      const done = { status: "completed", tokens_in: 900, tokens_out: 100, steps: 3 };
      Object.assign(b, done, {
        took_ms: 60_000,
        cost_microusd: 40_000,
        output: "## Mended\n\nAll *four* pass.",
      });
      Object.assign(a, {
        status: "failed",
        took_ms: 15_000,
        cost_microusd: 10_000,
        error: "the model gave up",
      });
      run.comparison!.verdict = {
        best: "B",
        scores: { B: 8.5 },
        reason: "B says what it did, <b>and</b> its tests pass.",
        judged_by: judge.id,
      };
      Object.assign(run, { status: "completed", ended_at: new Date().toISOString() });
      mock.hub.changed("run", run.id, 9);
      await page.getByText(/B is the best/).waitFor();
      await page.getByRole("heading", { name: "Mended" }).waitFor();
      await page.getByText("the model gave up").waitFor();
      await page.getByText("8.5 of 10").waitFor();
      const shares = (label: string) =>
        page
          .locator(`[data-candidate=${label}] [data-share]`)
          .evaluateAll((all) => all.map((one) => one.dataset.share));
      expect(await shares("B")).toStrictEqual(["85", "100", "100", "100"]);
      expect(await shares("A"), "no score, no bar").toStrictEqual(["25", "25", "0"]);
      expect(await page.locator("main b").count()).toBe(0);
      await drawn(page);
      expect(await axe(page)).toStrictEqual([]);
      expect(await fits(page), "it scrolls sideways").toBeTruthy();
      await shot(page, `compare-${width}-${theme}`);
    });

  test("candidates stand in letter order with live figures when their runs are at work", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const [team] = mock.state.teams.list;
    const begun = {
      cost_microusd: 0,
      tokens_in: 0,
      tokens_out: 0,
      steps: 0,
      took_ms: null,
      status: "running" as const,
    };
    const children = ["B", "A"].map((label) =>
      makeRun(mock.state, { title: label, started_at: ago(19_800) }),
    );
    const run = makeRun(mock.state, {
      kind: "compare",
      origin: { type: "compare" },
      slots: ["b", "a"],
      comparison: {
        candidates: ["B", "A"].map((label, at) => ({
          ...begun,
          label,
          name: team.name,
          team_id: team.id,
          run_id: children[at].id,
        })),
      },
    });
    for (const [at, child] of children.entries()) {
      child.parent_run_id = run.id;
      child.origin = { type: "call", run: run.id, step: "ba"[at], lap: 1, shard: 0, call: 0 };
    }
    mock.state.runs.list.unshift(run, ...children);
    await page.goto(`${mock.url}/runs/${run.id}`);
    const rows = page.locator("[data-candidate]");
    await rows.first().waitFor();
    await settled(page);
    expect(await rows.evaluateAll((all) => all.map((row) => row.dataset.candidate))).toStrictEqual([
      "A",
      "B",
    ]);
    const outputs = page
      .getByRole("region", { name: "Outputs side by side" })
      .getByRole("heading", { level: 3 });
    expect((await outputs.allInnerTexts()).join()).toMatch(/^A .*,B /);
    await page
      .locator("[data-candidate=A]")
      .getByText(/^5 h 3\d min$/)
      .waitFor();
    // A turn has ended. Nothing says that the run has changed: its agent calls a tool.
    Object.assign(children[1], { tokens_in: 4000, tokens_out: 321, cost_microusd: 1_530 });
    mock.hub.emit("agent.tool.call", {
      agentId: mock.state.claws[0].id,
      tool: "shell",
      target: "cargo test",
    });
    await page.locator("[data-candidate=A]").getByText("4,321").waitFor();
    await page.locator("[data-candidate=A]").getByText("$0.00153").waitFor();
    expect(await page.locator("[data-candidate=B]").innerText()).not.toMatch(/4,321|\$/);
    await shot(page, "compare-live");
  });

  test("the page explains itself without a verdict, without a team, after a failure and for a viewer", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ width: 390 });
    const [run] = mock.state.runs.list;
    const [team] = mock.state.teams.list;
    run.comparison = {
      candidates: ["A", "B"].map((label) => ({
        label,
        name: `<i>x</i>${"long".repeat(60)}`,
        team_id: team.id,
        status: "cancelled",
        cost_microusd: 0,
        tokens_in: 0,
        tokens_out: 0,
        steps: 0,
      })),
      no_verdict: { why: "it named no candidate", text: "I cannot decide." },
    };
    await page.goto(`${mock.url}/runs/${run.id}`);
    await page.getByText("There is no verdict: it named no candidate").waitFor();
    await drawn(page);
    expect(await page.locator("main i").count()).toBe(0);
    expect(await fits(page), "it scrolls sideways").toBeTruthy();
    expect(await axe(page)).toStrictEqual([]);
    mock.state.failNext.set("GET /api/teams", new Refusal(500, "internal", "Something failed"));
    await page.goto(`${mock.url}/runs/compare`);
    await page.getByText("Something failed").waitFor();
    mock.state.teams.list = [];
    await tryAgain(page, mock);
    await page.getByText("There is no team to compare").waitFor();
    mock.state.role = "viewer";
    await page.goto(`${mock.url}/runs/compare`);
    await page.getByText(/You may not start runs/).waitFor();
    await page.goto(`${mock.url}/runs`);
    await until("the list", async () => (await page.locator("main tbody tr").count()) > 0);
    expect(await page.getByRole("link", { name: "Compare teams" }).count()).toBe(0);
  });

  test("a comparison can begin with the files of a single agent's run, and older runs come on request", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const { state } = mock;
    const [team] = state.teams.list;
    const other = makeTeam(state, state.templates[0], { name: "Other", claws: [], roles: [] });
    state.teams.list.push(other);
    const alone = { agent_id: agentNamed(state, "mason").id, origin: { type: "chat" } } as const;
    const title = "Count the words";
    state.runs.list = [makeRun(state, { title, ...alone }), makeRun(state, { title, team_id: team.id })];
    for (let n = 0; n < 60; n += 1)
      state.runs.list.push(makeRun(state, { title: `Older ${n}`, created_at: ago(1000 + n) }));
    await page.goto(`${mock.url}/runs/compare`);
    await choose(page.getByRole("group", { name: "Candidate 1" }).getByLabel("Team"), team.id);
    await choose(page.getByRole("group", { name: "Candidate 2" }).getByLabel("Team"), other.id);
    await choose(page.getByLabel("Files to begin with"), "step");
    const runs = page.getByRole("combobox", { name: "Run", exact: true });
    await page.getByRole("button", { name: "Load older runs" }).waitFor();
    await runs.click();
    await page.getByRole("option", { name: `${title}, agent mason` }).waitFor();
    await page.getByRole("option", { name: `${title}, team ${team.name}` }).waitFor();
    expect(await page.getByRole("option", { name: "Older 59" }).count()).toBe(0);
    await drawn(page);
    await shot(page, "compare-runs");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Load older runs" }).click();
    await until("all runs", async () => (await page.getByText("The newest").count()) === 0);
    expect(await axe(page)).toStrictEqual([]);
    await runs.click();
    await page.getByRole("option", { name: "Older 59" }).waitFor();
  });
});
