// What people do with a run at work: they speak to it, pause it, fork it with changes, and find their way in its timeline.
import { axe, axeBoth, choose, hasFocus, settled, shot, shotBoth } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { makeCall, makeRun, makeStep } from "../mock/runs.ts";
import { expect, type Mock, test } from "./fixtures.ts";

/** A run whose first step is at work. */
function atWork(mock: Mock) {
  const run = makeRun(mock.state);
  run.steps.push(makeStep(run, "planner"));
  mock.state.runs.list.unshift(run);
  mock.state.runs.calls.set(run.id, []);
  return run;
}

test.describe("a run at work", () => {
  for (const width of [1440, 390])
    test(`hears a message, pauses and goes on (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 900 });
      const run = atWork(mock);
      await page.goto(`${mock.url}/runs/${run.id}`);
      const head = page.locator("[data-run-head]");
      await head.getByText("Planner works").waitFor();

      const box = page.getByRole("region", { name: "Messages to the agents" });
      await box.getByLabel("Message", { exact: true }).fill("Use tabs, not spaces.");
      await choose(box.getByLabel("For"), { label: "Planner" });
      await box.getByRole("button", { name: "Send" }).click();
      await box.getByText("Not read yet").waitFor();
      const [said] = mock.state.runs.messages.get(run.id)!;
      expect(said!.agent_id).toBe(run.graph.nodes[0]!.attributes!.agent);
      expect(await box.getByLabel("Message", { exact: true }).inputValue()).toBe("");
      said!.heard.push({ step: "planner", lap: 1, shard: 0, at: new Date().toISOString() });
      mock.state.runs.calls.set(run.id, [
        makeCall("planner", 0, "note", "Ada", {
          text: "Use tabs, not spaces.",
          message: { id: said!.id, by: "Ada" },
        }),
      ]);
      mock.hub.changed("run", run.id, 10);
      await box.getByText("Read by Planner").waitFor();

      await head.getByRole("button", { name: "Pause" }).click();
      await head.getByText("Pausing").waitFor();
      run.waits_for = { type: "pause", run: run.id };
      run.waiting_on = "The run is paused.";
      mock.hub.changed("run", run.id, 11);
      await head.getByText("Paused", { exact: true }).waitFor();
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `run-paused-${width}`);
      await head.getByRole("button", { name: "Resume" }).click();
      await head.getByText("Running").waitFor();
    });

  for (const width of [1440, 390])
    test(`one agent of it is stopped, and the page says by whom (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 900 });
      const run = atWork(mock);
      await page.goto(`${mock.url}/runs/${run.id}`);
      await page.getByRole("button", { name: "Stop Planner" }).click();
      const dialog = page.getByRole("alertdialog");
      await dialog.getByText("The other agents go on").waitFor();
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `run-stop-agent-${width}`);
      await dialog.getByRole("button", { name: "Stop this agent" }).click();
      // The name stands between marks of direction.
      const said = new RegExp(`${mock.state.user.name}.? stopped this agent`, "u");
      await page.getByText(said).first().waitFor();
      // In the panel of the agent, and in the list of the steps.
      await expect.poll(() => page.getByText(said).count()).toBe(2);
      expect(await page.getByRole("button", { name: "Stop Planner" }).count()).toBe(0);
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `run-agent-stopped-${width}`);
    });

  test("what was typed stays when the message is refused", async ({ visit }) => {
    const { mock, page } = await visit();
    const run = atWork(mock);
    await page.goto(`${mock.url}/runs/${run.id}`);
    const box = page.getByRole("region", { name: "Messages to the agents" });
    await box.getByLabel("Message", { exact: true }).fill("Use tabs.");
    const detail = "The run has ended. Fork it from one of its steps, and change what its agents hear there.";
    mock.state.failNext.set(
      `POST /api/topology-runs/${run.id}/messages`,
      new Refusal(409, "conflict", "This conflicts with the present state", { detail }),
    );
    await page.keyboard.press("Control+Enter");
    await box.getByText("Fork it from one of its steps").waitFor();
    expect(await box.getByLabel("Message", { exact: true }).inputValue()).toBe("Use tabs.");
  });

  test("a viewer reads the messages and sends none", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.role = "viewer";
    const run = atWork(mock);
    mock.state.runs.messages.set(run.id, [
      {
        id: run.id,
        run_id: run.id,
        text: "Use tabs.",
        by: mock.state.user,
        created_at: new Date().toISOString(),
        heard: [],
      },
    ]);
    await page.goto(`${mock.url}/runs/${run.id}`);
    const box = page.getByRole("region", { name: "Messages to the agents" });
    await box.getByText("Use tabs.").waitFor();
    expect(await box.getByRole("button", { name: "Send" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Pause" }).count()).toBe(0);
  });

  test("the page follows who works until one scrolls", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1280, height: 600 });
    const run = atWork(mock);
    await page.goto(`${mock.url}/runs/${run.id}`);
    const follow = page.getByRole("button", { name: "Follow" });
    await expect(follow).toHaveAttribute("aria-pressed", "true");
    await expect(page.locator("#agent-planner")).toBeInViewport();
    run.steps[0]!.status = "done";
    run.steps[0]!.ended_at = new Date().toISOString();
    run.steps.push(makeStep(run, "coder"));
    mock.hub.changed("run", run.id, 12);
    await expect(page.locator("#agent-coder")).toBeInViewport();
    await page.mouse.move(600, 400);
    await page.mouse.wheel(0, -5000);
    await expect(follow).toHaveAttribute("aria-pressed", "false");
  });

  test("following goes on while the page grows, and ends with a scroll that is no wheel or key", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ width: 1280, height: 600 });
    const run = atWork(mock);
    // The way of a reader: from a list that was scrolled.
    for (let n = 0; n < 40; n += 1) mock.state.runs.list.push(makeRun(mock.state, { title: `Other ${n}` }));
    run.title = "Last of the list";
    mock.state.runs.list.push(...mock.state.runs.list.splice(0, 1));
    await page.goto(`${mock.url}/runs`);
    await page.getByRole("link", { name: run.title }).click();
    const follow = page.getByRole("button", { name: "Follow" });
    await expect(page.locator("#agent-planner")).toBeInViewport();
    await settled(page);
    await expect(follow).toHaveAttribute("aria-pressed", "true");

    // Something above the agent grows, and the browser keeps the agent where it is.
    const at = () => page.evaluate(() => window.scrollY);
    const before = await at();
    await page.locator("[data-run-head]").evaluate((head) => {
      const more = document.createElement("p");
      more.style.height = "700px";
      head.after(more);
    });
    await expect.poll(at, { message: "the browser moves the page itself" }).toBeGreaterThan(before + 600);
    await settled(page);
    await expect(page.locator("#agent-planner")).toBeInViewport();
    await expect(follow).toHaveAttribute("aria-pressed", "true");

    // What a dragged scroll bar does.
    await page.evaluate(() => window.scrollTo({ top: 300 }));
    await expect(follow).toHaveAttribute("aria-pressed", "false");
    run.steps[0]!.status = "done";
    run.steps.push(makeStep(run, "coder"));
    mock.hub.changed("run", run.id, 12);
    await page.locator("[data-run-state]").getByText("Coder works").waitFor();
    expect(await at(), "the page stays where the reader put it").toBe(300);

    await follow.click();
    await expect(page.locator("#agent-coder")).toBeInViewport();
    await settled(page);
    await expect(follow).toHaveAttribute("aria-pressed", "true");
    await page.evaluate(() => (document.scrollingElement!.scrollTop = 0));
    await expect(follow).toHaveAttribute("aria-pressed", "false");
  });
});

test.describe("a run that is over", () => {
  test("is forked with another goal, model, instructions and message, and both runs lead to each other", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const [run] = mock.state.runs.list;
    await page.goto(`${mock.url}/runs/${run!.id}`);
    const head = page.locator("[data-run-head]");
    await head.getByRole("button", { name: "Fork" }).click();
    const dialog = page.getByRole("dialog");
    await choose(dialog.getByLabel("Begin again at"), { index: 0 });
    await dialog.getByLabel("Goal").fill("Write a poem.");
    await choose(dialog.getByLabel("Model of the agents"), { index: 1 });
    await dialog.getByLabel(/^Instructions of/).fill("You rhyme.");
    await dialog.getByLabel("Say to the agents").fill("Be short.");
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "run-fork-changed");
    await dialog.getByRole("button", { name: "Fork", exact: true }).click();
    await head.getByText("Forked from another run").waitFor();
    expect(mock.state.forked).toMatchObject({
      goal: "Write a poem.",
      instructions: "You rhyme.",
      message: "Be short.",
    });
    expect(mock.state.forked!.model).toBeTruthy();
    await head.getByRole("link", { name: /Forked from/u }).click();
    await head.getByRole("link", { name: /^Fork:/u }).waitFor();
  });

  test("is run again with its goal, and exported", async ({ visit }) => {
    const { mock, page } = await visit();
    const [run] = mock.state.runs.list;
    run!.team_id = mock.state.teams.list[0]!.id;
    for (const node of run!.graph.nodes) node.attributes = { ...node.attributes, model: "scripted" };
    await page.goto(`${mock.url}/runs/${run!.id}`);
    const head = page.locator("[data-run-head]");
    const saved = page.waitForEvent("download");
    await head.getByRole("button", { name: "Export" }).click();
    expect((await saved).suggestedFilename()).toBe(`run-${run!.id}.json`);
    await head.getByRole("button", { name: "Run again" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(run!.id));
    expect(mock.state.teams.goal).toMatchObject({ input: run!.input, model: "scripted" });
  });

  test("its timeline says what each bar is, leads to it, and can be enlarged", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440, height: 900 });
    const [run] = mock.state.runs.list;
    await page.goto(`${mock.url}/runs/${run!.id}`);
    const timeline = page.getByRole("region", { name: "Timeline" });
    const bar = timeline.locator("[data-bar]").first();
    await bar.focus();
    await timeline.locator("[data-tip]").waitFor();
    await shot(page, "run-timeline-tip");
    const narrow = (await timeline.locator("[data-lane]").first().boundingBox())!.width;
    await timeline.getByRole("button", { name: "Zoom in" }).click();
    const wide = (await timeline.locator("[data-lane]").first().boundingBox())!.width;
    expect(wide).toBeGreaterThan(narrow * 1.9);
    expect(await axe(page)).toStrictEqual([]);
    await timeline.getByRole("button", { name: "Zoom out" }).click();
    await bar.press("Enter");
    await page.locator("[data-reached]").waitFor();
  });

  for (const width of [390, 1440])
    test(`a bar leads to the entry of its lap, and the head stays in sight (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 844 });
      const [run] = mock.state.runs.list;
      const calls = mock.state.runs.calls.get(run!.id)!;
      const step = run!.steps.find(({ key }) => calls.some((call) => call.step === key))!;
      const laps = [1, 2, 3].map((lap) => ({ ...step, lap }));
      run!.steps.splice(run!.steps.indexOf(step), 1, ...laps);
      const own = calls.filter((call) => call.step === step.key);
      for (const lap of [2, 3])
        calls.push(
          ...own.map((call) => ({
            ...call,
            lap,
            content: { ...call.content, text: `Text of lap ${lap}` },
          })),
        );
      await page.goto(`${mock.url}/runs/${run!.id}`);
      const timeline = page.getByRole("region", { name: "Timeline" });
      await timeline.locator("[data-call]").first().waitFor({ state: "attached" });
      for (const lap of [2, 3]) {
        const bar = timeline.getByRole("button", { name: new RegExp(`lap ${lap}`) });
        await bar.press("Enter");
        const entry = page.locator("[data-at]");
        await hasFocus(entry);
        await expect(entry).toContainText(`Text of lap ${lap}`);
        await expect(entry).toBeInViewport();
      }
      await settled(page);
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `run-lap-${width}`);
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      await settled(page);
      const part = page.locator(width === 390 ? "[data-run-state]" : "[data-run-head]");
      const box = (await part.boundingBox())!;
      const bar = (await page.locator("header", { has: page.getByLabel("Breadcrumbs") }).boundingBox())!;
      expect(Math.abs(box.y - bar.height)).toBeLessThan(2);
      expect(box.y + box.height).toBeLessThan(844 / 4);
      await shotBoth(page, `run-scrolled-${width}`);
    });
});
