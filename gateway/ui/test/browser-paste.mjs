// Connecting an agent with a secret that somebody has: a token of an app, or a webhook's. The secret is nowhere afterwards.
import assert from "node:assert/strict";
import { axe, drawn, hasFocus, settled, shot, uncovered, until } from "./browser-kit.mjs";
import { Refusal } from "./mock/server.mjs";

const SECRET = "ghp_canary-0123456789";
const agentOf = (mock, name) => mock.state.claws.find((one) => one.name === name);
const tab = (mock, name) => `${mock.url}/claws/${agentOf(mock, name).id}?app=apps`;
const rows = (page) => page.getByRole("region", { name: "Connected apps" }).getByRole("listitem");
const button = (page, name) => page.getByRole("button", { name, exact: true });
const dialog = (page) => page.getByRole("dialog");
const secret = (page, label = "Secret") => dialog(page).getByLabel(label, { exact: true });

async function choosing(page, way) {
  await button(page, "Connect an app").click();
  await dialog(page).getByRole("radio", { name: way }).check();
}

/** Whether a text is anywhere that outlives the dialog: the document, its fields, storage, the address, the history. */
const leftIn = (page, text) =>
  page.evaluate((text) => {
    const fields = [...document.querySelectorAll("input, textarea")].map((one) => one.value);
    const kept = [localStorage, sessionStorage].map((one) => JSON.stringify(one));
    const all = [document.documentElement.outerHTML, location.href, JSON.stringify(history.state)];
    return [...fields, ...kept, ...all].some((one) => one?.includes(text));
  }, text);

export const pasteTests = (scene, both) => ({
  ...both("paste: a webhook is connected, with its secret nowhere afterwards", (theme) =>
    scene({ theme }, async ({ mock, page }) => {
      await page.goto(tab(mock, "lookout"));
      await settled(page);
      await choosing(page, "A webhook");
      const field = secret(page);
      assert.equal(await field.getAttribute("type"), "password");
      assert.equal(await field.getAttribute("autocomplete"), "new-password");
      await dialog(page).getByText("Authorization: Bearer").waitFor();
      await dialog(page).getByLabel("Address of the webhook").fill("https://hooks.example.org/roost");
      await field.fill(`  ${SECRET}\t`);
      assert.deepEqual(await axe(page), []);
      await shot(page, `paste-webhook-${theme}`);
      const answer = mock.hold("POST /api/apps/connections");
      await button(page, "Connect").click();
      await until(
        "it to be sent",
        async () => (await button(page, "Connect").getAttribute("aria-busy")) !== null,
      );
      answer();
      await uncovered(page);
      const row = rows(page).filter({ hasText: "Webhook" });
      await row.getByText("A secret that was typed in, for hooks.example.org").waitFor();
      await row.getByText("Reaches https://hooks.example.org").waitFor();
      await row.getByText("Expiry unknown").waitFor();
      assert.deepEqual(mock.state.apps.pasted, [
        {
          clawId: agentOf(mock, "lookout").id,
          provider: "webhook",
          secret: SECRET,
          url: "https://hooks.example.org/roost",
        },
      ]);
      assert.equal(await leftIn(page, SECRET), false);
      await button(page, "Connect an app").click();
      await dialog(page).getByRole("radio", { name: "A webhook" }).check();
      assert.equal(await secret(page).inputValue(), "", "a new dialog knows nothing of it");
      assert.deepEqual(await axe(page), []);
    }),
  ),

  "paste: a token of GitHub by keyboard alone, which rights it needs, and what it replaces": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(tab(mock, "mason"));
      await settled(page);
      await button(page, "Connect an app").focus();
      await page.keyboard.press("Enter");
      await page.getByRole("radio", { name: "Sign in at an app" }).focus();
      await page.keyboard.press("ArrowRight");
      await dialog(page).getByText("read and write access to Issues and Pull requests").waitFor();
      await dialog(page)
        .getByText(/connected to GitHub already/)
        .waitFor();
      await page.keyboard.press("Tab");
      await hasFocus(page.getByLabel("App", { exact: true }));
      await page.keyboard.press("Tab");
      await hasFocus(secret(page, "Token"));
      await page.keyboard.press("Enter");
      await dialog(page).getByText("Paste the secret.").waitFor();
      await page.keyboard.type("short");
      await page.keyboard.press("Enter");
      await dialog(page).getByText("at least 8 characters").waitFor();
      assert.equal(await secret(page, "Token").getAttribute("aria-invalid"), "true");
      await page.keyboard.type(" and not one word");
      await page.keyboard.press("Enter");
      await dialog(page).getByText("It has spaces").waitFor();
      assert.deepEqual(await axe(page), []);
      await shot(page, "paste-token");
      assert.equal(mock.state.apps.asked, undefined, "nothing of it was sent");
      await secret(page, "Token").fill(SECRET);
      await page.keyboard.press("Enter");
      await uncovered(page);
      await rows(page)
        .filter({ hasText: "A secret that was typed in, for api.github.example.org" })
        .waitFor();
      assert.equal(mock.state.apps.connections.filter((one) => one.provider === "github").length, 1);
    }),

  "paste: what the gateway refuses stands at its field; any other refusal clears the secret": () =>
    scene({ width: 360, height: 800 }, async ({ mock, page }) => {
      const { apps } = mock.state;
      const go = async (refused, text) => {
        apps.refusePaste = refused;
        await secret(page).fill(SECRET);
        await button(page, "Connect").click();
        await dialog(page).getByText(text).first().waitFor();
      };
      await page.goto(tab(mock, "scribe"));
      await choosing(page, "A webhook");
      const address = dialog(page).getByLabel("Address of the webhook");
      await button(page, "Connect").click();
      await dialog(page).getByText("Type the address of the webhook").waitFor();
      await address.fill("https://ada:secret@hooks.example.org/");
      await page.keyboard.press("Tab");
      await dialog(page).getByText("it has a secret of its own").waitFor();
      await address.fill("http://10.0.0.7/hook");
      const errors = [{ pointer: "/url", detail: "leads into a private network" }];
      await go(
        new Refusal(400, "validation", "The request is not valid", { errors }),
        "leads into a private",
      );
      assert.equal(await address.getAttribute("aria-invalid"), "true");
      assert.equal(await secret(page).inputValue(), SECRET, "it stays to be sent again");
      await drawn(page);
      assert.deepEqual(await axe(page), []);
      await shot(page, "paste-refused-phone");
      await go(new Refusal(500, "internal", "Internal error"), "The secret broker did not accept it");
      await dialog(page)
        .getByText(/^req-\d+$/)
        .waitFor();
      assert.equal(await secret(page).inputValue(), "");
      await shot(page, "paste-broker-phone");
      await go(new Refusal(403, "forbidden", "This is not allowed"), "does not include this right");
      await go(
        new Refusal(409, "conflict", "Conflict", { detail: "It was in the way." }),
        "It was in the way.",
      );
      assert.deepEqual(await axe(page), []);
      mock.down = true;
      await go(undefined, "The gateway cannot be reached");
      assert.equal(await secret(page).inputValue(), SECRET, "nothing was sent");
      mock.down = false;
      await button(page, "Connect").click();
      await uncovered(page);
      assert.equal(apps.connections.at(-1).provider, "webhook");
      assert.equal(await leftIn(page, SECRET), false);
    }),

  "paste: a secret is replaced at its connection, also from the page of all; a viewer is not offered it":
    () =>
      scene({}, async ({ mock, page }) => {
        const { apps } = mock.state;
        const [github] = apps.connections;
        Object.assign(github, { auth_type: "token", state: "missing", renewable: false });
        await page.goto(`${mock.url}/connections`);
        await button(page, "New secret for GitHub of mason").click();
        await hasFocus(secret(page, "Token"));
        assert.equal(await dialog(page).getByRole("radio").count(), 0);
        await secret(page, "Token").fill(SECRET);
        assert.deepEqual(await axe(page), []);
        await shot(page, "paste-renew");
        await page.keyboard.press("Enter");
        await uncovered(page);
        assert.deepEqual(
          apps.pasted.map(({ clawId, provider }) => [clawId, provider]),
          [[agentOf(mock, "mason").id, "github"]],
        );
        // The old one stays, struck through, until the pointer has left.
        await page.getByRole("heading", { name: "Connections" }).hover();
        await until("the new one to stand there", async () => {
          const fresh = apps.connections.find((one) => one.provider === "github");
          return fresh.id !== github.id && (await page.getByText("Token gone").count()) === 1;
        });
        mock.state.role = "viewer";
        await page.reload();
        await page.getByText(/You may not connect apps/).waitFor();
        assert.equal(await page.getByRole("button", { name: /^New secret/ }).count(), 0);
      }),
});
