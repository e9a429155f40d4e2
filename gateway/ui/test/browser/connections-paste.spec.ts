// Connecting an agent with a secret that somebody has: a token of an app, or a webhook's. The secret is nowhere afterwards.
import type { Page } from "@playwright/test";
import { axe, axeBoth, drawn, hasFocus, settled, shot, shotBoth, uncovered, until } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { agentNamed, expect, type Mock, test } from "./fixtures.ts";

const SECRET = "ghp_canary-0123456789";

const agentOf = (mock: Mock, name: string) => agentNamed(mock.state, name);

const tab = (mock: Mock, name: string) => `${mock.url}/claws/${agentOf(mock, name).id}?app=apps`;

const rows = (page: Page) => page.getByRole("region", { name: "Connected apps" }).getByRole("listitem");

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

const dialog = (page: Page) => page.getByRole("dialog");

const secret = (page: Page, label = "Secret") => dialog(page).getByLabel(label, { exact: true });

async function choosing(page: Page, way: string) {
  await button(page, "Connect an app").click();
  await dialog(page).getByRole("radio", { name: way }).check();
}

/** Whether a text is anywhere that outlives the dialog: the document, its fields, storage, the address, the history. */
const leftIn = (page: Page, text: string) =>
  page.evaluate((text) => {
    const fields = [...document.querySelectorAll<HTMLInputElement>("input, textarea")].map(
      (one) => one.value,
    );
    const kept = [localStorage, sessionStorage].map((one) => JSON.stringify(one));
    const all = [document.documentElement.outerHTML, location.href, JSON.stringify(history.state)];
    return [...fields, ...kept, ...all].some((one) => one?.includes(text));
  }, text);

test.describe("connections: pasted secrets", () => {
  test("a webhook is connected and its secret is nowhere afterwards", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(tab(mock, "lookout"));
    await settled(page);
    await choosing(page, "A webhook");
    const field = secret(page);
    expect(await field.getAttribute("type")).toBe("password");
    expect(await field.getAttribute("autocomplete")).toBe("new-password");
    await dialog(page).getByText("Authorization: Bearer").waitFor();
    await dialog(page).getByLabel("Address of the webhook").fill("https://hooks.example.org/roost");
    await field.fill(`  ${SECRET}\t`);
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "paste-webhook");
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
    expect(mock.state.apps.pasted).toStrictEqual([
      {
        clawId: agentOf(mock, "lookout").id,
        provider: "webhook",
        secret: SECRET,
        url: "https://hooks.example.org/roost",
      },
    ]);
    expect(await leftIn(page, SECRET)).toBe(false);
    await button(page, "Connect an app").click();
    await dialog(page).getByRole("radio", { name: "A webhook" }).check();
    expect(await secret(page).inputValue(), "a new dialog knows nothing of it").toBe("");
    expect(await axeBoth(page)).toStrictEqual([]);
  });

  test("a GitHub token is pasted by keyboard and the dialog names its rights and what it replaces", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
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
    expect(await secret(page, "Token").getAttribute("aria-invalid")).toBe("true");
    await page.keyboard.type(" and not one word");
    await page.keyboard.press("Enter");
    await dialog(page).getByText("It has spaces").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "paste-token");
    expect(mock.state.apps.asked, "nothing of it was sent").toBe(undefined);
    await secret(page, "Token").fill(SECRET);
    await page.keyboard.press("Enter");
    await uncovered(page);
    await rows(page).filter({ hasText: "A secret that was typed in, for api.github.example.org" }).waitFor();
    expect(mock.state.apps.connections.filter((one) => one.provider === "github").length).toBe(1);
  });

  test("a refused value is shown at its field and any other refusal clears the secret", async ({ visit }) => {
    const { mock, page } = await visit({ width: 360, height: 800 });
    const { apps } = mock.state;
    const go = async (refused: Refusal | undefined, text: string | RegExp) => {
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
    await go(new Refusal(400, "validation", "The request is not valid", { errors }), "leads into a private");
    expect(await address.getAttribute("aria-invalid")).toBe("true");
    expect(await secret(page).inputValue(), "it stays to be sent again").toBe(SECRET);
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "paste-refused-phone");
    await go(new Refusal(500, "internal", "Internal error"), "The secret broker did not accept it");
    await dialog(page)
      .getByText(/^req-\d+$/)
      .waitFor();
    expect(await secret(page).inputValue()).toBe("");
    await shot(page, "paste-broker-phone");
    await go(new Refusal(403, "forbidden", "This is not allowed"), "does not include this right");
    await go(
      new Refusal(409, "conflict", "Conflict", { detail: "It was in the way." }),
      "It was in the way.",
    );
    expect(await axe(page)).toStrictEqual([]);
    mock.down = true;
    await go(undefined, "The gateway cannot be reached");
    expect(await secret(page).inputValue(), "nothing was sent").toBe(SECRET);
    mock.down = false;
    await button(page, "Connect").click();
    await uncovered(page);
    expect(apps.connections.at(-1)!.provider).toBe("webhook");
    expect(await leftIn(page, SECRET)).toBe(false);
  });

  test("a secret is replaced at its connection and a viewer is not offered that", async ({ visit }) => {
    const { mock, page } = await visit();
    const { apps } = mock.state;
    const [github] = apps.connections;
    Object.assign(github, { auth_type: "token", state: "missing", renewable: false });
    await page.goto(`${mock.url}/connections`);
    await button(page, "New secret for GitHub of mason").click();
    await hasFocus(secret(page, "Token"));
    expect(await dialog(page).getByRole("radio").count()).toBe(0);
    await secret(page, "Token").fill(SECRET);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "paste-renew");
    await page.keyboard.press("Enter");
    await uncovered(page);
    expect(apps.pasted.map(({ clawId, provider }) => [clawId, provider])).toStrictEqual([
      [agentOf(mock, "mason").id, "github"],
    ]);
    // The old one stays, struck through, until the pointer has left.
    await page.getByRole("heading", { name: "Apps and MCP servers" }).hover();
    await until("the new one to stand there", async () => {
      const fresh = apps.connections.find((one) => one.provider === "github");
      return fresh!.id !== github.id && (await page.getByText("Token gone").count()) === 1;
    });
    mock.state.role = "viewer";
    await page.reload();
    await page.getByText(/You may not connect apps/).waitFor();
    expect(await page.getByRole("button", { name: /^New secret/ }).count()).toBe(0);
  });
});
