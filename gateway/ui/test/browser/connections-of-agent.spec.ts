// Apps of an agent: what it is connected to, connecting, reconnecting, disconnecting, and every way that can go wrong.
import type { Page } from "@playwright/test";
import {
  axe,
  axeBoth,
  choose,
  drawn,
  hasFocus,
  settled,
  shot,
  shotBoth,
  tryAgain,
  uncovered,
  until,
} from "../kit.ts";
import { makeConnection, MISSING } from "../mock/apps.ts";
import { Refusal } from "../mock/refusal.ts";
import { agentNamed, expect, type Mock, test } from "./fixtures.ts";

const agentOf = (mock: Mock, name: string) => agentNamed(mock.state, name);

const tab = (mock: Mock, name: string, more = "") =>
  `${mock.url}/claws/${agentOf(mock, name).id}?app=apps${more}`;

const rows = (page: Page) => page.getByRole("region", { name: "Connected apps" }).getByRole("listitem");

const arrived = (page: Page) => page.waitForURL(/\/sign-in-service/);

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function connecting(page: Page) {
  await button(page, "Connect an app").click();
  await page
    .getByRole("dialog")
    .getByText("the token goes into the secret broker", { exact: false })
    .waitFor();
}

test.describe("connections of an agent", () => {
  test("an agent's connections are listed with faulty connections first", async ({ visit }) => {
    const { mock, page } = await visit();
    const answer = mock.hold("GET /api/apps/connections");
    await page.goto(tab(mock, "mason"));
    await page.getByText("Loading connections").waitFor({ state: "attached" });
    answer();
    await rows(page).first().waitFor();
    expect(await rows(page).getByRole("heading").allTextContents()).toStrictEqual([
      "trackerSign in again",
      "GitHubReady",
    ]);
    await rows(page).first().getByText("A person has to connect it again").waitFor();
    await rows(page).nth(1).getByText("Reaches https://api.github.example.org").waitFor();
    await rows(page).nth(1).getByText("Renewed automatically").waitFor();
    // Live: the callback was answered elsewhere.
    const mason = agentOf(mock, "mason");
    const fresh = makeConnection(mock.state.user, mason, "slack", {
      renewable: false,
      expires_at: new Date(0).toISOString(),
    });
    mock.state.apps.connections.push(fresh);
    await settled(page);
    mock.hub.changed("app_connection", fresh.id);
    await rows(page).filter({ hasText: "Slack" }).getByText("Its token has expired").waitFor();
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "agent-apps");
  });

  test("connecting a known app leads to its sign-in and names the connection that it replaces", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    await page.goto(tab(mock, "mason"));
    await connecting(page);
    await page.getByText(/connected to GitHub already/).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "apps-connect");
    await choose(page.getByLabel("App", { exact: true }), "slack");
    expect(await page.getByText(/already/).count()).toBe(0);
    await button(page, "Go and sign in").click();
    await arrived(page);
    expect(mock.state.apps.begun).toStrictEqual([{ clawId: agentOf(mock, "mason").id, provider: "slack" }]);
    await page.goBack();
    await page.getByRole("heading", { name: "GitHub" }).waitFor();
  });

  test("an MCP server is connected by keyboard and each mistake is shown at its field", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(tab(mock, "lookout"));
    await settled(page);
    await button(page, "Connect an app").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("radio", { name: "Sign in at an app" }).focus();
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
    const address = page.getByLabel("Address of the MCP server");
    await page.keyboard.press("Tab");
    await hasFocus(address);
    await page.keyboard.press("Enter");
    await page.getByText("Type the address of the server").waitFor();
    await page.keyboard.type("javascript:alert(1)");
    await page.getByText("This is not a web address").waitFor();
    await address.fill("https://u:p@mcp.tracker.example.org/v1");
    await page.getByText("Leave user and password out").waitFor();
    await address.fill("https://mcp.tracker.example.org/v1");
    await page.keyboard.press("Tab");
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    expect(await name.inputValue()).toBe("example");
    await page.keyboard.type("../../x");
    await page.keyboard.press("Enter");
    await page.getByText("1 to 63 lower-case letters").waitFor();
    expect(mock.state.apps.begun.length).toBe(0);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "apps-mcp");
    await name.fill("tracker");
    mock.state.apps.refuseStart = new Refusal(400, "validation", "The request is not valid", {
      errors: [{ pointer: "/issuerUrl", detail: "leads into a private network" }],
    });
    await page.keyboard.press("Enter");
    await page.getByText("leads into a private network").waitFor();
    expect(await address.getAttribute("aria-invalid")).toBe("true");
    mock.state.apps.refuseStart = undefined;
    await page.keyboard.press("Enter");
    await arrived(page);
    const [body] = mock.state.apps.begun;
    expect(body.authType).toBe("mcp_oauth");
    expect(body.issuerUrl).toBe("https://mcp.tracker.example.org/v1");
  });

  test("each refusal says what to do and an unsafe address is not followed", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(tab(mock, "mason"));
    await connecting(page);
    const { apps } = mock.state;
    const go = async (refused: Refusal | undefined, text: string | RegExp) => {
      apps.refuseStart = refused;
      await button(page, "Go and sign in").click();
      await page.getByRole("dialog").getByText(text).waitFor();
    };
    await go(new Refusal(500, "internal", "Internal error"), "The sign-in service could not be used");
    await page.getByText(/^req-\d+$/).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "apps-start-failed");
    await go(
      new Refusal(429, "too-many-attempts", "Too many attempts", { headers: { "retry-after": "60" } }),
      "Try again in 60 s.",
    );
    await go(new Refusal(403, "forbidden", "This is not allowed"), "does not include this right");
    apps.options = { ...apps.options, missing: MISSING };
    await go(
      new Refusal(409, "conflict", "Conflict", { detail: "This deployment has no client for apps." }),
      "Apps cannot be connected on this gateway yet",
    );
    await page.getByText("no client for apps").waitFor();
    // oxlint-disable-next-line no-script-url
    apps.authorizeUrl = "javascript:document.title='owned'";
    await go(undefined, "The sign-in service gave no web page");
    expect(page.url()).toMatch(/app=apps/);
    mock.down = true;
    await button(page, "Go and sign in").click();
    await page.getByRole("dialog").getByText("The gateway cannot be reached").waitFor();
    mock.down = false;
  });

  test("missing settings are named when no sign-in is configured and a webhook remains possible", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const { apps } = mock.state;
    apps.connections = [];
    apps.options = { ...apps.options, oauth: false, mcp_oauth: false, missing: MISSING, providers: [] };
    await page.goto(tab(mock, "mason"));
    await page.getByRole("heading", { name: "No apps yet" }).waitFor();
    await button(page, "Connect an app").click();
    const dialog = page.getByRole("dialog");
    for (const name of MISSING) await dialog.getByText(name, { exact: true }).waitFor();
    expect(await dialog.getByRole("button", { name: "Go and sign in" }).count()).toBe(0);
    await dialog.getByLabel("Address of the webhook").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "apps-not-set-up");
  });

  test("reconnecting leads to the same server and its failure is shown at the connection", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    await page.goto(tab(mock, "mason"));
    mock.state.apps.refuseStart = new Refusal(500, "internal", "Internal error");
    await button(page, "Reconnect tracker").click();
    await rows(page).first().getByText("The sign-in service could not be used").waitFor();
    mock.state.apps.refuseStart = undefined;
    await button(page, "Reconnect tracker").click();
    await arrived(page);
    expect(mock.state.apps.begun).toStrictEqual([
      {
        clawId: agentOf(mock, "mason").id,
        provider: "tracker",
        authType: "mcp_oauth",
        issuerUrl: "https://mcp.tracker.example.org/v1",
      },
    ]);
  });

  test("disconnecting asks first and succeeds when the connection is already gone", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(tab(mock, "mason"));
    await settled(page);
    await button(page, "Disconnect GitHub").focus();
    await page.keyboard.press("Enter");
    const cancel = page.getByRole("alertdialog").getByRole("button", { name: "Cancel" });
    await hasFocus(cancel);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "apps-disconnect");
    await page.keyboard.press("Enter");
    await uncovered(page);
    expect(mock.state.apps.connections.length, "Enter alone ends nothing").toBe(4);
    await button(page, "Disconnect GitHub").click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Disconnect" }).click();
    await uncovered(page);
    expect(mock.state.apps.connections.length).toBe(3);
    // The list that the page asks for again must still have the next one: its question goes away with it.
    await drawn(page);
    await button(page, "Disconnect tracker").click();
    mock.state.apps.connections = [];
    await page.getByRole("alertdialog").getByRole("button", { name: "Disconnect" }).click();
    await uncovered(page);
    await page.mouse.move(0, 0);
    await page.getByRole("heading", { name: "mason" }).click();
    await page.getByRole("heading", { name: "No apps yet" }).waitFor();
  });

  test("a refusal at the app is shown once and only known app names are accepted", async ({ visit }) => {
    const { mock, page } = await visit({ width: 360, height: 800 });
    await page.goto(tab(mock, "mason", "&declined=github"));
    await page.getByText(/Nothing was connected: the sign-in at GitHub was refused/).waitFor();
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "apps-declined-phone");
    await button(page, "Understood").click();
    await until("the address to forget it", () => !page.url().includes("declined"));
    await page.goto(tab(mock, "mason", `&declined=${encodeURIComponent("Call +1 555 now")}`));
    await page.getByText(/the sign-in at the app was refused/).waitFor();
    expect(await page.getByText("Call +1 555").count()).toBe(0);
  });

  test("a viewer sees connections without actions and the page marks failed or old data", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    mock.state.role = "viewer";
    const path = "GET /api/apps/connections";
    mock.state.failNext.set(path, new Refusal(500, "internal", "The list failed"));
    await page.goto(tab(mock, "mason"));
    await page.getByText("The list failed").waitFor();
    await tryAgain(page, mock);
    await rows(page).first().waitFor();
    await page.getByText(/You may not connect apps or disconnect them/).waitFor();
    for (const name of [/^Connect/, /^Reconnect/, /^Disconnect/])
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    await settled(page);
    mock.state.failNext.set(path, new Refusal(500, "internal", "The list failed"));
    mock.hub.changed("app_connection", "any");
    await page.getByText(/The list failed. What you see is from/).waitFor();
    await rows(page).first().waitFor();
    expect(await axe(page)).toStrictEqual([]);
  });
});
