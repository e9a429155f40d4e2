// Coming in: the first run, the sign-in, and a session that ends.
import assert from "node:assert/strict";
import { axe, settled, shot, until } from "./browser-kit.mjs";

export const identityTests = (scene) => ({
  "first run: explains the one-time login, then asks for a password": () =>
    scene({ signedIn: false, ownerReady: false, full: false }, async ({ mock, page }) => {
      await page.goto(mock.url);
      await page.getByRole("heading", { name: "Where is the one-time login?" }).waitFor();
      await shot(page, "first-run");
      await page.getByRole("textbox", { name: "One-time login" }).fill(mock.state.oneTime);
      await page.keyboard.press("Enter");
      await page.getByLabel("New password").fill("short");
      await page.keyboard.press("Enter");
      await page.getByText("This one has 5").waitFor();
      await page.getByLabel("New password").fill("eleven grey geese");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "No machines yet" }).waitFor();
      assert.deepEqual(await axe(page), []);
      await shot(page, "fleet-empty");
    }),

  "sign-in: the same words for a wrong password and an unknown person, then a lock with its time": () =>
    scene({ signedIn: false }, async ({ mock, page }) => {
      await page.goto(mock.url);
      await page.getByLabel("E-mail").waitFor();
      assert.deepEqual(await axe(page), []);
      for (const [email, attempts] of [
        [mock.state.user.email, 1],
        ["nobody@example.org", 2],
      ]) {
        await page.getByLabel("E-mail").fill(email);
        await page.getByLabel("Password", { exact: true }).fill("wrong");
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        await page.getByText("That did not fit").waitFor();
        await until("the attempt to arrive", () => mock.state.attempts >= attempts);
      }
      mock.state.attempts = 9;
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("Try again in 30 s.").waitFor();
      await shot(page, "sign-in-locked");
    }),

  "an ended session is noticed by itself, and signing in returns to the same address": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/quotas`);
      await page.getByRole("heading", { name: "Running sandboxes" }).waitFor();
      // Nothing is left to be asked that could be refused.
      await settled(page);
      mock.state.sessions.clear();
      mock.hub.end();
      await page.getByText("Your session has ended").waitFor();
      await page.getByLabel("E-mail").fill(mock.state.user.email);
      await page.getByLabel("Password", { exact: true }).fill(mock.state.password);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("heading", { name: "Running sandboxes" }).waitFor();
    }),

  "sign-in: where there is an identity provider it is the first way, and keeps where one wanted to go": () =>
    scene({ signedIn: false, hosted: { name: "login.example" } }, async ({ mock, page }) => {
      await page.goto(`${mock.url}/sign-in?next=/quotas`);
      const link = page.getByRole("link", { name: "Sign in with login.example" });
      await link.waitFor();
      assert.equal(await link.getAttribute("href"), "/api/auth/oidc/start?next=%2Fquotas");
      await page.getByLabel("E-mail").waitFor();
      assert.deepEqual(await axe(page), []);
      await shot(page, "sign-in-hosted");
    }),

  "a terminal is signed in by its code, after the page has said whose it is": () =>
    scene({ hosted: { name: "login.example" } }, async ({ mock, page }) => {
      await page.goto(`${mock.url}/device#BCDF-GHJK`);
      await page.getByRole("button", { name: "Go on" }).click();
      await page.getByText("roost on desk").waitFor();
      assert.deepEqual(await axe(page), []);
      await shot(page, "terminal");
      await page.getByRole("button", { name: "Sign it in" }).click();
      await page.getByRole("heading", { name: "The terminal is signed in" }).waitFor();
      assert.deepEqual(mock.state.confirmed, ["BCDF-GHJK"]);
    }),
});
