// Settings: appearance and keys of this browser, name and end of the workspace, rights that are missing.
import assert from "node:assert/strict";
import { axe, hasFocus, shot, until } from "./browser-kit.mjs";

export const settingsTests = (scene) => ({
  "settings: theme and density count at once and after a reload, in every tab": () =>
    scene({}, async ({ mock, page, context }) => {
      const other = await context.newPage();
      await other.goto(`${mock.url}/settings`);
      await other.getByRole("heading", { name: "Settings" }).waitFor();
      await page.goto(`${mock.url}/settings`);
      await page.getByRole("radio", { name: "Light" }).check();
      await page.getByLabel("Compact").check();
      const shown = (at) => at.evaluate(() => ({ ...document.documentElement.dataset }));
      assert.deepEqual(await shown(page), { theme: "light", density: "compact" });
      await until("the other tab to follow", async () => (await shown(other)).density === "compact");
      await page.reload();
      await page.getByLabel("Compact").waitFor();
      assert.deepEqual(await shown(page), { theme: "light", density: "compact" });
      await page.getByRole("radio", { name: "Compact", checked: true }).waitFor();
      assert.deepEqual(await axe(page), []);
      await shot(page, "settings-light");
    }),

  "settings: a workspace is renamed; a mistake is told at the field, an unsaved name is guarded": () =>
    scene({}, async ({ mock, page }) => {
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
      assert.equal(await name.inputValue(), "Ada's observatory");
      mock.state.renameRefused = "This name is taken by the moon.";
      await page.getByRole("button", { name: "Rename" }).click();
      await page.getByText("taken by the moon").waitFor();
      mock.state.renameRefused = undefined;
      await page.getByRole("button", { name: "Rename" }).click();
      await until("the name to be everywhere", async () => {
        const shown = await page
          .getByLabel("Workspace", { exact: true })
          .locator("option:checked")
          .textContent();
        return shown === "Ada's observatory" && (await page.getByText("Not saved yet").count()) === 0;
      });
      await page.getByRole("link", { name: "Quotas" }).click();
      await page.getByRole("heading", { name: "Quotas" }).waitFor();
    }),

  "settings: a workspace is deleted only with its name, and every tab leaves it": () =>
    scene({}, async ({ mock, page, context }) => {
      const other = await context.newPage();
      await other.goto(`${mock.url}/claws/${mock.state.claws[0].id}`);
      await other.getByRole("heading", { name: "scribe" }).waitFor();
      await page.goto(`${mock.url}/settings`);
      await page.getByText("Its 3 agents").waitFor();
      await page.getByRole("button", { name: "Delete the workspace" }).click();
      await hasFocus(page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }));
      const act = page.getByRole("alertdialog").getByRole("button", { name: "Delete workspace" });
      assert.ok(await act.isDisabled());
      assert.deepEqual(await axe(page), []);
      await shot(page, "delete-workspace");
      await page.getByLabel("Type Ada's workshop to confirm").fill("Ada's workshop");
      await act.click();
      const choice = (at) => at.getByLabel("Workspace", { exact: true }).locator("option:checked");
      await until("the other workspace", async () => (await choice(page).textContent()) === "Observatory");
      await until("the other tab to leave it, too", async () => other.url().endsWith("/fleet"));
      await until("its name there", async () => (await choice(other).textContent()) === "Observatory");
    }),

  "settings: who lacks a right is told which, and who can help; an only workspace stays": () =>
    scene({}, async ({ mock, page }) => {
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
      assert.equal(await page.getByRole("button", { name: "Delete the workspace" }).count(), 0);
      assert.deepEqual(await axe(page), []);
      await shot(page, "settings-viewer");
      mock.state.role = "owner";
      mock.state.people.workspaces.splice(1);
      await page.reload();
      await page.getByText("It is your only workspace").waitFor();
    }),
});
