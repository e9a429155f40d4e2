// Missions in a real Chromium: the list and the board, the way to a launch, and the page of a mission.
import type { Page } from "@playwright/test";
import { axe, choose, drawn, hasFocus, shot, until } from "../kit.ts";
import { ago } from "../mock/ids.ts";
import { makeMark, missionNamed, settle } from "../mock/missions.ts";
import { must, Refusal } from "../mock/refusal.ts";
import { expect, test } from "./fixtures.ts";

const rows = (page: Page) => page.locator("main [data-row]").count();
const fits = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
const live = (page: Page) => page.getByText("Live", { exact: true }).waitFor({ state: "attached" });

test.describe("missions", () => {
  test("without a mission the page says what one is, and leads to a new one", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/missions`);
    await page.getByText("No missions yet").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("link", { name: "New mission" }).click();
    await page.getByRole("heading", { name: "New mission" }).waitFor();
  });

  test("a viewer may read missions, and is told what is missing", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    mock.state.role = "viewer";
    await page.goto(`${mock.url}/missions`);
    await page.getByRole("link", { name: "Faster parser" }).waitFor();
    expect(await page.getByRole("link", { name: "New mission" }).count()).toBe(0);
    await page.goto(`${mock.url}/missions/new`);
    await page.getByText(/You may not create missions/).waitFor();
    await page.goto(`${mock.url}/missions/${missionNamed(mock.state, "Mend the clock").id}`);
    await page.getByText("The coding phase failed in attempt 2", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Retry phase" }).count()).toBe(0);
    await page.goto(`${mock.url}/missions/${missionNamed(mock.state, "Compare three databases").id}`);
    await page.getByText(/You may not launch missions/).waitFor();
  });

  test("the list is filtered and sorted in the address, and the board has a column for each state", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ missions: true });
    await page.goto(`${mock.url}/missions`);
    await page.getByRole("link", { name: "Faster parser" }).waitFor();
    await live(page);
    expect(await rows(page)).toBe(4);
    await page
      .getByRole("img", { name: "Research completed, Coding running, Benchmark not started" })
      .first()
      .waitFor();
    await page.getByText("Needs you").waitFor();
    await page.getByLabel("Filter by title or goal").fill("march");
    await until("one to be left", async () => (await rows(page)) === 1);
    expect(page.url()).toMatch(/q=march/);
    await page.getByLabel("Filter by title or goal").fill("nothing like it");
    await page.getByText("No mission fits the filter").waitFor();
    await page.locator("main").getByRole("button", { name: "Clear filter" }).last().click();
    await until("all to be there", async () => (await rows(page)) === 4);
    await page.getByRole("button", { name: "Budget" }).click();
    expect(page.url()).toMatch(/sort=-budget/);
    // What each has cost. One that never began has no cost.
    const row = (title: string) => page.getByRole("row").filter({ hasText: title });
    await row("Faster parser").getByRole("cell", { name: "$1.24", exact: true }).waitFor();
    expect(await row("Compare three databases").getByText("$0", { exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: "Cost" }).click();
    expect(page.url()).toMatch(/sort=-cost/);
    await until("the dearest first", async () =>
      ((await page.locator("main [data-row]").nth(1).textContent()) ?? "").includes("Read the old code"),
    );
    await page.getByRole("group", { name: "Look" }).getByRole("button", { name: "Board" }).click();
    expect(page.url()).toMatch(/view=board/);
    const card = (title: string) => page.getByRole("listitem").filter({ hasText: title });
    await card("Read the old code").getByText("Cost: $0.410", { exact: true }).waitFor();
    expect(await card("Compare three databases").getByText(/\$/).count()).toBe(0);
    const paused = page.getByRole("region", { name: "Paused" });
    await paused.getByRole("link", { name: "Mend the clock" }).waitFor();
    await page
      .getByRole("region", { name: "Ended" })
      .getByRole("link", { name: "Read the old code" })
      .waitFor();
    // A live change does not move what the pointer is on.
    await paused.hover();
    const mission = missionNamed(mock.state, "Mend the clock");
    Object.assign(mission, { status: "running", status_reason: null });
    mock.hub.changed("mission", settle(mission).id, mission.version);
    await page.getByRole("button", { name: "1 new" }).click();
    await page
      .getByRole("region", { name: "Running" })
      .getByRole("link", { name: "Mend the clock" })
      .waitFor();
  });

  test("a mission is written down, checked and launched", async ({ visit }) => {
    // The whole form is in sight: what the edge of the screen cuts would be taken for too small.
    const { mock, page } = await visit({ height: 2000 });
    const [coder, reader] = mock.state.templates;
    await page.goto(`${mock.url}/missions/new`);
    await page.getByRole("button", { name: "Create draft and check" }).click();
    await page.getByText("Say what the mission is for.").waitFor();
    await hasFocus(page.getByRole("textbox", { name: "Goal", exact: true }));
    await page.keyboard.type("# Faster parser\n\nTwice as fast.");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("heading", { name: "Faster parser" }).waitFor();
    await page.getByRole("button", { name: "Write" }).click();
    await page.getByRole("radio", { name: /^Custom/ }).check();
    await page.getByRole("button", { name: "Benchmark", exact: true }).click();
    await page.getByLabel("Benchmark command").fill("make bench");
    await choose(page.getByLabel("Image for benchmarks and scans"), "node");
    await page.getByRole("button", { name: "Move phase 2 up" }).click();
    await page.getByRole("button", { name: "Move phase 1 down" }).click();
    await page
      .getByRole("group", { name: /Research teams/ })
      .getByLabel(reader.name, { exact: true })
      .check();
    const coding = page.getByRole("group", { name: /Coding teams/ });
    await coding.getByLabel("Search coding teams").fill("plan to commit");
    await coding.getByLabel(coder.name, { exact: true }).check();
    await choose(page.getByLabel("Runs on"), mock.state.nodes[0].id);
    await page.getByText("While the machine is away, the mission waits for it").waitFor();
    await page.getByLabel("Budget, in dollars").fill("much");
    await page.getByRole("button", { name: "Create draft and check" }).click();
    await page.getByText("A benchmark and a security scan need a repository.").waitFor();
    expect(mock.state.missions.asked).toStrictEqual([]);
    expect(await axe(page)).toStrictEqual([]);
    await page.getByLabel("Budget, in dollars").fill("2,5");
    await choose(page.getByLabel("Repository", { exact: true }), mock.state.repos.repos[0].id);
    await page.getByLabel("Begin at").fill("nowhere");

    // A session that ends in the middle loses nothing of it.
    mock.state.sessions.clear();
    await page.getByRole("button", { name: "Create draft and check" }).click();
    await page.getByLabel("E-mail").fill(mock.state.user.email);
    await page.getByLabel("Password", { exact: true }).fill(mock.state.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "New mission" }).waitFor();
    expect(await page.getByRole("textbox", { name: "Goal", exact: true }).inputValue()).toBe(
      "# Faster parser\n\nTwice as fast.",
    );
    await page.getByRole("button", { name: "Create draft and check" }).click();
    await page.getByText("is no branch of the repository").waitFor();
    await hasFocus(page.getByLabel("Begin at"));
    await page.getByLabel("Begin at").fill("main");
    mock.state.missions.probes = {
      image: "node",
      scanners: ["secrets"],
      lacks: ["The image node has no scanner. The image security has bandit and semgrep."],
    };
    mock.state.missions.lacks = ["Image `rust` is not on the gateway's host."];
    await page.getByRole("button", { name: "Create draft and check" }).click();

    await page.getByRole("heading", { name: "What a launch does" }).waitFor();
    const { body } = mock.state.missions.asked.at(-1)!;
    expect(body).toStrictEqual({
      template_kind: "custom",
      title: "Faster parser",
      goal: "# Faster parser\n\nTwice as fast.",
      config: {
        phases: ["research", "coding", "benchmark"],
        phase_teams: { research: [reader.id], coding: [coder.id] },
        benchmark: { command: "make bench" },
        image: "node",
      },
      repo_id: mock.state.repos.repos[0].id,
      base_ref: "main",
      runtime_kind: "local_node",
      target_node_id: mock.state.nodes[0].id,
      budget_usd: 2.5,
    });
    await page.getByText("On the machine workshop, and nowhere else.").waitFor();
    await page.getByText("3 to 6").first().waitFor();
    await page.getByText("In the image node, with secrets").waitFor();
    await page.getByText("The image node has no scanner.").waitFor();
    const launch = page.getByRole("button", { name: "Launch", exact: true });
    await expect(launch).toBeDisabled();
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "mission-plan");
    await page.getByLabel("Launch all the same").check();
    await launch.click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    expect(mock.state.missions.moves).toStrictEqual([{ status: "running", accept_lacks: true }]);
    await page.goto(`${mock.url}/missions/new`);
    expect(await page.getByRole("textbox", { name: "Goal", exact: true }).inputValue()).toBe("");
  });

  test("a draft that cannot be launched says why, and is changed by another one", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    const mission = missionNamed(mock.state, "Compare three databases");
    mock.state.missions.blockers = ["The plan has room for 2 more agents. Ask an Owner for another plan."];
    await page.goto(`${mock.url}/missions/${mission.id}`);
    await page.getByText("This mission cannot be launched now").waitFor();
    await expect(page.getByRole("button", { name: "Launch", exact: true })).toBeDisabled();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "mission-blocked");
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await page.getByRole("heading", { name: "New mission" }).waitFor();
    expect(await page.getByLabel("Title").inputValue()).toBe("Compare three databases");
    expect(await page.getByLabel("Budget, in dollars").inputValue()).toBe("2");
    expect(mission.status).toBe("cancelled");
  });

  for (const [theme, width] of [
    ["dark", 1920],
    ["light", 1440],
    ["dark", 390],
    ["light", 390],
  ] as const)
    test(`every page of missions fits and is accessible (${theme}, ${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ theme, width, height: 900, missions: true });
      const paths = {
        list: "/missions",
        board: "/missions?view=board",
        new: "/missions/new",
        running: `/missions/${missionNamed(mock.state, "Faster parser").id}`,
        stuck: `/missions/${missionNamed(mock.state, "Mend the clock").id}`,
        draft: `/missions/${missionNamed(mock.state, "Compare three databases").id}`,
      };
      for (const [name, path] of Object.entries(paths)) {
        await page.goto(`${mock.url}${path}`);
        await drawn(page);
        expect(await fits(page), name).toBeTruthy();
        expect(await axe(page), name).toStrictEqual([]);
        await shot(page, `missions-${name}-${theme}-${width}`);
      }
    });

  test("the page of a mission follows what its phases, runs and tasks do", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    const mission = missionNamed(mock.state, "Faster parser");
    const [research, coding] = mission.phase_details;
    await page.goto(`${mock.url}/missions/${mission.id}`);
    await page.getByText("$1.24 of $5.00").waitFor();
    await live(page);
    await page.getByText("2 of 8").waitFor();
    // The steps of a run change without a change of the mission.
    coding.runs[0].steps_done = 3;
    mock.hub.changed("run", coding.runs[0].run_id, 2);
    await page.getByText("3 of 8").waitFor();
    const working = page.getByRole("region", { name: "Working" });
    const task = must(mission.tasks.find((one) => one.external_id === "INT-02"));
    task.status = "working";
    const run = must(mock.state.runs.list.find(({ id }) => id === coding.runs[0].run_id));
    task.marks.push(makeMark(run, "WORK", "coder", { at: ago(1) }));
    mock.hub.changed("mission", settle(mission).id, mission.version);
    await working.getByText("Measure it").waitFor();
    await page.getByText("1 marker was ignored").waitFor();
    await page.getByText("2 further tasks were not recorded").waitFor();

    // The first phase, by keyboard.
    await page.getByRole("button", { name: /1\. Research/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("composed from facts").waitFor();
    expect(page.url()).toContain(`phase=${research.id}`);
    await page.getByText("Insights").waitFor();
    await page.getByRole("link", { name: "https://example.org/parsing.pdf" }).waitFor();
    expect(await page.getByRole("link", { name: "javascript:alert(1)" }).count(), "it is no address").toBe(0);
    await page.getByText("Goal given to its runs").click();
    await page.getByText("This is phase 1 of 3: research.").waitFor();
    await page.getByText("Show the goal").click();
    await page.getByText("no new dependency").waitFor();

    // A marker leads to the step that wrote it.
    await page.getByRole("link", { name: "step planner" }).click();
    await hasFocus(page.locator("#agent-planner"));
    await page.getByRole("link", { name: "of a mission" }).click();
    await page.getByRole("heading", { name: "Faster parser" }).waitFor();
  });

  test("artifacts are read, and one that failed says why", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    const mission = missionNamed(mock.state, "Faster parser");
    await page.goto(`${mock.url}/missions/${mission.id}`);
    const artifacts = page.getByRole("region", { name: "Artifacts" });
    await artifacts.getByText("The broker did not answer in time. Retry the phase.").waitFor();
    await artifacts.getByRole("button", { name: "Result of Archeologists", exact: true }).click();
    await artifacts.getByRole("heading", { name: "What takes the time" }).waitFor();
    expect(page.url()).toContain("artifact=");
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await artifacts.getByRole("button", { name: "Changes of Archeologists" }).click();
    const file = artifacts.getByRole("button", { name: /src\/parse\.rs/ });
    await file.waitFor();
    await artifacts.getByText("for at in 0..length {").waitFor();
    await file.click();
    await until(
      "it to be folded",
      async () => (await artifacts.getByText("for at in 0..length {").count()) === 0,
    );
    await artifacts.getByRole("button", { name: "Measurements" }).click();
    await artifacts.getByText("Improvement", { exact: true }).waitFor();
    await artifacts.getByRole("img", { name: "Medians: before 2.4 ms, after 1.15 ms" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "measurements");
    await artifacts.getByRole("button", { name: "Findings" }).click();
    await artifacts.getByText("keys.env:1").waitFor();
    const worst = artifacts.locator("[data-severity]").first();
    expect(await worst.getAttribute("data-severity")).toBe("critical");
    await worst.getByText("New", { exact: true }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "findings");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      artifacts.getByRole("link", { name: "Download Result of Archeologists" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.md$/);
    const [report] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Report", exact: true }).click(),
    ]);
    expect(report.suggestedFilename()).toBe("mission.md");
  });

  test("a mission is paused, resumed, failed and cancelled", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    const mission = missionNamed(mock.state, "Faster parser");
    await page.goto(`${mock.url}/missions/${mission.id}`);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByText("A person paused it.").waitFor();
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    await page.getByRole("button", { name: "Cancel…" }).click();
    const asks = page.getByRole("alertdialog");
    await hasFocus(asks.getByRole("button", { name: "Keep it" }));
    await page.keyboard.press("Escape");
    await hasFocus(page.getByRole("button", { name: "Cancel…" }));
    await page.getByRole("button", { name: "Fail…" }).click();
    mock.state.failNext.set(
      `POST /api/missions/${mission.id}/status`,
      new Refusal(409, "conflict", "This conflicts with the present state", {
        detail: "The mission is completed, and cannot become failed. Its status is final.",
      }),
    );
    await asks.getByRole("button", { name: "Fail mission" }).click();
    await asks.getByText("Its status is final.").waitFor();
    mock.state.failNext.clear();
    await asks.getByRole("button", { name: "Fail mission" }).click();
    await page.getByText("A person ended it.").waitFor();
    expect(await page.getByRole("button", { name: "Cancel…" }).count()).toBe(0);
    expect(mission.status).toBe("failed");
  });

  for (const way of ["retried", "skipped"] as const)
    test(`a phase that failed is ${way}`, async ({ visit }) => {
      const { mock, page } = await visit({ missions: true });
      const mission = missionNamed(mock.state, "Mend the clock");
      await page.goto(`${mock.url}/missions/${mission.id}`);
      const stopped = page.locator("[data-stopped]");
      await stopped.getByText("The work of Rust was rejected.").waitFor();
      await page.getByText("written by openai/gpt-large").waitFor();
      expect(await page.getByRole("button", { name: "Resume" }).count(), "a phase failed").toBe(0);
      if (way === "retried") {
        await stopped.getByRole("button", { name: "Retry phase" }).click();
        await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
        expect(mission.phase_details[0]).toMatchObject({ status: "running", attempt: 3 });
      } else {
        await stopped.getByRole("button", { name: "Skip phase" }).click();
        await page.getByText("1 of 2 phases").first().waitFor();
        expect(mission.phase_details[0].status).toBe("skipped");
      }
    });

  test("a mission that waits for its machine says so", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    const mission = missionNamed(mock.state, "Faster parser");
    mission.waits_for_node = "attic-nas";
    await page.goto(`${mock.url}/missions/${mission.id}`);
    await page.getByText("Waits for the machine attic-nas.").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await page.goto(`${mock.url}/missions/no-such`);
    await page.getByRole("link", { name: "All missions" }).waitFor();
  });

  test("the first page tells of missions at work and of those that need a person", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    await page.goto(mock.url);
    const needs = page.getByRole("region", { name: "Needs you" });
    await needs.getByRole("link", { name: /Mend the clock/ }).waitFor();
    await needs.getByText("The work of Rust was rejected.").waitFor();
    const running = page.getByRole("region", { name: "Running now" });
    await running.getByRole("link", { name: "Faster parser" }).first().waitFor();
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "missions-home");
    await needs.getByRole("link", { name: /Mend the clock/ }).click();
    await page.getByRole("button", { name: "Retry phase" }).waitFor();
  });
});
