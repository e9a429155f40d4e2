// The box to give work keeps its goal, and gives it to a team that does not exist yet.
import type { Page } from "@playwright/test";
import { axe, axeBoth, choose, drawn, settled, shot, shotBoth } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { expect, test, type Mock } from "./fixtures.ts";

const GOAL = "Plan and commit the Rust parser.";

/** Opens the box on Home. */
async function box(page: Page, mock: Mock) {
  await page.goto(`${mock.url}/`);
  await settled(page);
  return again(page);
}
async function again(page: Page) {
  await page.getByRole("button", { name: "Give work" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Goal").waitFor();
  return dialog;
}

test.describe("the box to give work", () => {
  test("keeps the goal after Escape, on another page and after a reload, until it is started or cleared", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const dialog = await box(page, mock);
    await dialog.getByLabel("Goal").fill(GOAL);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await again(page);
    expect(await dialog.getByLabel("Goal").inputValue()).toBe(GOAL);
    // What was kept is looked at as what is typed.
    await dialog.getByRole("region", { name: "Who fits" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Runs" }).click();
    await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
    await page.goto(`${mock.url}/`);
    await settled(page);
    await again(page);
    expect(await dialog.getByLabel("Goal").inputValue()).toBe(GOAL);
    await dialog.getByRole("button", { name: "Clear the goal" }).click();
    await page.keyboard.press("Escape");
    await again(page);
    expect(await dialog.getByLabel("Goal").inputValue()).toBe("");
    await dialog.getByLabel("Goal").fill(GOAL);
    await dialog.getByRole("button", { name: "Run" }).click();
    await page.waitForURL(/\/runs\//u);
    await page.goto(`${mock.url}/`);
    await settled(page);
    await again(page);
    expect(await dialog.getByLabel("Goal").inputValue()).toBe("");
  });

  test("of a team keeps the goal on other tabs and pages, and the browser asks before the tab is closed", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const { id } = mock.state.teams.list[0];
    await page.goto(`${mock.url}/teams/${id}`);
    const goal = page.getByRole("textbox", { name: "Goal" });
    await goal.fill(GOAL);
    await page.getByRole("tab", { name: "Activity" }).click();
    await goal.waitFor({ state: "detached" });
    await page.getByRole("tab", { name: "Overview" }).click();
    expect(await goal.inputValue()).toBe(GOAL);
    await page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link", { name: "Teams" }).click();
    await page.getByRole("heading", { name: "Teams", exact: true }).waitFor();
    await page.goBack();
    expect(await goal.inputValue()).toBe(GOAL);
    let asked = "";
    page.once("dialog", (question) => {
      asked = question.type();
      void question.accept();
    });
    await goal.press("End");
    await page.reload();
    expect(asked).toBe("beforeunload");
    expect(await goal.inputValue()).toBe(GOAL);
  });

  for (const [theme, width] of [
    ["dark", 1440],
    ["light", 390],
  ] as const)
    test(`creates a team from a template and starts it, and says so first (${theme}, ${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ theme, width, height: 900, full: false });
      const template = mock.state.templates.find(({ name }) => name === "Rust, from plan to commit")!;
      const dialog = await box(page, mock);
      await dialog.getByLabel("Goal").fill(GOAL);
      await choose(dialog.getByLabel("Who works"), { label: `New team: ${template.name}` });
      await dialog.getByText(/^This creates the team/).waitFor();
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `give-work-template-${theme}-${width}`);
      // The team is created once, although its run has to be started twice.
      mock.state.failNext.set("POST /api/teams", new Refusal(500, "internal", "The gateway failed"));
      await dialog.getByRole("button", { name: "Create team and run" }).click();
      await dialog.getByText("The gateway failed").waitFor();
      expect(mock.state.teams.list).toHaveLength(0);
      mock.state.failNext.clear();
      await dialog.getByRole("button", { name: "Create team and run" }).click();
      await page.waitForURL(/\/runs\//u);
      expect(mock.state.teams.list.map(({ name }) => name)).toStrictEqual([template.name]);
      expect(mock.state.teams.goal!.input).toBe(GOAL);
    });

  test("does not create a second team when the run of the first one is refused", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    const dialog = await box(page, mock);
    await dialog.getByLabel("Goal").fill(GOAL);
    // The id of the team is not known before it is there, so the request is refused on its way.
    const refuse = { status: 500, contentType: "application/problem+json" };
    const body = JSON.stringify({ code: "internal", status: 500, title: "The gateway failed" });
    await page.route("**/api/teams/*/run", (route) => route.fulfill({ ...refuse, body }), { times: 1 });
    await dialog.getByRole("button", { name: "Create team and run" }).click();
    await dialog.getByText("The gateway failed").waitFor();
    expect(mock.state.teams.list).toHaveLength(1);
    // The choice is the team now, which is there.
    await dialog.getByLabel("Goal").fill(`${GOAL} Slowly.`);
    await dialog.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL(/\/runs\//u);
    expect(mock.state.teams.list).toHaveLength(1);
    expect(mock.state.teams.goal!.input).toBe(`${GOAL} Slowly.`);
  });

  test("carries the goal through the form of a new team", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440, height: 900 });
    const dialog = await box(page, mock);
    const [template] = mock.state.templates;
    await dialog.getByLabel("Goal").fill(GOAL);
    await choose(dialog.getByLabel("Who works"), { label: `New team: ${template!.name}` });
    await dialog.getByRole("link", { name: "Choose the details first" }).click();
    await page.getByLabel("Name of the team").waitFor();
    await page.getByRole("region", { name: "Goal of the new team" }).getByText(GOAL).waitFor();
    await drawn(page);
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "new-team-with-goal");
    await page.getByRole("button", { name: "Create team" }).click();
    const goal = page.getByRole("textbox", { name: "Goal" });
    await goal.waitFor();
    expect(await goal.inputValue()).toBe(GOAL);
    await drawn(page);
    await shotBoth(page, "team-with-goal");
    // It is the new team's now. Home begins anew, and so does the next new team.
    await page.goto(`${mock.url}/teams/new`);
    await page.getByRole("heading", { name: "New team" }).waitFor();
    await drawn(page);
    expect(await page.getByRole("region", { name: "Goal of the new team" }).count()).toBe(0);
    await box(page, mock);
    expect(await dialog.getByLabel("Goal").inputValue()).toBe("");
  });

  test("asks before uploaded files are lost: in the dialog, and on the way to another page", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const file = { name: "shop.tar", mimeType: "application/x-tar", buffer: Buffer.alloc(1024) };
    const dialog = await box(page, mock);
    await dialog.getByLabel("Goal").fill(GOAL);
    await dialog.locator("[data-picks=files]").setInputFiles(file);
    await dialog.getByText(/^Works on/).waitFor();
    await page.keyboard.press("Escape");
    const question = page.getByRole("alertdialog");
    await question.getByText("Close without starting the run?").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    await dialog.getByText(/^Works on/).waitFor();
    await page.keyboard.press("Escape");
    await question.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });

    await page.goto(`${mock.url}/teams/${mock.state.teams.list[0].id}`);
    await page.locator("[data-picks=files]").setInputFiles(file);
    await page.getByText(/^Works on/).waitFor();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Fleet" }).click();
    await question.getByText("Leave without starting the run?").waitFor();
    await question.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { name: "Fleet", exact: true }).waitFor();
  });

  test("offers no template to a person who may not create teams, and says what is missing", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ full: false });
    mock.state.role = "viewer";
    await page.goto(`${mock.url}/`);
    await settled(page);
    expect(await page.getByRole("button", { name: "Give work" }).count()).toBe(0);
  });
});
