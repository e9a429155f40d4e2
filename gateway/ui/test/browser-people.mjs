// Members, invitations, tokens, workspaces, in a real Chromium.
import assert from "node:assert/strict";
import { axe, shot, until } from "./browser-kit.mjs";

export const peopleTests = (scene) => ({
  "members: roles change in place, the last owner stays, removing asks first": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/members`);
      await page.getByLabel("Role of Grace").selectOption("viewer");
      await until("the role to arrive", () => mock.state.people.members[1].role === "viewer");
      await page.getByLabel("Role of Ada").selectOption("admin");
      await page.getByText("This is the last Owner").waitFor();
      assert.equal(await page.getByLabel("Role of Ada").inputValue(), "owner");
      assert.deepEqual(await axe(page), []);
      await page.getByRole("button", { name: "Remove Grace" }).click();
      assert.equal(await page.evaluate(() => document.activeElement.textContent), "Cancel");
      assert.deepEqual(await axe(page), []);
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
      await until("Grace to be gone", async () => (await page.getByText("grace@example.org").count()) === 0);
    }),

  "invitations: a link is made, shown once, and withdrawn": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/members`);
      await page.getByText("None. An invitation is a link").waitFor();
      await page.getByRole("button", { name: "Invite" }).click();
      await page.getByLabel("E-mail (optional)").fill("bea@example.org");
      assert.deepEqual(await axe(page), []);
      await shot(page, "invite");
      await page.getByRole("button", { name: "Make link" }).click();
      const link = await page.getByLabel("Link").inputValue();
      assert.ok(link.startsWith(`${mock.url}/invitation#rit_`), link);
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByText("only for bea@example.org").waitFor();
      await page.getByRole("button", { name: "Withdraw" }).click();
      await page.getByText("None. An invitation is a link").waitFor();
    }),

  "an invitation's link: a stranger joins, a used link says so": () =>
    scene({ signedIn: false }, async ({ mock, page }) => {
      await page.goto(`${mock.url}/invitation#rit_known`);
      await page.getByRole("heading", { name: "Join Ada's workshop" }).waitFor();
      assert.deepEqual(await axe(page), []);
      await shot(page, "invitation");
      await page.getByLabel("Your name").fill("Bea");
      await page.getByLabel("E-mail").fill("bea@example.org");
      await page.getByLabel("Password", { exact: true }).fill("eleven grey geese");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Fleet" }).waitFor();
      await page.goto("about:blank");
      await page.goto(`${mock.url}/invitation#rit_known`);
      await page.getByText("The invitation is not good any more").waitFor();
      assert.deepEqual(await axe(page), []);
    }),

  "tokens: made, shown once, revoked": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/account`);
      await page.getByRole("button", { name: "New token" }).click();
      await page.getByLabel("What it is for").fill("nightly build");
      assert.deepEqual(await axe(page), []);
      await page.getByRole("button", { name: "Make token" }).click();
      assert.match(await page.getByLabel("Token", { exact: true }).inputValue(), /^rat_/);
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByText("Token: nightly build").waitFor();
      await page.getByRole("button", { name: "Revoke" }).click();
      await until("it to be gone", async () => (await page.getByText("Token: nightly build").count()) === 0);
    }),

  "workspaces: switching reads everything anew, a new one is switched to": () =>
    scene({}, async ({ mock, page }) => {
      const choice = page.getByLabel("Workspace", { exact: true });
      await choice.selectOption("w2");
      await until("the switch", () => mock.state.workspace === "w2");
      await page.getByRole("heading", { name: "Fleet" }).waitFor();
      await until("its name", async () => (await choice.inputValue()) === "w2");
      await page.getByRole("button", { name: "New workspace" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Third");
      assert.deepEqual(await axe(page), []);
      await page.getByRole("button", { name: "Create workspace" }).click();
      await until(
        "the third",
        async () =>
          (await choice
            .locator("option:checked")
            .textContent()
            .catch(() => "")) === "Third",
      );
    }),
});
