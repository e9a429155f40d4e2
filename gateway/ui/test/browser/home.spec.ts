// The first page of a workspace: what needs a person, what runs, what was done, spend and use, and the first steps.
import type { Page } from "@playwright/test";
import { axe, axeBoth, choose, drawn, hasFocus, settled, shot, shotBoth, tryAgain } from "../kit.ts";
import { makeDoor } from "../mock/doors.ts";
import { ago } from "../mock/ids.ts";
import { makeModel } from "../mock/routes-models.ts";
import { ask, decide } from "../mock/routes-doors.ts";
import { begin } from "../mock/routes-runs.ts";
import { Refusal } from "../mock/refusal.ts";
import { makeRun } from "../mock/runs.ts";
import { makeTeam } from "../mock/teams.ts";
import { expect, test, type Mock } from "./fixtures.ts";

const section = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const rows = (page: Page, name: string) => section(page, name).getByRole("listitem");

/** A workspace at work: something of everything that the page shows. */
function atWork({ state }: Mock): void {
  const { id: team_id } = state.teams.list[0];
  state.runs.list.push(
    makeRun(state, { title: "Stream the importer", steps_done: 3, team_id }),
    makeRun(state, {
      title: "Ask first",
      steps_done: 1,
      waiting_on: "A person has to decide on the agent's request.",
      team_id,
    }),
    makeRun(state, {
      title: "Speed up the tests",
      status: "completed",
      outcome: "rejected",
      outcome_reason: "`TEST_FAIL` of the step tester.",
      created_at: ago(9000),
      started_at: ago(8950),
      ended_at: ago(8000),
      cost_microusd: 2_500_000,
      tokens_in: 900_000,
      team_id,
    }),
  );
}

async function home(page: Page, mock: Mock): Promise<void> {
  await page.goto(`${mock.url}/`);
  await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
  await settled(page);
}

test.describe("home", () => {
  for (const width of [390, 1440, 1920])
    test(`the page has its sections in order, passes axe and has no sideways scroll (${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ width, height: 900, waiting: true });
      atWork(mock);
      await home(page, mock);
      const headings = await page.locator("main h2").allTextContents();
      expect(headings).toStrictEqual(["Needs you", "Running now", "Activity", "Spend and use", "Plan"]);
      expect(await axeBoth(page)).toStrictEqual([]);
      const [scroll, client] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
      ]);
      expect(scroll).toBeLessThanOrEqual(client);
      // The workspace's name stands for its first page; where it has no room, the page's own does.
      const crumbs = page.getByRole("navigation", { name: "Breadcrumbs" }).locator("[data-crumb]");
      const seen = width === 390 ? "Home" : mock.state.people.workspaces[0].name;
      expect(await crumbs.filter({ visible: true }).allTextContents()).toStrictEqual([seen]);
      await shotBoth(page, `home-${width}`);
      await visit({ width, height: 900, full: false }).then(async (empty) => {
        empty.mock.state.models.list = [];
        await home(empty.page, empty.mock);
        expect(await axeBoth(empty.page)).toStrictEqual([]);
        await shotBoth(empty.page, `home-empty-${width}`);
      });
    });

  test("sign-in, the old address and the switch to another workspace lead where they should", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ signedIn: false, waiting: true });
    await page.goto(`${mock.url}/sign-in`);
    await page.getByLabel("E-mail").fill(mock.state.user.email);
    await page.getByLabel("Password", { exact: true }).fill(mock.state.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/");
    await page.goto(`${mock.url}/doors?q=octo`);
    await page.getByRole("heading", { name: "Approvals" }).waitFor();
    expect(page.url()).toBe(`${mock.url}/approvals?q=octo`);
  });

  test("what needs a person is said in order and each row leads to its thing", async ({ visit }) => {
    const { mock, page } = await visit({ waiting: true });
    atWork(mock);
    await home(page, mock);
    const needs = rows(page, "Needs you");
    await needs.filter({ hasText: "asks for approval" }).first().waitFor();
    const kinds = ["Approval", "Failed", "Rejected", "Offline"];
    const words = (await needs.allTextContents()).map((text) => kinds.find((kind) => text.startsWith(kind)));
    expect(words.indexOf("Approval")).toBe(0);
    expect(words.lastIndexOf("Approval")).toBeLessThan(words.indexOf("Failed"));
    expect(words.indexOf("Failed")).toBeLessThan(words.indexOf("Offline"));
    await page.getByText("attic-nas is offline").click();
    await page.getByRole("heading", { name: "attic-nas" }).waitFor();
    await page.goBack();
    await needs.filter({ hasText: "Speed up the tests" }).getByRole("link").click();
    await page.getByRole("heading", { name: "Speed up the tests" }).waitFor();
    await page.goBack();
    await section(page, "Needs you")
      .getByRole("link", { name: /asks for approval/ })
      .first()
      .click();
    await page.getByRole("heading", { name: "Request for approval" }).waitFor();
    expect(page.url()).toContain(`/approvals/${mock.state.doors[0].id}`);
  });

  test("an approval comes and goes live, and the navigation has its number on each width", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    mock.state.doors = [];
    await home(page, mock);
    const door = makeDoor(mock.state.claws[1]);
    ask(mock, door);
    const row = section(page, "Needs you").getByRole("link", { name: /mason asks for approval/ });
    await row.waitFor();
    await page.getByRole("link", { name: "Approvals 1 waiting" }).waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole("button", { name: "Open navigation" }).getByText("1").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    decide(mock, door, "deny", mock.state.user);
    await row.waitFor({ state: "detached" });
  });

  test("a run shows its progress and moves to what was done when it ends", async ({ visit }) => {
    const { mock, page } = await visit();
    await home(page, mock);
    await section(page, "Running now").getByText("No run is active.").waitFor();
    const run = begin(mock.state, { title: "Count the words", status: "running", started_at: ago(2) });
    mock.hub.changed("run", run.id, 1);
    const bar = page.getByRole("progressbar", { name: "Progress of Count the words" });
    await bar.waitFor();
    expect(await bar.getAttribute("aria-valuetext")).toBe("0 of at most 5 steps");
    Object.assign(run, { status: "completed", outcome: "accepted", steps_done: 5, ended_at: ago(0) });
    mock.hub.changed("run", run.id, 2);
    const done = rows(page, "Activity").filter({ hasText: "Count the words" });
    await done.getByText("Completed").waitFor();
    await done.getByText("Accepted").waitFor();
    await bar.waitFor({ state: "detached" });
  });

  test("a failed run that a person dismissed stays away after a reload", async ({ visit }) => {
    const { mock, page } = await visit();
    await home(page, mock);
    await page.getByRole("button", { name: "Dismiss Rename the parser" }).click();
    const row = rows(page, "Needs you").filter({ hasText: "Rename the parser" });
    await row.waitFor({ state: "detached" });
    await page.reload();
    await settled(page);
    await rows(page, "Needs you").filter({ hasText: "attic-nas" }).waitFor();
    expect(await row.count()).toBe(0);
    await rows(page, "Activity").filter({ hasText: "Rename the parser" }).waitFor();
  });

  test("the chart says a day by keyboard and shows cost, tokens and runs", async ({ visit }) => {
    const { mock, page } = await visit();
    atWork(mock);
    await home(page, mock);
    const spend = section(page, "Spend and use");
    await spend.getByRole("figure", { name: "Cost of each of the last 30 days" }).focus();
    await page.keyboard.press("End");
    await spend.getByText(/\$\d+\.\d\d, .* tokens, \d+ runs/).waitFor();
    await page.keyboard.press("Home");
    await spend.getByText(/\$0, 0 tokens, 0 runs/).waitFor();
    await spend.getByRole("button", { name: "Runs" }).click();
    await spend.getByRole("figure", { name: "Runs of each of the last 30 days" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
  });

  for (const [path, part, what] of [
    ["GET /api/doors", "Needs you", "Approvals"],
    ["GET /api/nodes/lines", "Needs you", "Machines"],
    ["GET /api/repos/connections", "Needs you", "Code hosts"],
    ["GET /api/quota", "Plan", "The plan's use"],
  ] as const)
    test(`a failure of ${path} is said in its section alone and can be tried again`, async ({ visit }) => {
      const { mock, page } = await visit();
      mock.state.failNext.set(path, new Refusal(500, "internal", "The gateway failed"));
      await page.goto(`${mock.url}/`);
      await section(page, part).getByText(`${what} could not be loaded.`).waitFor();
      await drawn(page);
      // The activity lists approvals as well, so it says the same of its own list.
      expect(await page.getByText("could not be loaded").count()).toBe(what === "Approvals" ? 2 : 1);
      await rows(page, "Activity").first().waitFor();
      expect(await axe(page)).toStrictEqual([]);
      await tryAgain(page, mock);
    });

  test("runs that cannot be loaded fail in each section that needs them", async ({ visit }) => {
    const { mock, page } = await visit();
    const path = "GET /api/topology-runs";
    mock.state.failNext.set(path, new Refusal(500, "internal", "The gateway failed"));
    await page.goto(`${mock.url}/`);
    for (const [part, what] of [
      ["Needs you", "Runs that failed"],
      ["Running now", "Active runs"],
      ["Activity", "Runs"],
      ["Spend and use", "Spend and use"],
    ])
      await section(page, part).getByText(`${what} could not be loaded.`).waitFor();
    await drawn(page);
    expect(await page.getByText("could not be loaded").count()).toBe(4);
    // The machines are there all the same.
    await rows(page, "Needs you").filter({ hasText: "attic-nas" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "home-failed");
    await tryAgain(page, mock);
  });

  test("the first steps tick themselves on an empty workspace and can be hidden", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    mock.state.models.list = [];
    await home(page, mock);
    const steps = section(page, "First steps");
    await steps.getByText("0 of 4 done").waitFor();
    expect(await page.locator("main h2").allTextContents()).toStrictEqual(["First steps"]);
    await steps.getByText("Needs a team").waitFor();
    mock.state.models.list.push(makeModel("openai", "gpt-large"));
    mock.hub.changed("model", mock.state.models.list[0].id, 1);
    await steps.getByText("1 of 4 done").waitFor();
    const team = makeTeam(mock.state, mock.state.templates[0], { name: "Ledger" });
    mock.state.teams.list.push(team);
    mock.hub.changed("team", team.id, 1);
    await steps.getByText("2 of 4 done").waitFor();
    await steps.getByRole("link", { name: "Connect a code host" }).focus();
    // Past the guide of the step, which stands before its button.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Ledger", exact: true }).waitFor();
    await page.goBack();
    // After the first run the page has its usual sections; what is left to do stands behind them.
    const run = begin(mock.state, { team_id: team.id, status: "running" });
    mock.hub.changed("run", run.id, 1);
    await steps.getByText("3 of 4 done").waitFor();
    await rows(page, "Running now").first().waitFor();
    await page.getByRole("button", { name: "Hide the first steps" }).click();
    await steps.waitFor({ state: "detached" });
    await page.reload();
    await settled(page);
    await rows(page, "Running now").first().waitFor();
    expect(await steps.count()).toBe(0);
  });

  test("a viewer is not offered steps that the role does not allow", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    mock.state.role = "viewer";
    mock.state.models.list = [];
    await home(page, mock);
    const steps = section(page, "First steps");
    await steps.getByText("Needs another role").first().waitFor();
    const links = await steps.getByRole("link").allTextContents();
    expect(links.filter((name) => !name.startsWith("Guide: "))).toStrictEqual([]);
    expect(await axe(page)).toStrictEqual([]);
  });
});

test.describe("navigation", () => {
  test("four groups hold the places, and the integrations are one entry with three pages", async ({
    visit,
  }) => {
    const { page } = await visit({ at: "/fleet" });
    const main = page.getByRole("navigation", { name: "Main" });
    for (const [group, first] of [
      ["Work", "Home"],
      ["Build", "Templates"],
      ["Infrastructure", "Fleet"],
      ["Administration", "Members"],
    ])
      await main.getByRole("list", { name: group }).getByRole("link", { name: first }).waitFor();
    expect(await main.getByRole("list").count()).toBe(4);
    await main.getByRole("link", { name: "Integrations" }).click();
    const tabs = page.getByRole("navigation", { name: "Integrations" });
    await page.getByRole("heading", { name: "Apps and MCP servers" }).waitFor();
    for (const name of ["Repositories", "Mesh"]) {
      await tabs.getByRole("link", { name }).click();
      await page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();
      expect(await tabs.getByRole("link", { name }).getAttribute("aria-current")).toBe("page");
      expect(await main.getByRole("link", { name: "Integrations" }).getAttribute("aria-current")).toBe(
        "page",
      );
    }
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "integrations");
  });

  test("a workspace is found by typing and entered by keyboard", async ({ visit }) => {
    const { mock, page } = await visit();
    // A link that is half under the list would be taken for one that is too small. This page has none there.
    await page.goto(`${mock.url}/account`);
    await settled(page);
    const button = page.getByRole("button", { name: /^Workspace / });
    await button.focus();
    await page.keyboard.press("Enter");
    const list = page.getByRole("dialog", { name: "Choose a workspace" });
    await hasFocus(list.getByRole("combobox"));
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "workspaces");
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    await hasFocus(button);
    await page.keyboard.press("Enter");
    await hasFocus(list.getByRole("combobox"));
    await page.keyboard.type("observ");
    await list.getByRole("option", { name: "Observatory" }).waitFor();
    expect(await list.getByRole("option").count()).toBe(1);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Workspace Observatory" }).waitFor();
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
    expect(mock.state.workspace).toBe("w2");
  });

  test("the list of workspaces opens in the drawer of a narrow screen", async ({ visit }) => {
    const { page } = await visit({ at: "/fleet", width: 390, height: 800 });
    await page.getByRole("button", { name: "Open navigation" }).click();
    const drawer = page.getByRole("dialog", { name: "Navigation" });
    await drawer.getByRole("button", { name: /^Workspace / }).click();
    await page.getByRole("option", { name: "Observatory" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "workspaces-phone");
    // Escape closes the list alone; a new workspace's dialog opens over the drawer and leads back to it.
    const list = page.getByRole("dialog", { name: "Choose a workspace" });
    await hasFocus(list.getByRole("combobox"));
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    await hasFocus(drawer.getByRole("button", { name: /^Workspace / }));
    await drawer.getByRole("button", { name: /^Workspace / }).click();
    await list.getByRole("button", { name: "New workspace" }).click();
    const made = page.getByRole("dialog", { name: "New workspace" });
    await hasFocus(made.getByLabel("Name", { exact: true }));
    expect(await axe(page)).toStrictEqual([]);
    await page.keyboard.press("Escape");
    await made.waitFor({ state: "detached" });
    await drawer.getByRole("button", { name: /^Workspace / }).click();
    await page.getByRole("option", { name: "Observatory" }).click();
    await drawer.getByRole("button", { name: "Workspace Observatory" }).waitFor();
  });

  for (const width of [1440, 390])
    test(`who fits the goal is proposed with reasons, and one click chooses (${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ width, height: 900 });
      const [template] = mock.state.templates;
      const team = makeTeam(mock.state, template, { name: "Zebra notes" });
      mock.state.teams.list.push(team);
      await home(page, mock);
      await page.getByRole("button", { name: "Give work" }).click();
      const dialog = page.getByRole("dialog");
      const fits = dialog.getByRole("region", { name: "Who fits" });
      await dialog.getByLabel("Goal").waitFor();
      expect(await fits.count(), "nothing fits an empty goal").toBe(0);
      await dialog.getByLabel("Goal").fill("Tell about zebras in the notes.");
      const row = fits.getByRole("listitem").filter({ hasText: "Zebra notes" });
      await row.getByText("Its words match").waitFor();
      await row.getByRole("button", { name: "Choose Zebra notes" }).click();
      await row.getByRole("button", { name: "Chosen Zebra notes" }).waitFor();
      expect(await dialog.getByLabel("Goal").inputValue()).toBe("Tell about zebras in the notes.");
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `home-proposed-${width}`);
      await dialog.getByRole("button", { name: "Run" }).click();
      await page.waitForURL(/\/runs\//u);
    });

  test("work is given to a team or an agent, and what is typed stays with another choice", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ width: 1440, height: 900 });
    mock.state.models.list.forEach((model) => (model.is_default = false));
    await home(page, mock);
    await page.getByRole("button", { name: "Give work" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Goal").fill("Mend the loop.");
    const who = dialog.getByLabel("Who works");
    const [team] = mock.state.teams.list;
    await choose(who, { label: team!.name });
    expect(await dialog.getByLabel("Goal").inputValue()).toBe("Mend the loop.");
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "home-give-work");
    await dialog.getByRole("button", { name: "Run" }).click();
    await page.waitForURL(/\/runs\//u);
    expect(mock.state.teams.goal!.input).toBe("Mend the loop.");
  });
});
