// Runs: their list, one while it happens and one that is over, in a real Chromium.
import type { Page } from "@playwright/test";
import { axe, axeBoth, drawn, hasFocus, settled, shot, shotBoth, tryAgain, unfold, until } from "../kit.ts";
import { ago, newId } from "../mock/ids.ts";
import { Refusal } from "../mock/refusal.ts";
import { LABEL, makeCall, makeRun, makeStep, type RunSeed } from "../mock/runs.ts";
import type { Run, RunStep } from "../mock/schema.ts";
import { makeClaw } from "../mock/state.ts";
import { expect, type Mock, test } from "./fixtures.ts";

const tone = (page: Page, node: string) => page.locator(`[data-node="${node}"]`).getAttribute("data-tone");

const panelOf = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/** A run whose first step is at work. */
function atWork(mock: Mock) {
  const run = makeRun(mock.state);
  run.steps.push(makeStep(run, "planner"));
  mock.state.runs.list.unshift(run);
  mock.state.runs.calls.set(run.id, []);
  return run;
}

const agentsOf = (run: Run): string[] => run.graph.nodes.map(({ attributes }) => attributes!.agent!);

test.describe("runs", () => {
  test("the list handles no runs, loading, failures, a filter and older runs", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    await page.goto(`${mock.url}/runs`);
    await page.getByText("No runs yet").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    for (let n = 0; n < 53; n += 1)
      mock.state.runs.list.push(
        makeRun(mock.state, { title: `Goal ${n}`, status: n % 2 ? "completed" : "queued" }),
      );
    mock.hub.changed("run", mock.state.runs.list[0].id, 1);
    await page.getByRole("link", { name: "Goal 0", exact: true }).waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByRole("link", { name: "Goal 52" }).waitFor();
    await page.getByLabel("Filter by title").fill("nothing like it");
    await page.getByText("No run fits the filter").waitFor();
    await page.getByRole("button", { name: "Clear filter" }).last().click();
    await page.getByRole("combobox", { name: "State" }).click();
    await page.getByRole("option", { name: "Completed" }).click();
    await page.getByRole("link", { name: "Goal 1", exact: true }).waitFor();
    expect(await page.getByRole("link", { name: "Goal 2", exact: true }).count()).toBe(0);
    const answer = mock.hold("GET /api/topology-runs");
    await page.goto(`${mock.url}/runs`);
    await page.getByText("Loading runs").waitFor({ state: "attached" });
    answer();
    await page.getByRole("link", { name: "Goal 1", exact: true }).waitFor();
    mock.state.failNext.set("GET /api/topology-runs", new Refusal(500, "internal", "Something failed"));
    await page.goto(`${mock.url}/runs?state=failed`);
    await page.getByText("Something failed").waitFor();
    await tryAgain(page, mock);
    await page.getByText("No run fits the filter").waitFor();
  });

  test("work that a person gave to one agent is in the list, and its parts are not", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    const [{ id: agent_id }] = (mock.state.claws = [makeClaw(mock.state, "mason")]);
    const alone: RunSeed = { agent_id, kind: "single", slots: ["agent"] };
    const chat = makeRun(mock.state, { ...alone, title: "Read the log", origin: { type: "chat" } });
    const origin = { type: "call", run: chat.id, step: "agent", call: 0, lap: 1, shard: 0 } as const;
    mock.state.runs.list.push(
      chat,
      makeRun(mock.state, { ...alone, title: "Part of it", parent_run_id: chat.id, origin }),
    );
    await page.goto(`${mock.url}/runs`);
    await page.getByRole("link", { name: "Read the log" }).waitFor();
    await page.getByRole("link", { name: "mason" }).waitFor();
    await settled(page);
    expect(await page.getByRole("link", { name: "Part of it" }).count()).toBe(0);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "runs-one-agent");
    // Each of the two lists has more than a page.
    for (let n = 0; n < 120; n += 1) {
      const own: RunSeed = n % 2 === 0 ? { ...alone, origin: { type: "chat" } } : {};
      mock.state.runs.list.push(
        makeRun(mock.state, { ...own, title: `Goal ${n}`, created_at: ago(100 + n) }),
      );
    }
    await page.reload();
    await page.getByRole("link", { name: "Goal 1", exact: true }).waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByText("121 runs", { exact: true }).waitFor();
    await page.getByRole("button", { name: "All runs" }).click();
    await page.getByRole("link", { name: "Part of it" }).waitFor();
  });

  for (const width of [1280, 390])
    test(`a run is watched while it happens (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 860 });
      const run = atWork(mock);
      const [agent] = agentsOf(run);
      await page.goto(`${mock.url}/runs/${run.id}`);
      // On a narrow screen the word that says so is in the drawer.
      await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
      await drawn(page);
      expect(await tone(page, "planner")).toBe("running");
      expect(await tone(page, "coder")).toBe("idle");
      const planner = panelOf(page, "Planner");
      await planner.getByText("Nothing said yet.").waitFor();
      const say = (text: string, channel?: "say" | "tool") =>
        mock.hub.emit(
          "agent.reasoning.delta",
          { agentId: agent, text, ...(channel && { channel }) },
          { run: run.id },
        );
      say("Which test fails? ");
      say("I do not know yet.");
      say(`${LABEL}\nI look at the `, "say");
      say("repository.", "say");
      await planner.getByText("Which test fails? I do not know yet.").waitFor();
      await planner.getByText("I look at the repository.").waitFor();
      await planner.getByText("demonstration", { exact: true }).waitFor();
      expect(await page.getByText("a script speaks here, no model").count(), "the line is no text").toBe(0);
      say('{"command":"cargo', "tool");
      mock.hub.emit(
        "agent.tool.call",
        { agentId: agent, tool: "shell", target: "cargo test", doorRequired: false },
        { run: run.id },
      );
      mock.hub.emit(
        "agent.computer.frame",
        {
          agentId: agent,
          app: "terminal",
          lines: [
            { text: "$ cargo test", kind: "cursor" },
            { text: "running 4 tests" },
            { text: "+ added", kind: "add" },
            { text: "exit 0", kind: "ok" },
            { text: "one warning", kind: "warn" },
          ],
        },
        { run: run.id },
      );
      const screen = page.getByRole("region", { name: "Screen of Planner" });
      await screen.getByText("running 4 tests").waitFor();
      expect(await screen.locator("[data-line=ok]").count()).toBe(1);
      await planner.getByText("shell cargo test").waitFor();
      await drawn(page);
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `run-live-${width}`);

      // What was heard is kept now: it stands once, with what was thought. It stays until what was kept has come.
      const answer = mock.hold("GET /api/topology-runs/{id}/calls");
      mock.state.runs.calls.set(run.id, [
        makeCall("planner", 0, "model", "scripted", {
          text: `${LABEL}\nI look at the repository.`,
          calls: [],
        }),
        makeCall("planner", 1, "tool", "shell", {
          arguments: { command: "cargo test" },
          text: "running 4 tests\n[exit code 0]",
          exit_code: 0,
        }),
      ]);
      Object.assign(run.steps[0], {
        status: "done",
        ended_at: new Date().toISOString(),
        cost_microusd: 1530,
      });
      run.steps.push(makeStep(run, "coder", { lap: 2 }));
      run.steps_done = 1;
      mock.hub.changed("run", run.id, 3);
      await until("the next one to be at work", async () => (await tone(page, "coder")) === "running");
      expect(await tone(page, "planner")).toBe("done");
      await page.locator('[data-node="coder"]').getByText("lap 2").waitFor();
      expect(await planner.getByText("I look at the repository.").count(), "it stays").toBe(1);
      answer();
      await until("what was kept to come", async () => (await page.locator("[data-call]").count()) === 2);
      await planner.getByText("exit 0").first().waitFor();
      // The part of the page that lays out Markdown may still load.
      await planner.getByText("I look at the repository.").first().waitFor();
      expect(await planner.getByText("I look at the repository.").count(), "nothing stands twice").toBe(1);
      expect(await planner.getByText("Which test fails? I do not know yet.").count()).toBe(1);
      expect(await page.locator("[data-lane]").count()).toBe(2);

      Object.assign(run, {
        status: "failed",
        error: "coder: the model is gone",
        error_code: "step-failed",
        ended_at: new Date().toISOString(),
      });
      Object.assign(run.steps[1], {
        status: "failed",
        error: "the model is gone",
        ended_at: new Date().toISOString(),
      });
      mock.hub.changed("run", run.id, 4);
      await page.getByRole("alert").getByText("A step failed and could not be retried.").waitFor();
      await page.getByRole("button", { name: "step-failed" }).waitFor();
      expect(await tone(page, "coder")).toBe("failed");
      expect(await tone(page, "tester")).toBe("idle");
    });

  test("a long title uses the width of its column and no more", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440 });
    mock.state.runs.list[0].title = "Rename the parser and its tests, then mend what breaks. ".repeat(8);
    await page.goto(`${mock.url}/runs`);
    const title = page.getByRole("link", { name: /^Rename the parser and/ });
    await title.waitFor();
    await settled(page);
    const [cell, link, sideways] = await title.evaluate((element) => [
      element.closest("th")!.clientWidth,
      element.clientWidth,
      element.closest("section")!.scrollWidth - element.closest("section")!.clientWidth,
    ]);
    expect(cell > 500, `its column is ${cell} px wide`).toBeTruthy();
    expect(cell - link <= 32, `${link} px of ${cell} are used`).toBeTruthy();
    expect(sideways).toBe(0);
    await shot(page, "runs-long-title");
  });

  test("a run names the machine that it waits for and continues when the machine returns", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const run = atWork(mock);
    const why = "The machine kitchen is not connected.";
    run.steps[0] = { ...run.steps[0], waiting_since: run.created_at, error: why };
    run.waiting_on = why;
    await page.goto(`${mock.url}/runs/${run.id}`);
    await page.locator("dl").getByText(why).waitFor();
    await panelOf(page, "Planner").getByText(why).waitFor();
    await drawn(page);
    expect(await tone(page, "planner")).toBe("waiting");
    await page
      .getByRole("row", { name: /Planner/ })
      .getByText("Waits", { exact: true })
      .waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "run-machine-away");
    delete run.waiting_on;
    run.steps[0] = makeStep({ ...run, steps: [] }, "planner");
    mock.hub.changed("run", run.id, 2);
    await until("it to work again", async () => (await tone(page, "planner")) === "running");
    // A notification outside of the page's main part still tells why it waited.
    expect(await page.locator("main").getByText(why).count()).toBe(0);
  });

  test("a finished run shows everything that was kept", async ({ visit }) => {
    const { mock, page } = await visit();
    const [run] = mock.state.runs.list;
    await page.goto(`${mock.url}/runs/${run.id}`);
    await page.getByRole("heading", { name: "Mended" }).waitFor();
    await settled(page);
    expect(await page.locator('[data-tone="done"]').count()).toBe(5);
    expect(await page.locator("[data-lane]").count()).toBe(5);
    expect(await page.locator("[data-call]").count()).toBe(15);
    expect(await page.getByText("a script speaks here, no model").count()).toBe(0);
    const planner = panelOf(page, "Planner");
    await planner.getByText("exit 101").first().waitFor();
    await planner.locator("[data-entry=tool] summary").click();
    await planner.getByRole("region", { name: "output of shell" }).getByText("left: 5400").waitFor();
    await page.getByText("$0.018").first().waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await shot(page, "run-over-foot");
    await page.getByRole("button", { name: "Tester", exact: true }).click();
    await hasFocus(page.locator("#agent-tester"));
    await page.locator("#agent-tester[data-reached]").waitFor();
  });

  test("a run is cancelled by keyboard and forked from a step", async ({ visit }) => {
    const { mock, page } = await visit();
    const run = atWork(mock);
    await page.goto(`${mock.url}/runs/${run.id}`);
    await settled(page);
    expect(await page.getByRole("button", { name: /Fork from/ }).count(), "it is not over").toBe(0);
    await page.getByRole("button", { name: "Cancel run" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("alertdialog");
    await hasFocus(dialog.getByRole("button", { name: "Keep it running" }));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Cancelling" }).waitFor();
    Object.assign(run, { status: "cancelled", ended_at: new Date().toISOString() });
    Object.assign(run.steps[0], { status: "cancelled", ended_at: new Date().toISOString() });
    mock.hub.changed("run", run.id, 9);
    await page.getByRole("button", { name: "Fork from Planner, lap 1" }).click();
    await page.getByText("This run stays as it is.").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "run-fork");
    await page.getByRole("dialog").getByRole("button", { name: "Fork", exact: true }).click();
    await page.getByText("a run, at Planner").waitFor();
    expect(mock.state.forked!.step).toBe("planner");
    expect(mock.state.forked!.key, "it carries a key").toBeTruthy();
  });

  test("a step names its files, and its fork says which ones it begins with", async ({ visit }) => {
    const { mock, page } = await visit();
    const run = makeRun(mock.state, { status: "completed", ended_at: ago(0) });
    const agent = agentsOf(run)[0];
    const files = (digest: string, snapshot: string) => ({
      at: ago(1),
      digest: digest.repeat(64),
      snapshot_id: snapshot,
    });
    const [before, after] = [newId(), newId()];
    const place = { owner_kind: "claw" as const, owner_id: agent, sandbox_id: newId(), node_id: "local" };
    run.steps.push(
      makeStep(run, "planner", {
        status: "done",
        ended_at: ago(0),
        files: { ...place, began: files("a", before), ended: files("b", after) },
        fork_files: [
          {
            owner_kind: "claw",
            owner_id: agent,
            snapshot_id: before,
            digest: "a".repeat(64),
            step: "planner#1",
          },
        ],
      }),
      makeStep(run, "coder", {
        status: "done",
        ended_at: ago(0),
        files: { ...place, began: { at: ago(1), missing: "The machine was not connected." } },
        fork_files: [
          { owner_kind: "claw", owner_id: agent, step: "coder#1", missing: "The machine was not connected." },
        ],
      }),
    );
    mock.state.runs.list.unshift(run);
    mock.state.runs.calls.set(run.id, []);
    await page.goto(`${mock.url}/runs/${run.id}`);
    const steps = panelOf(page, "Steps");
    await steps.getByText("Files: began with aaaaaaaa, ended with bbbbbbbb").waitFor();
    const link = await steps.getByRole("link", { name: "Compare" }).getAttribute("href");
    expect(link).toContain(`/claws/${agent}?`);
    expect(link).toContain(before);
    expect(link).toContain(after);
    await steps
      .getByText("Files: began with not recorded (The machine was not connected.), ended with not recorded")
      .waitFor();
    await page.getByRole("button", { name: "Fork from Coder, lap 1" }).click();
    await page.getByText("The files of coder#1 are not there").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Fork from Planner, lap 1" }).click();
    await page.getByText("begins with the files of planner#1 (aaaaaaaa)").waitFor();
    await page.getByLabel("Fork without files").check();
    await page.getByRole("dialog").getByRole("button", { name: "Fork", exact: true }).click();
    await page.getByText("a run, at Planner").waitFor();
    expect(mock.state.forked!.without_files).toBe(true);
  });

  test("a fork shows what it kept, starts its own clock and says that its team is deleted", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const [from] = mock.state.runs.list;
    const run = makeRun(mock.state, {
      status: "completed",
      forked_from: from.id,
      forked_step: "coder#1",
      created_at: ago(40),
      started_at: ago(39),
      ended_at: ago(10),
      steps_done: 2,
      team_id: "00000000-0000-7000-8000-000000000001",
    });
    const kept: Partial<RunStep> = { status: "done", started_at: ago(9000), ended_at: ago(8990) };
    run.steps.push(makeStep(run, "planner", kept));
    run.steps.push(makeStep(run, "coder", { status: "done", started_at: ago(39), ended_at: ago(10) }));
    mock.state.runs.list.unshift(run);
    await page.goto(`${mock.url}/runs/${run.id}`);
    await page.getByText("29 s in all").waitFor();
    await panelOf(page, "Planner").getByText("Kept from the run that this one was forked from").waitFor();
    const row = page.locator('[data-step="planner#1"]');
    expect(await row.innerText()).toMatch(/Kept from the run/);
    expect(await row.innerText()).not.toMatch(/0 in/);
    await unfold(page, "Run");
    await page.getByText("a run, at Coder").waitFor();
    await page.getByText("2 steps").first().waitFor();
    await page.getByText("Its team is deleted, so it cannot be forked").waitFor();
    expect(await page.getByRole("link", { name: "the team and its other runs" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: /^Fork from/ }).count()).toBe(0);
    const tester = page.locator('[data-node="tester"]');
    await tester.getByText("Not reached").waitFor();
    expect(await tester.getByRole("button").count(), "it leads nowhere").toBe(0);
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "run-forked");
  });

  test("words and screens of another run of the same agent are not shown, also while both are at work", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const run = atWork(mock);
    const [agentId] = agentsOf(run);
    await page.goto(`${mock.url}/runs/${run.id}`);
    await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
    await settled(page);
    const show = (text: string, about?: { run: string }) => {
      mock.hub.emit("agent.reasoning.delta", { agentId, text: `Said ${text}.`, channel: "say" }, about);
      const lines = [{ text: `Shown ${text}.` }];
      mock.hub.emit("agent.computer.frame", { agentId, app: "terminal", lines }, about);
    };
    show("here", { run: run.id });
    show("in another run", { run: crypto.randomUUID() });
    show("outside of runs");
    show("here again", { run: run.id });
    const planner = panelOf(page, "Planner");
    await planner.getByText("Said here.Said here again.").waitFor();
    const screen = page.getByRole("region", { name: "Screen of Planner" });
    await screen.getByText("Shown here again.").waitFor();
    expect(await page.getByText(/another run|outside of runs/).count()).toBe(0);
  });

  test("hostile texts stay text and a viewer is told about the missing right", async ({ visit }) => {
    const { mock, page } = await visit({ width: 390 });
    const [run] = mock.state.runs.list;
    const evil = "<img src=x onerror=alert(1)>\u202Egpj.exe ";
    Object.assign(run, { title: evil + "x".repeat(3000), input: evil });
    run.graph.nodes[0].label = evil.repeat(20);
    run.result!.text = `# Hi\n\n[click](javascript:alert(1)) <script>alert(1)</script> ${"word".repeat(2000)}`;
    mock.state.runs.calls.get(run.id)![1].content = {
      arguments: { command: evil.repeat(30) },
      text: "y".repeat(90_000),
      exit_code: 1,
    };
    mock.state.runs.calls.get(run.id)![0].content = { text: evil.repeat(50) };
    mock.state.role = "viewer";
    await page.goto(`${mock.url}/runs/${run.id}`);
    await page.getByText(/You may not start, cancel or fork runs/).waitFor();
    await drawn(page);
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(await page.getByRole("button", { name: /Fork from/ }).count()).toBe(0);
    const [scroll, client] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    expect(scroll <= client, `it scrolls sideways: ${scroll} > ${client}`).toBeTruthy();
    expect(await axe(page)).toStrictEqual([]);
    await page.goto(`${mock.url}/runs/00000000-0000-7000-8000-000000000000`);
    await page.getByText("There is no such run").waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    await page.getByRole("link", { name: "All runs" }).click();
    await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
  });
});
