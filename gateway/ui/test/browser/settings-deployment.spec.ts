// Settings of the deployment: sign-in, connections, mesh, secret broker; what is missing, who may see it, what is not known.
import type { Page } from "@playwright/test";
import { axe, axeBoth, drawn, settled, shot, shotBoth, tryAgain, unfold, until } from "../kit.ts";
import { MISSING } from "../mock/apps.ts";
import { makeSignIn } from "../mock/broker.ts";
import { Refusal } from "../mock/refusal.ts";
import { makeNetwork } from "../mock/routes-mesh.ts";
import { expect, type Mock, test } from "./fixtures.ts";

const way = (page: Page, name: string | RegExp) =>
  page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });

const panel = (page: Page, name: string | RegExp) => page.getByRole("region", { name, exact: true });

const pages = (page: Page) => page.getByRole("navigation", { name: "Settings" });

const open = async (page: Page, mock: Mock, part: string) => {
  await page.goto(`${mock.url}/settings/${part}`);
  await page.getByRole("navigation", { name: "Settings" }).waitFor();
};

test.describe("settings: deployment", () => {
  test("each page of the settings opens by keyboard, by the palette and by its address", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    for (const [name, heading] of [
      ["Sign-in", "Sign-in"],
      ["Connections", "Connections"],
      ["Mesh", "Mesh"],
      ["Secret broker", "Secret broker"],
    ]) {
      await pages(page).getByRole("link", { name }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await pages(page).locator("[aria-current=page]").getByText(name).waitFor();
      expect(await page.title()).toBe(`${heading} · Settings · Roost`);
    }
    // The place in the rail is still the settings.
    await page
      .getByRole("navigation", { name: "Main" })
      .locator("[aria-current=page]")
      .getByText("Settings")
      .waitFor();
    await page.keyboard.press("Control+K");
    await page.getByRole("dialog").getByRole("combobox").fill("callback");
    await page.getByRole("option", { name: /Settings: Connections/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Connections" }).waitFor();
    expect(page.url()).toMatch(/\/settings\/connections$/);
    mock.state.operator = false;
    await page.reload();
    await page.getByText("Callback address").waitFor();
    expect(await pages(page).getByRole("link", { name: "Secret broker" }).count()).toBe(0);
  });

  test("the sign-in page lists the ways to sign in and who may enter", async ({ visit }) => {
    const { mock, page } = await visit();
    const answer = mock.hold("GET /api/setup");
    await page.goto(`${mock.url}/settings/sign-in`);
    await page.getByText("Loading how people sign in").waitFor({ state: "attached" });
    answer();
    const provider = way(page, /identity provider, in a browser/);
    await provider.getByText("Not set up").waitFor();
    for (const key of ["auth.mode", "auth.issuer_url", "auth.client_id"])
      await provider.getByRole("button", { name: key }).waitFor();
    await drawn(page);
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "settings-sign-in");
    await panel(page, "Current configuration").getByText("local accounts only").waitFor();
    mock.state.operator = false;
    mock.state.hosted = { name: "Example \u202EID" };
    mock.state.linked = true;
    await page.reload();
    await way(page, /^Example/)
      .getByText("You can sign in with it.")
      .waitFor();
    await way(page, /from the identity provider/)
      .getByText("roost config")
      .waitFor();
    await way(page, /from the identity provider/)
      .getByText("Unknown")
      .waitFor();
    expect(await panel(page, "Current configuration").count()).toBe(0);
    mock.state.operator = true;
    mock.state.signIn = makeSignIn({
      mode: "oidc",
      issuer: "https://login.example.com",
      client_id: "roost",
      role_claim: "role",
      admit_domains: ["example.com", "example.org"],
      session_seconds: 43_200,
    });
    await page.reload();
    for (const fact of ["https://login.example.com", "any: every token", "example.com, example.org", "12 h"])
      await panel(page, "Current configuration").getByText(fact).waitFor();
    await drawn(page);
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "settings-sign-in-hosted");
  });

  test("the connections page copies the callback address and each kind names the settings that it lacks", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const { apps } = mock.state;
    await open(page, mock, "connections");
    await page.getByText(apps.options.redirect_uri!).waitFor();
    await panel(page, "Callback address").getByRole("button", { name: "Copy" }).click();
    await panel(page, "Callback address").getByRole("button", { name: "Copied" }).waitFor();
    await way(page, /signing in at an app/)
      .getByText("Available")
      .waitFor();
    await way(page, /pasted token/)
      .getByText("GitHub, Slack")
      .waitFor();
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "settings-connections");
    apps.options = {
      ...apps.options,
      oauth: false,
      mcp_oauth: false,
      missing: MISSING,
      redirect_uri: undefined,
    };
    await page.reload();
    const keysOf = (name: string | RegExp) => way(page, name).getByRole("button").allTextContents();
    await way(page, /signing in at an app/)
      .getByText("Not set up")
      .waitFor();
    const bare = (texts: string[]) => texts.map((text) => text.replace(/Copy the name.*/, ""));
    expect(bare(await keysOf(/signing in at an app/))).toStrictEqual(MISSING);
    expect(bare(await keysOf(/signing in at an MCP/))).toStrictEqual(["oauth.client_id"]);
    await way(page, /webhook/)
      .getByText("Available")
      .waitFor();
    await panel(page, "Callback address").getByRole("button", { name: "oauth.redirect_base" }).waitFor();
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "settings-connections-missing");
    mock.state.failNext.set("GET /api/apps/options", new Refusal(500, "internal", "The options failed"));
    await page.reload();
    await page.getByText("The options failed").waitFor();
    await tryAgain(page, mock);
    await panel(page, "Callback address").waitFor();
  });

  test("the mesh page shows a network when another person connects it and tells a viewer who may", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    await open(page, mock, "mesh");
    await page.getByText("None is connected").waitFor();
    await settled(page);
    await shot(page, "settings-mesh-none");
    mock.state.mesh.network = makeNetwork(mock.state);
    mock.hub.changed("mesh_network", "any");
    await panel(page, "Mesh network").getByText("Connected", { exact: true }).first().waitFor();
    await page.getByRole("link", { name: "Its devices" }).waitFor();
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "settings-mesh");
    mock.state.mesh.network = null;
    mock.hub.changed("mesh_network", "any", 2);
    await page.getByRole("link", { name: "Connect one" }).click();
    await page.getByRole("dialog").getByText("Connect a mesh network").waitFor();
    mock.state.role = "viewer";
    await open(page, mock, "mesh");
    await page.getByText(/You may not connect or disconnect a mesh network/).waitFor();
    expect(await page.getByRole("link", { name: "Connect one" }).count()).toBe(0);
    expect(await axe(page)).toStrictEqual([]);
  });

  test("the broker page shows the broker's state in charts and words", async ({ visit }) => {
    const { mock, page } = await visit();
    const { broker } = mock.state;
    const answer = mock.hold("GET /api/ops/broker");
    await page.goto(`${mock.url}/settings/broker`);
    await page.getByText("Loading the secret broker").waitFor({ state: "attached" });
    answer();
    await page.getByText("Running", { exact: true }).waitFor();
    await page.getByText("In a file of the broker's machine").waitFor();
    await page
      .getByRole("img", { name: "Records: 39 usable, 3 to be connected again by a person" })
      .waitFor();
    await page.getByRole("img", { name: /^Requests sent.*: 1,273 answered, 7 failed$/ }).waitFor();
    expect(await page.getByText("roost broker rekey").count()).toBe(0);
    await drawn(page);
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "settings-broker");
    Object.assign(broker, {
      to_rekey: 5,
      root: "transit",
      warnings: ["the broker runs as user 0, as the gateway does"],
    });
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("runs as user 0").waitFor();
    await page.getByText("roost broker rekey").waitFor();
    await page.getByText("In Vault or OpenBao").waitFor();
    await drawn(page);
    expect(await axeBoth(page)).toStrictEqual([]);
  });

  test("the broker page says what to do when the broker is silent, marks old figures and asks nothing without the grant", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ width: 360, height: 800 });
    const { state } = mock;
    const running = state.broker;
    state.broker = { reachable: false, detail: "It did not answer within 3 seconds.", warnings: [] };
    await open(page, mock, "broker");
    await page.getByText("Not responding").waitFor();
    await page.getByText("It did not answer within 3 seconds.").waitFor();
    await page.getByText("roost doctor").waitFor();
    expect(await panel(page, "Stored credentials").count()).toBe(0);
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "settings-broker-silent-phone");
    // A broker that answers and does not tell its numbers: unknown is a dash, never 0.
    state.broker = { reachable: true, warnings: [] };
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("Running", { exact: true }).waitFor();
    expect(await page.getByRole("img", { name: /^Records/ }).count()).toBe(0);
    expect(await panel(page, "Stored credentials").textContent()).toMatch(/Records–/);
    state.broker = running;
    const path = "GET /api/ops/broker";
    state.failNext.set(path, new Refusal(500, "internal", "The broker's page failed"));
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText(/The broker's page failed. What you see is from/).waitFor();
    await tryAgain(page, mock);
    await page.getByText("1,273 answered").waitFor();
    mock.down = true;
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText(/cannot be reached. What you see is from/).waitFor();
    mock.down = false;
    state.operator = false;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.reload();
    await page.getByRole("heading", { name: "The secret broker is for operators" }).waitFor();
    await page.getByText("roost operator grant").waitFor();
    await drawn(page);
    expect(asked.includes("/api/ops/broker")).toBe(false);
    expect(await axe(page)).toStrictEqual([]);
    await until(
      "the way to it to be gone",
      async () => (await pages(page).getByRole("link", { name: "Secret broker" }).count()) === 0,
    );
  });

  for (const [theme, width] of [
    ["dark", 390],
    ["light", 1440],
    ["dark", 1920],
  ] as const)
    test(`an operator checks the public address and changes the limits of plans (${theme}, ${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ theme, width, height: 900 });
      await page.goto(`${mock.url}/settings`);
      const address = page.getByRole("region", { name: "Public address" });
      await unfold(page, "Public address", "Plans");
      expect(await address.getByLabel("Address").inputValue()).toBe(mock.url);
      await address.getByRole("button", { name: "Check" }).click();
      await address.getByText("This Roost answers there").waitFor();
      mock.state.addressProblem = "no answer within 5 s";
      await address.getByLabel("Address").fill("https://roost.example");
      expect(await address.getByText("This Roost answers there").count(), "it was another address").toBe(0);
      await address.getByRole("button", { name: "Check" }).click();
      await address.getByText("https://roost.example: no answer within 5 s").waitFor();
      const plans = page.getByRole("region", { name: "Plans", exact: true });
      await plans.getByRole("button", { name: "Change limits of free" }).click();
      const dialog = page.getByRole("dialog", { name: "Limits of the plan free" });
      expect(await axe(page)).toStrictEqual([]);
      await dialog.getByLabel("Agents").fill("40");
      // Somebody else is faster.
      Object.assign(mock.state.plans[0], { agents: 7, version: 2 });
      await dialog.getByRole("button", { name: "Save limits" }).click();
      await dialog.getByText("changed this plan meanwhile").waitFor();
      expect(await dialog.getByLabel("Agents").inputValue(), "what was typed stays").toBe("40");
      await dialog.getByRole("button", { name: "Save mine over it" }).click();
      await plans.getByRole("cell", { name: "40", exact: true }).waitFor();
      expect(mock.state.plans[0]).toMatchObject({ agents: 40, live_containers: 2, version: 3 });
      expect(await axe(page)).toStrictEqual([]);
      await plans.scrollIntoViewIfNeeded();
      await shot(page, `settings-plans-${theme}-${width}`);
    });

  test("nobody but an operator sees the deployment's address and plans", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.operator = false;
    await page.goto(`${mock.url}/settings`);
    await page.getByRole("heading", { name: "This browser" }).waitFor();
    await drawn(page);
    expect(await page.getByRole("heading", { name: "This deployment" }).count()).toBe(0);
  });
});
