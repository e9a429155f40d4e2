// What happened to an agent, a team, a machine and in the workspace: sentences with their results, in groups.
import type { Page } from "@playwright/test";
import { axe, axeBoth, drawn, settled, shot, shotBoth, tryAgain, until } from "../kit.ts";
import { makeDoor } from "../mock/doors.ts";
import { makeExec } from "../mock/exec.ts";
import { ago } from "../mock/ids.ts";
import { Refusal } from "../mock/refusal.ts";
import { makeRun } from "../mock/runs.ts";
import type { Activity } from "../mock/schema.ts";
import { makeClaw } from "../mock/state.ts";
import { agentNamed, expect, test, type Mock } from "./fixtures.ts";

const region = (page: Page) => page.getByRole("region", { name: "Activity", exact: true });
const lines = (page: Page) => region(page).locator("ol > li");
const line = (page: Page, text: string) => lines(page).filter({ hasText: text });

/** A command that an agent ran for a run, with what it wrote. */
function command(
  { state }: Mock,
  of: { owner: string; agent?: string; run?: string; step?: string; seconds: number },
  text: string,
  code: number,
  output = "",
): void {
  const { owner, agent = "mason", run, step, seconds } = of;
  const { id, name } = agentNamed(state, agent);
  const exec = makeExec(owner, ["sh", "-c", "sleep 1000"], null, {
    agent: { id, name },
    tool: "shell",
    command: text,
    created_at: ago(seconds),
    run_id: run ?? null,
    step: step ?? null,
  });
  state.execs.set(exec.id, exec);
  if (output) exec.say(output);
  exec.finish("done", code, { duration_ms: 1200 });
}

/** A run of the first team whose tests failed twice. */
function atWork(mock: Mock): string {
  const { state } = mock;
  const team = state.teams.list[0];
  team.shared_sandbox = true;
  const run = makeRun(state, {
    title: "Speed up the tests",
    status: "completed",
    outcome: "rejected",
    outcome_reason: "`TEST_FAIL` of the step tester.",
    created_at: ago(400),
    started_at: ago(399),
    ended_at: ago(100),
    cost_microusd: 2_500_000,
    team_id: team.id,
  });
  state.runs.list.push(run);
  const of = { owner: team.id, run: run.id };
  command(mock, { ...of, step: "coder#1", seconds: 300 }, "cargo build", 0, "Compiling\n");
  for (const seconds of [180, 170])
    command(mock, { ...of, step: "tester#1", seconds }, "cargo test", 101, "test stream ... FAILED\n");
  for (const n of [1, 2, 3]) command(mock, { ...of, step: "coder#1", seconds: 160 - n }, `touch ${n}`, 0);
  return team.id;
}

test.describe("activity", () => {
  test("an agent's lines say who did what, how it ended, and name none of Roost's own programs", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "mason");
    mock.state.doors = [makeDoor(agent)];
    await page.goto(`${mock.url}/claws/${agent.id}?app=activity`);
    const ends = {
      "A person ran ls /nope; exit 3": ["Exit 3", "failed"],
      "A person ran cargo bench": ["Timed out", "failed"],
      "mason ran cargo test --workspace": ["Done", "done"],
      "A person ran sleep 1000": ["Cancelled", "info"],
      "A person ran make release": ["Lost", "failed"],
      "Roost ran an internal step": ["Ended", "idle"],
      "mason read src/lib.rs": ["Done", "done"],
      "mason asked to open an issue": ["Waiting", "waiting"],
    };
    for (const [text, [word, colour]] of Object.entries(ends)) {
      const state = line(page, text).locator("span", { hasText: word }).last();
      await state.waitFor();
      expect(await state.locator("..").getAttribute("class"), text).toMatch(new RegExp(`text-${colour}`));
    }
    await page.getByText("the deadline of 600 s passed").waitFor();
    expect(await lines(page).first().locator("time").getAttribute("title")).toMatch(/\d{4}.*\d\d:\d\d:\d\d/);
    for (const path of ["?app=activity", ""]) {
      await page.goto(`${mock.url}/claws/${agent.id}${path}`);
      await page.getByText("cargo test --workspace").first().waitFor();
      await drawn(page);
      const shown = await page.locator("main").innerText();
      expect(shown, path).not.toMatch(/python3|base64|agent\.|world\.|door\.|sb_|read_file|github\.|became/);
    }
  });

  test("failures come first or alone, the address keeps it, and older lines come on demand", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "mason");
    const event = (n: number): Activity => ({
      id: `e${n}`,
      source: "event",
      at: ago(5000 + n),
      what: "placement.fallback",
      data: { agentId: agent.id, reason: n % 2 ? "node_offline" : "node_paused" },
    });
    mock.state.said = new Map([[agent.id, Array.from({ length: 70 }, (_, n) => event(n))]]);
    await page.goto(`${mock.url}/claws/${agent.id}?app=activity`);
    await line(page, "cargo test --workspace").waitFor();
    await until("a screen of lines", async () => (await lines(page).count()) === 30);
    await page.getByRole("button", { name: "Show older ones" }).click();
    await until("more lines", async () => (await lines(page).count()) === 60);
    await page.getByRole("button", { name: "Failures first" }).click();
    await until("the address to say so", () => page.url().includes("show=first"));
    await until("a failure first", async () => /Exit 3/.test((await lines(page).first().innerText()) ?? ""));
    await page.getByRole("button", { name: "Only failures" }).click();
    const failures = ["ls /nope; exit 3", "make release", "cargo bench"];
    await until("failures alone", async () => (await lines(page).count()) === failures.length);
    await page.reload();
    await until("the same after a reload", async () => (await lines(page).count()) === failures.length);
    for (const [at, text] of failures.entries())
      expect(await lines(page).nth(at).innerText()).toContain(text);
    expect(await axe(page)).toStrictEqual([]);
    // What was chosen here is still there after a look at another tab.
    await page.getByRole("tab", { name: "Sandbox" }).click();
    await page.getByLabel("Command", { exact: true }).waitFor();
    await page.getByRole("tab", { name: "Activity" }).click();
    await page.getByRole("button", { name: "Only failures", pressed: true }).waitFor();
  });

  for (const width of [390, 1440, 1920])
    test(`a team's activity is grouped by run and by command, and an output opens (${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ width, height: 900 });
      const team = atWork(mock);
      await page.goto(`${mock.url}/teams/${team}?tab=activity`);
      const run = line(page, "Speed up the tests");
      await run.getByText("Rejected", { exact: true }).waitFor();
      await run.locator("code", { hasText: "TEST_FAIL" }).waitFor();
      expect(await run.innerText()).not.toContain("`");
      const done = run.getByRole("list", { name: "What was done for this run" });
      await done.getByText("2 times").waitFor();
      await run.getByRole("button", { name: "Show all 5 lines, 1 failed" }).click();
      await until("every command", async () => (await done.locator("> li").count()) === 5);
      const failed = done.locator("> li").filter({ hasText: "cargo test" });
      await failed.getByText("Exit 101", { exact: true }).waitFor();
      await failed.getByText("tester#1").waitFor();
      await failed.getByRole("button", { name: "2 times" }).click();
      await failed.getByText("test stream ... FAILED").first().waitFor();
      await settled(page);
      expect(await axeBoth(page)).toStrictEqual([]);
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wide).toBeLessThanOrEqual(0);
      await shotBoth(page, `activity-team-${width}`);
      const agent = agentNamed(mock.state, "mason");
      await page.goto(`${mock.url}/claws/${agent.id}?app=activity`);
      await line(page, "cargo test --workspace").waitFor();
      await settled(page);
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `activity-agent-${width}`);
    });

  test("a new line waits while a person reads further down, is announced, and comes on request", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ height: 500 });
    const agent = agentNamed(mock.state, "mason");
    for (let n = 0; n < 30; n += 1)
      command(mock, { owner: agent.id, seconds: 2000 + n * 10 }, `make ${n}`, 0);
    await page.goto(`${mock.url}/claws/${agent.id}?app=activity`);
    const row = line(page, "make 12");
    await row.waitFor();
    await settled(page);
    await row.evaluate((element) => element.scrollIntoView({ block: "center" }));
    await page.mouse.move(5, 490);
    await settled(page);
    const before = await row.boundingBox();
    for (const n of [1, 2, 3]) command(mock, { owner: agent.id, seconds: 0 }, `echo fresh ${n}`, 0);
    mock.hub.emit("agent.status", { agentId: agent.id, status: "working" });
    const button = page.getByRole("status").getByRole("button", { name: "3 new" });
    await button.waitFor();
    expect(await row.boundingBox()).toStrictEqual(before);
    await button.click();
    await line(page, "echo fresh 3").waitFor();
    await until("the beginning to be seen", async () =>
      line(page, "echo fresh 3").evaluate((element) => element.getBoundingClientRect().top > 0),
    );
    await until("the announcement to go", async () => (await button.count()) === 0);
  });

  test("a new line does not move the line under the pointer", async ({ visit }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "mason");
    await page.goto(`${mock.url}/claws/${agent.id}?app=activity`);
    const row = line(page, "ls /nope; exit 3");
    await row.hover();
    const before = await row.boundingBox();
    command(mock, { owner: agent.id, seconds: 0 }, "echo fresh", 0);
    mock.hub.emit("agent.status", { agentId: agent.id, status: "working" });
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await row.boundingBox()).toStrictEqual(before);
    await page.mouse.move(2, 2);
    await line(page, "echo fresh").waitFor();
  });

  test("a team of many lists the commands of all its agents with one request", async ({ visit }) => {
    const { mock, page } = await visit();
    const { state } = mock;
    const many = Array.from({ length: 30 }, (_, n) => makeClaw(state, `worker-${n}`));
    state.claws.push(...many);
    const [team] = state.teams.list;
    Object.assign(team, {
      shared_sandbox: false,
      members: many.map(({ id, name }, n) => ({
        node: `n${n}`,
        slot: `n${n}`,
        agent_id: id,
        name,
        status: "idle" as const,
        model_binding: null,
      })),
    });
    for (const [n, { id, name }] of many.entries())
      command(mock, { owner: id, agent: name, seconds: 100 + n }, `echo from ${n}`, 0);
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/commands?")) asked.push(request.url());
    });
    await page.goto(`${mock.url}/teams/${team.id}?tab=activity`);
    for (const n of [0, 20, 29]) await line(page, `echo from ${n}`).waitFor();
    await settled(page);
    // The page asks again when its stream opens, with the same request.
    expect(new Set(asked).size).toBe(1);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "activity-many");
  });

  for (const [theme, width] of [
    ["dark", 1440],
    ["light", 390],
  ] as const)
    test(`the workspace lists commands on request, with whose sandbox they ran in (${theme}, ${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ theme, width, height: 900 });
      mock.state.execs.clear();
      const { id } = agentNamed(mock.state, "mason");
      command(mock, { owner: id, agent: "scribe", seconds: 1 }, "cargo fmt", 3);
      await page.goto(`${mock.url}/`);
      await lines(page).first().waitFor();
      const button = page.getByRole("button", { name: "Commands", exact: true });
      expect(await button.getAttribute("aria-pressed")).toBe("false");
      expect(await line(page, "cargo fmt").count()).toBe(0);
      await button.focus();
      await page.keyboard.press("Space");
      const row = line(page, "scribe ran cargo fmt in the sandbox of mason");
      await row.getByText("Exit 3").waitFor();
      await settled(page);
      expect(await axe(page)).toStrictEqual([]);
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wide).toBeLessThanOrEqual(0);
      await region(page).scrollIntoViewIfNeeded();
      await shot(page, `activity-workspace-${width}-${theme}`);
      await page.keyboard.press("Space");
      await until("the command to go", async () => (await row.count()) === 0);
    });

  test("activity skips pages that contain nothing to show", async ({ visit }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "mason");
    const frame = (n: number): Activity => ({
      id: `f${n}`,
      source: "event",
      at: ago(0),
      what: "agent.reasoning.delta",
      data: { agentId: agent.id, delta: "Hm" },
    });
    mock.state.said = new Map([[agent.id, Array.from({ length: 120 }, (_, n) => frame(n))]]);
    await page.goto(`${mock.url}/claws/${agent.id}`);
    await page.getByText("cargo test --workspace").waitFor();
    expect(await page.getByText("Nothing has happened").count()).toBe(0);
  });

  test("a list that failed is named beside those that did not, and an empty one explains itself", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "mason");
    const path = `GET /api/claws/${agent.id}/activity`;
    mock.state.failNext.set(path, new Refusal(500, "internal", "The history failed"));
    command(mock, { owner: agent.id, seconds: 5 }, "echo kept", 0);
    await page.goto(`${mock.url}/claws/${agent.id}?app=activity`);
    await page.getByText("Events and changes could not be loaded.").waitFor();
    await page.getByText("The history failed").waitFor();
    await line(page, "echo kept").waitFor();
    await tryAgain(page, mock);
    await line(page, "cargo test --workspace").waitFor();
    mock.state.operations = [];
    mock.state.execs.clear();
    await page.goto(`${mock.url}/claws/${agent.id}?app=activity&show=only`);
    await page.getByText("Nothing failed").waitFor();
    await page.getByRole("button", { name: "Show everything" }).click();
    await page.getByRole("button", { name: "Newest first", pressed: true }).waitFor();
    mock.state.role = "viewer";
    await page.reload();
    await page.getByText("Only an Admin or Owner sees who changed what.").waitFor();
    expect(await axe(page)).toStrictEqual([]);
  });
});
