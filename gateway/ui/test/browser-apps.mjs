// Apps of an agent: what it is connected to, connecting, reconnecting, disconnecting, and every way that can go wrong.
import assert from "node:assert/strict";
import { axe, drawn, hasFocus, settled, shot, tryAgain, uncovered, until } from "./browser-kit.mjs";
import { makeConnection, MISSING } from "./mock/apps.mjs";
import { Refusal } from "./mock/server.mjs";

const agentOf = (mock, name) => mock.state.claws.find((one) => one.name === name);
const tab = (mock, name, more = "") => `${mock.url}/claws/${agentOf(mock, name).id}?app=apps${more}`;
const rows = (page) => page.getByRole("region", { name: "Connected apps" }).getByRole("listitem");
const arrived = (page) => page.waitForURL(/\/sign-in-service/);
const button = (page, name) => page.getByRole("button", { name, exact: true });

async function connecting(page) {
  await button(page, "Connect an app").click();
  await page
    .getByRole("dialog")
    .getByText("the token goes into the secret broker", { exact: false })
    .waitFor();
}

export const appTests = (scene, both) => ({
  ...both("apps: what an agent is connected to, with what is wrong first", (theme) =>
    scene({ theme }, async ({ mock, page }) => {
      const answer = mock.hold("GET /api/apps/connections");
      await page.goto(tab(mock, "mason"));
      await page.getByText("Loading connections").waitFor({ state: "attached" });
      answer();
      await rows(page).first().waitFor();
      assert.deepEqual(await rows(page).getByRole("heading").allTextContents(), [
        "trackerSign in again",
        "GitHubReady",
      ]);
      await rows(page).first().getByText("A person has to connect it again").waitFor();
      await rows(page).nth(1).getByText("Reaches https://api.github.example.org").waitFor();
      await rows(page).nth(1).getByText("Renewed automatically").waitFor();
      // Live: the callback was answered elsewhere.
      const mason = agentOf(mock, "mason");
      const fresh = makeConnection(mock.state, mason, "slack", {
        renewable: false,
        expires_at: new Date(0).toISOString(),
      });
      mock.state.apps.connections.push(fresh);
      await settled(page);
      mock.hub.changed("app_connection", fresh.id);
      await rows(page).filter({ hasText: "Slack" }).getByText("Its token has expired").waitFor();
      assert.deepEqual(await axe(page), []);
      await shot(page, `agent-apps-${theme}`);
    }),
  ),

  "apps: connecting to a known app ends at its sign-in; a second connection says what it replaces": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(tab(mock, "mason"));
      await connecting(page);
      await page.getByText(/connected to GitHub already/).waitFor();
      assert.deepEqual(await axe(page), []);
      await shot(page, "apps-connect");
      await page.getByLabel("App", { exact: true }).selectOption("slack");
      assert.equal(await page.getByText(/already/).count(), 0);
      await button(page, "Go and sign in").click();
      await arrived(page);
      assert.deepEqual(mock.state.apps.begun, [{ clawId: agentOf(mock, "mason").id, provider: "slack" }]);
      await page.goBack();
      await page.getByRole("heading", { name: "GitHub" }).waitFor();
    }),

  "apps: an MCP server by keyboard alone; mistakes stand at their fields": () =>
    scene({}, async ({ mock, page }) => {
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
      assert.equal(await name.inputValue(), "example");
      await page.keyboard.type("../../x");
      await page.keyboard.press("Enter");
      await page.getByText("1 to 63 lower-case letters").waitFor();
      assert.equal(mock.state.apps.begun.length, 0);
      assert.deepEqual(await axe(page), []);
      await shot(page, "apps-mcp");
      await name.fill("tracker");
      mock.state.apps.refuseStart = new Refusal(400, "validation", "The request is not valid", {
        errors: [{ pointer: "/issuerUrl", detail: "leads into a private network" }],
      });
      await page.keyboard.press("Enter");
      await page.getByText("leads into a private network").waitFor();
      assert.equal(await address.getAttribute("aria-invalid"), "true");
      mock.state.apps.refuseStart = undefined;
      await page.keyboard.press("Enter");
      await arrived(page);
      const [body] = mock.state.apps.begun;
      assert.equal(body.authType, "mcp_oauth");
      assert.equal(body.issuerUrl, "https://mcp.tracker.example.org/v1");
    }),

  "apps: every refusal says what to do, and a strange address is not followed": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(tab(mock, "mason"));
      await connecting(page);
      const { apps } = mock.state;
      const go = async (refused, text) => {
        apps.refuseStart = refused;
        await button(page, "Go and sign in").click();
        await page.getByRole("dialog").getByText(text).waitFor();
      };
      await go(new Refusal(500, "internal", "Internal error"), "The sign-in service could not be used");
      await page.getByText(/^req-\d+$/).waitFor();
      assert.deepEqual(await axe(page), []);
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
      assert.match(page.url(), /app=apps/);
      mock.down = true;
      await button(page, "Go and sign in").click();
      await page.getByRole("dialog").getByText("The gateway cannot be reached").waitFor();
      mock.down = false;
    }),

  "apps: where no sign-in is set up, the settings that are missing are named; a webhook is possible": () =>
    scene({}, async ({ mock, page }) => {
      const { apps } = mock.state;
      apps.connections = [];
      apps.options = { ...apps.options, oauth: false, mcp_oauth: false, missing: MISSING, providers: [] };
      await page.goto(tab(mock, "mason"));
      await page.getByRole("heading", { name: "No apps yet" }).waitFor();
      await button(page, "Connect an app").click();
      const dialog = page.getByRole("dialog");
      for (const name of MISSING) await dialog.getByText(name, { exact: true }).waitFor();
      assert.equal(await dialog.getByRole("button", { name: "Go and sign in" }).count(), 0);
      await dialog.getByLabel("Address of the webhook").waitFor();
      assert.deepEqual(await axe(page), []);
      await shot(page, "apps-not-set-up");
    }),

  "apps: reconnecting goes to the same server; its failure stands at the connection": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(tab(mock, "mason"));
      mock.state.apps.refuseStart = new Refusal(500, "internal", "Internal error");
      await button(page, "Reconnect tracker").click();
      await rows(page).first().getByText("The sign-in service could not be used").waitFor();
      mock.state.apps.refuseStart = undefined;
      await button(page, "Reconnect tracker").click();
      await arrived(page);
      assert.deepEqual(mock.state.apps.begun, [
        {
          clawId: agentOf(mock, "mason").id,
          provider: "tracker",
          authType: "mcp_oauth",
          issuerUrl: "https://mcp.tracker.example.org/v1",
        },
      ]);
    }),

  "apps: disconnecting asks first, and one that is gone already is no fault": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(tab(mock, "mason"));
      await settled(page);
      await button(page, "Disconnect GitHub").focus();
      await page.keyboard.press("Enter");
      const cancel = page.getByRole("alertdialog").getByRole("button", { name: "Cancel" });
      await hasFocus(cancel);
      assert.deepEqual(await axe(page), []);
      await shot(page, "apps-disconnect");
      await page.keyboard.press("Enter");
      await uncovered(page);
      assert.equal(mock.state.apps.connections.length, 4, "Enter alone ends nothing");
      await button(page, "Disconnect GitHub").click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Disconnect" }).click();
      await uncovered(page);
      assert.equal(mock.state.apps.connections.length, 3);
      await button(page, "Disconnect tracker").click();
      mock.state.apps.connections = [];
      await page.getByRole("alertdialog").getByRole("button", { name: "Disconnect" }).click();
      await uncovered(page);
      await page.mouse.move(0, 0);
      await page.getByRole("heading", { name: "mason" }).click();
      await page.getByRole("heading", { name: "No apps yet" }).waitFor();
    }),

  "apps: a refusal at the app is told once, and only names of apps are believed": () =>
    scene({ width: 360, height: 800 }, async ({ mock, page }) => {
      await page.goto(tab(mock, "mason", "&declined=github"));
      await page.getByText(/Nothing was connected: the sign-in at GitHub was refused/).waitFor();
      await drawn(page);
      assert.deepEqual(await axe(page), []);
      await shot(page, "apps-declined-phone");
      await button(page, "Understood").click();
      await until("the address to forget it", () => !page.url().includes("declined"));
      await page.goto(tab(mock, "mason", `&declined=${encodeURIComponent("Call +1 555 now")}`));
      await page.getByText(/the sign-in at the app was refused/).waitFor();
      assert.equal(await page.getByText("Call +1 555").count(), 0);
    }),

  "apps: a viewer sees them and is offered nothing; what failed or is old says so": () =>
    scene({}, async ({ mock, page }) => {
      mock.state.role = "viewer";
      const path = "GET /api/apps/connections";
      mock.state.failNext.set(path, new Refusal(500, "internal", "The list failed"));
      await page.goto(tab(mock, "mason"));
      await page.getByText("The list failed").waitFor();
      await tryAgain(page, mock);
      await rows(page).first().waitFor();
      await page.getByText(/You may not connect apps or disconnect them/).waitFor();
      for (const name of [/^Connect/, /^Reconnect/, /^Disconnect/])
        assert.equal(await page.getByRole("button", { name }).count(), 0);
      await settled(page);
      mock.state.failNext.set(path, new Refusal(500, "internal", "The list failed"));
      mock.hub.changed("app_connection", "any");
      await page.getByText(/The list failed. What you see is from/).waitFor();
      await rows(page).first().waitFor();
      assert.deepEqual(await axe(page), []);
    }),
});
