// Settings: appearance and keys of this browser, name and end of the workspace, rights that are missing.
import type { Page } from "@playwright/test";
import { axe, choose, hasFocus, shot, until } from "../kit.ts";
import { expect, test, workspace } from "./fixtures.ts";

test.describe("settings", () => {
  test("theme and density apply at once, after a reload and in each tab", async ({ visit }) => {
    const { mock, page, context } = await visit();
    const other = await context.newPage();
    await other.goto(`${mock.url}/settings`);
    await other.getByRole("heading", { name: "Settings" }).waitFor();
    await page.goto(`${mock.url}/settings`);
    await page.getByRole("radio", { name: "Light" }).check();
    await page.getByLabel("Compact").check();
    const shown = (at: Page) => at.evaluate(() => ({ ...document.documentElement.dataset }));
    expect(await shown(page)).toStrictEqual({ theme: "light", density: "compact" });
    await until("the other tab to follow", async () => (await shown(other)).density === "compact");
    await page.reload();
    await page.getByLabel("Compact").waitFor();
    expect(await shown(page)).toStrictEqual({ theme: "light", density: "compact" });
    await page.getByRole("radio", { name: "Compact", checked: true }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "settings-light");
  });

  test("a workspace is renamed, a mistake is shown at the field and an unsaved name is guarded", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/settings`);
    const name = page.getByRole("textbox", { name: "Name" });
    await name.fill("   ");
    await page.keyboard.press("Tab");
    await page.getByText("A workspace needs a name").waitFor();
    await name.fill("Ada's observatory");
    await page.getByText("Not saved yet").waitFor();
    await page.getByRole("link", { name: "Quotas" }).click();
    await page.getByRole("alertdialog").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(await name.inputValue()).toBe("Ada's observatory");
    mock.state.renameRefused = "This name is taken by the moon.";
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByText("taken by the moon").waitFor();
    mock.state.renameRefused = undefined;
    await page.getByRole("button", { name: "Rename" }).click();
    await workspace(page, "Ada's observatory").waitFor();
    await until("it to be saved", async () => (await page.getByText("Not saved yet").count()) === 0);
    await page.getByRole("link", { name: "Quotas" }).click();
    await page.getByRole("heading", { name: "Quotas" }).waitFor();
  });

  test("an operator sets the plan, and others only see it", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/settings`);
    const plan = page.getByRole("combobox", { name: "Plan" });
    await choose(plan, "free");
    await page.getByText("The new limits apply at once").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("button", { name: "Set plan" }).click();
    await page.getByText("3 of 5 agents").waitFor();
    expect(mock.state.quota.plan).toBe("free");
    mock.state.operator = false;
    await page.reload();
    await page.getByText("An operator of this deployment sets the plan").waitFor();
    expect(await plan.count()).toBe(0);
  });

  test("a workspace is deleted only with its typed name and each tab leaves it", async ({ visit }) => {
    const { mock, page, context } = await visit();
    const other = await context.newPage();
    await other.goto(`${mock.url}/claws/${mock.state.claws[0].id}`);
    await other.getByRole("heading", { name: "scribe" }).waitFor();
    await page.goto(`${mock.url}/settings`);
    await page.getByText("Its 3 agents").waitFor();
    await page.getByRole("button", { name: "Delete the workspace" }).click();
    await hasFocus(page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }));
    const act = page.getByRole("alertdialog").getByRole("button", { name: "Delete workspace" });
    expect(await act.isDisabled()).toBeTruthy();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "delete-workspace");
    await page.getByLabel("Type Ada's workshop to confirm").fill("Ada's workshop");
    await act.click();
    await workspace(page, "Observatory").waitFor();
    await other.getByRole("heading", { name: "Home" }).waitFor();
    await workspace(other, "Observatory").waitFor();
  });

  test("a person learns which right is missing and who can help, and the only workspace stays", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    mock.state.role = "viewer";
    await page.goto(`${mock.url}/settings`);
    await page
      .getByText(
        /You may not rename this workspace: .* role Admin .* yours is Viewer\. Ask \u2068Ada\u2069 or \u2068Grace/,
      )
      .waitFor();
    await page
      .getByText(/You may not delete this workspace: .* role Owner, .* Ask \u2068Ada\u2069\./)
      .waitFor();
    expect(await page.getByRole("button", { name: "Delete the workspace" }).count()).toBe(0);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "settings-viewer");
    mock.state.role = "owner";
    mock.state.people.workspaces.splice(1);
    await page.reload();
    await page.getByText("It is your only workspace").waitFor();
  });
});
