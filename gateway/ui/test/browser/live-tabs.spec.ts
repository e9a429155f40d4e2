// Many tabs of one browser: one event stream for all of them, handed on when its tab goes.
import type { Page } from "@playwright/test";
import { until } from "../kit.ts";
import { chooseWorkspace, test, workspace } from "./fixtures.ts";

const TABS = 8;

test.describe("tabs of one browser", () => {
  test("eight tabs share one stream, stay live and hand the stream on", async ({ visit }) => {
    const { mock, page, context } = await visit({ at: "/fleet" });
    await page.getByText("Live", { exact: true }).waitFor();
    const tabs = [page];
    // More than the six connections that HTTP/1.1 gives an origin: with a stream each the seventh would never load.
    for (let n = 1; n < TABS; n += 1) {
      const tab = await context.newPage();
      await tab.goto(`${mock.url}/fleet`);
      await tab.getByRole("link", { name: "workshop" }).waitFor();
      await tab.getByText("Live", { exact: true }).waitFor();
      tabs.push(tab);
    }
    await until("one stream for all", () => mock.hub.count() === 1);
    const rename = async (name: string, among: Page[]) => {
      const node = mock.state.nodes[0];
      node.version += 1;
      node.name = name;
      mock.hub.changed("node", node.id, node.version);
      for (const tab of among) await tab.getByRole("link", { name }).waitFor();
    };
    await rename("second-name", tabs);
    // The first tab holds the stream; it goes away in the usual way.
    await page.goto("about:blank");
    await until("another one to hold it", () => mock.hub.count() === 1);
    await rename("third-name", tabs.slice(1));
    await until("still one", () => mock.hub.count() === 1);
    // And all at once: the gateway goes, and comes back.
    mock.hub.cut();
    for (const tab of tabs.slice(1)) await tab.getByText("Reconnecting", { exact: true }).waitFor();
    mock.hub.mend();
    for (const tab of tabs.slice(1)) await tab.getByText("Live", { exact: true }).waitFor();
    await until("one stream for all of them again", () => mock.hub.count() === 1);
  });

  test("all tabs enter a workspace that is chosen in one tab", async ({ visit }) => {
    const { mock, page, context } = await visit({ at: "/fleet" });
    const other = await context.newPage();
    await other.goto(`${mock.url}/claws/${mock.state.claws[0].id}`);
    await other.getByRole("heading", { name: "scribe" }).waitFor();
    await chooseWorkspace(page, "Observatory");
    await workspace(other, "Observatory").waitFor();
    await other.getByRole("heading", { name: "Home" }).waitFor();
    await until("one stream", () => mock.hub.count() === 1);
  });
});
