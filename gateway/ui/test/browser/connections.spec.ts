// All connections of a workspace on one page: found, acted on in place, and what is not known said.
import { axe, axeBoth, axeIn, choose, drawn, settled, shot, shotBoth, until } from "../kit.ts";
import { ago } from "../mock/ids.ts";
import { Refusal } from "../mock/refusal.ts";
import { expect, test, THEMES } from "./fixtures.ts";

test.describe("connections", () => {
  test("all connections are listed with those that need attention first, and are found by words and opened in place", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    await page.keyboard.press("g");
    await page.keyboard.press("x");
    const list = page.getByRole("region", { name: "Connections" });
    await list.getByRole("listitem").first().waitFor();
    await page.getByText("2 need attention").waitFor();
    const titles = () => list.getByRole("heading").allTextContents();
    const all = ["trackerSign in again", "GitHubReady", "SlackToken gone", "NotionReady"];
    expect(await titles()).toStrictEqual(all);
    await list.getByText("Reaches nothing").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("mason git");
    await until("one to be left", async () => (await titles()).length === 1);
    expect(page.url()).toMatch(/q=mason/);
    await page.getByLabel("Filter by agent, app or state").fill("nothing like it");
    await page.getByRole("heading", { name: "No connection fits the filter" }).waitFor();
    await page.getByText("Clear filter", { exact: true }).click();
    await until("all to be back", async () => (await titles()).length === all.length);
    await settled(page);
    // Under the pointer nothing moves, whatever becomes of it.
    await list.getByRole("heading", { name: "Notion" }).hover();
    mock.state.apps.connections.find((one) => one.provider === "notion")!.state = "needs_reauth";
    mock.hub.changed("app_connection", "any", 2);
    await page.getByText("3 need attention").waitFor();
    expect((await titles()).at(-1)).toStrictEqual("NotionSign in again");
    await page.getByRole("heading", { name: "Apps and MCP servers" }).hover();
    const later = ["trackerSign in again", "GitHubReady", "NotionSign in again", "SlackToken gone"];
    await until("its turn", async () => (await titles()).join() === later.join());
    await list.getByRole("link", { name: "lookout" }).click();
    await page.getByRole("tab", { name: "Apps", selected: true }).waitFor();
  });

  test("connections are sorted, and the order is in the address and in a saved view", async ({ visit }) => {
    const { mock, page } = await visit({ at: "/connections?sort=app" });
    mock.state.apps.connections.find((one) => one.provider === "slack")!.connected_at = ago(0);
    const list = page.getByRole("region", { name: "Connections" });
    const titles = () => list.getByRole("heading").locator("bdi").allTextContents();
    await list.getByRole("listitem").first().waitFor();
    expect(await titles()).toStrictEqual(["GitHub", "Notion", "Slack", "tracker"]);
    await page.reload();
    await list.getByRole("listitem").first().waitFor();
    await choose(page.getByLabel("Sort by", { exact: true }), "-connected");
    await until("the newest to be first", async () => (await titles())[0] === "Slack");
    expect(page.url()).toMatch(/sort=-connected/);
    await page.getByRole("button", { name: "Save as a view" }).click();
    await page.getByLabel("Name of the view").fill("New ones");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "New ones" }).waitFor();
    await settled(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "connections-sorted");
    await page.getByRole("link", { name: "Needs attention" }).click();
    await until("two to be left", async () => (await titles()).length === 2);
  });

  for (const width of [390, 1440])
    test(`several are disconnected at once, and each says how it came out (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 900, at: "/connections" });
      const list = page.getByRole("region", { name: "Connections" });
      await list.getByLabel("Select Notion of scribe").check();
      await list.getByLabel(/^Select GitHub of/).check();
      await list.getByText("2 selected").waitFor();
      await settled(page);
      expect(await axeIn(page, THEMES)).toStrictEqual([[], []]);
      await shot(page, `connections-selected-${width}`);
      await page.getByRole("button", { name: "Disconnect…" }).click();
      const dialog = page.getByRole("dialog", { name: "Disconnect 2 connections?" });
      await dialog.getByText("The agents can no longer use these apps.").waitFor();
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `connections-disconnect-many-${width}`);
      const [github] = mock.state.apps.connections.filter((one) => one.provider === "github");
      const path = `DELETE /api/apps/connections/${github!.id}`;
      mock.state.failNext.set(path, new Refusal(500, "internal", "The secret broker did not answer"));
      await dialog.getByRole("button", { name: "Disconnect 2 connections" }).click();
      await dialog.getByText("Done for 1 of 2. 1 failed.").waitFor();
      mock.state.failNext.clear();
      await dialog.getByRole("button", { name: "Try 1 again" }).click();
      await dialog.getByText("Done for 2 connections.").waitFor();
      await dialog.getByText("Close", { exact: true }).click();
      await until("two to be left", () => mock.state.apps.connections.length === 2);
      await list.getByText("2 connections").waitFor();
      // A box for all selects what is listed, also with the keyboard.
      await list.getByLabel("Select all that are listed").focus();
      await page.keyboard.press("Space");
      await list.getByText("2 selected").waitFor();
    });

  for (const width of [390, 1440])
    test(`an agent is chosen and then connected from this page (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 900 });
      mock.state.apps.connections = [];
      await page.goto(`${mock.url}/connections`);
      await page.getByRole("button", { name: "Connect an app" }).click();
      const dialog = page.getByRole("dialog", { name: "Connect an app" });
      expect(await dialog.getByRole("button", { name: "Continue" }).isDisabled()).toBe(true);
      await choose(dialog.getByLabel("Agent", { exact: true }), { label: "mason" });
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `connect-any-${width}`);
      await dialog.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("dialog", { name: /^Connect .?mason/ }).waitFor();
      await page.getByText("Paste a token of an app").click();
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `connect-any-form-${width}`);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    });

  test("the page says so when there are no connections and when the broker does not answer", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ width: 360, height: 800 });
    for (const one of mock.state.apps.connections) Object.assign(one, { state: "unknown", reaches: [] });
    await page.goto(`${mock.url}/connections`);
    await page.getByText("none needs attention, 4 not known").waitFor();
    await page.getByText("The secret broker did not answer in time").first().waitFor();
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "connections-unknown-phone");
    mock.state.apps.connections = [];
    await page.reload();
    await page.getByRole("heading", { name: "No agent is connected to anything" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    mock.state.failNext.set("GET /api/apps/connections", new Refusal(500, "internal", "The list failed"));
    await page.reload();
    await page.getByText("The list failed").waitFor();
  });
});
