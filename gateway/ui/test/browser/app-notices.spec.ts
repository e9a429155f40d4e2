// Notifications: what happened elsewhere, counted, read, kept over a reload, shared by tabs, read out seldom.
import type { Page } from "@playwright/test";
import { axe, axeBoth, settled, shot, shotBoth, until } from "../kit.ts";
import { ago } from "../mock/ids.ts";
import { makeNode } from "../mock/nodes.ts";
import { begin } from "../mock/routes-runs.ts";
import type { Node } from "../mock/schema.ts";
import { expect, type Mock, test } from "./fixtures.ts";

const bell = (page: Page, name: string) => page.getByRole("button", { name });

function away(mock: Mock, node: Node, gone = true) {
  Object.assign(node, {
    status: gone ? "offline" : "online",
    connection: gone ? "disconnected" : "connected",
    version: node.version + 1,
  });
  mock.hub.changed("node", node.id, node.version);
}

test.describe("notifications", () => {
  test("notifications report a machine that leaves and returns, a lost sandbox and a placement elsewhere", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    const [node] = mock.state.nodes;
    const [, mason, lookout] = mock.state.claws;
    // Looking elsewhere, where no list of machines is on screen.
    await page.goto(`${mock.url}/quotas`);
    await page.getByText("Live", { exact: true }).waitFor();
    await bell(page, "Notifications").click();
    await page.getByText("No notifications yet").waitFor();
    expect(await axeBoth(page)).toStrictEqual([]);
    await page.keyboard.press("Escape");
    away(mock, node);
    await bell(page, "Notifications, 1 new").waitFor();
    await page
      .getByRole("status", { name: "News" })
      .getByText("workshop went offline")
      .waitFor({ state: "attached" });
    mock.state.sandboxes.get(mason.id)!.state = "lost";
    mason.sandbox!.state = "lost";
    mock.hub.changed("sandbox", mason.sandbox!.id, 2);
    mock.hub.emit("placement.fallback", { agentId: lookout.id, wanted: node.id, reason: "node_offline" });
    away(mock, node, false);
    await bell(page, "Notifications, 4 new").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("n");
    const list = page.getByRole("list", { name: "What happened" });
    await list.getByText("The sandbox of mason was lost on workshop.").waitFor();
    expect(page.url().endsWith("/quotas"), "the keys that open the panel go nowhere else").toBeTruthy();
    await list.getByText(/The sandbox of lookout was not made where you wanted it: it is offline/).waitFor();
    await list.getByText("workshop is back.").waitFor();
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "notifications");
    await page.keyboard.press("Escape");
    await bell(page, "Notifications").waitFor();
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("n");
    await list.getByRole("link", { name: "mason" }).click();
    await page.getByRole("heading", { name: "mason" }).waitFor();
    await bell(page, "Notifications").click();
    await page.getByRole("button", { name: "Clear all" }).click();
    await page.getByText("No notifications yet").waitFor();
  });

  test("an event is reported that came before the part of the page that reports events", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const [node] = mock.state.nodes;
    let arrive = () => {};
    const arrival = new Promise<void>((done) => (arrive = done));
    await page.route("**/assets/extras-*.js", async (route) => {
      await arrival;
      await route.continue();
    });
    await page.goto(`${mock.url}/fleet`);
    await page.getByText("Live", { exact: true }).waitFor();
    const agentId = mock.state.claws[2].id;
    mock.hub.emit("placement.fallback", { agentId, wanted: node.id, reason: "node_offline" });
    // The page has heard of what came after it.
    Object.assign(node, { name: "renamed", version: 2 });
    mock.hub.changed("node", node.id, 2);
    await page.getByRole("link", { name: "renamed" }).waitFor();
    arrive();
    await bell(page, "Notifications, 1 new").click();
    await page
      .getByRole("list", { name: "What happened" })
      .getByText(/was not made where you wanted it: it is offline/)
      .waitFor();
  });

  test("events are reported at the next visit when no page was open", async ({ visit }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    await page.getByRole("link", { name: "gpu-tower" }).waitFor();
    await until("how things stand to be remembered", () =>
      page.evaluate(() =>
        Object.entries(localStorage).some(
          ([key, text]) => key.startsWith("roost-notices:") && /"here"/.test(text),
        ),
      ),
    );
    await page.goto("about:blank");
    away(mock, mock.state.nodes[1]);
    mock.state.nodes[1].last_seen_at = new Date(Date.now() - 3_600_000).toISOString();
    await page.goto(`${mock.url}/quotas`);
    await bell(page, "Notifications, 1 new").click();
    // It is read out as well, by a part of the page that nobody sees.
    const list = page.getByRole("list", { name: "What happened" });
    await list.getByText("gpu-tower").waitFor();
    await list.getByText(/^1 h \d min ago$/).waitFor();
  });

  test("a refusal by the plan is reported and tabs share what was read", async ({ visit }) => {
    const { mock, page, context } = await visit();
    const other = await context.newPage();
    await other.goto(`${mock.url}/quotas`);
    await other.getByText("Live", { exact: true }).waitFor();
    mock.state.quota.agents = 3;
    await page.goto(`${mock.url}/agents?dialog=new`);
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("fourth");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("dialog").getByText("Delete an agent to make room.").waitFor();
    await bell(other, "Notifications, 1 new").click();
    await other
      .getByRole("list", { name: "What happened" })
      .getByText(/Refused, the plan is used up/)
      .waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Notifications", exact: true }).waitFor();
  });

  test("a run that ends is told with a link, and the browser is asked only by the switch", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    await page.addInitScript(() => {
      const asked = window as unknown as { asked: number };
      asked.asked = 0;
      class Fake extends EventTarget {
        static permission = "default";
        static async requestPermission() {
          asked.asked += 1;
          return (Fake.permission = "denied");
        }
      }
      Object.defineProperty(window, "Notification", { value: Fake });
    });
    const run = begin(mock.state, { title: "Count the words", status: "running", started_at: ago(2) });
    await page.goto(`${mock.url}/quotas`);
    await page.getByText("Live", { exact: true }).waitFor();
    await until("the runs to be looked at", () =>
      page.evaluate(() => Object.values(localStorage).some((text) => String(text).includes('"runs":{'))),
    );
    Object.assign(run, { status: "failed", error: "`tests` fail", ended_at: ago(0) });
    mock.hub.changed("run", run.id, 2);
    await bell(page, "Notifications, 1 new").click();
    const asked = () => page.evaluate(() => (window as unknown as { asked: number }).asked);
    expect(await asked()).toBe(0);
    const list = page.getByRole("list", { name: "What happened" });
    await list.getByText("Count the words failed: tests fail").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "notifications-run");
    await page.getByRole("switch", { name: /^Browser notifications/ }).click();
    await page.getByText("This browser does not allow them for this site.").waitFor();
    expect(await asked()).toBe(1);
    await list.getByRole("link", { name: "Count the words" }).click();
    await page.getByRole("heading", { name: "Count the words" }).waitFor();
  });

  test("a run of one agent alone is told when it ends", async ({ visit }) => {
    const { mock, page } = await visit();
    const run = begin(mock.state, {
      title: "Read the log",
      agent_id: mock.state.claws[1].id,
      origin: { type: "chat" },
      kind: "single",
      slots: ["agent"],
      status: "running",
      started_at: ago(2),
    });
    await page.goto(`${mock.url}/quotas`);
    await page.getByText("Live", { exact: true }).waitFor();
    await until("the run to be looked at", () =>
      page.evaluate(
        (id) => Object.values(localStorage).some((text) => String(text).includes(`"${id}"`)),
        run.id,
      ),
    );
    Object.assign(run, { status: "completed", outcome: "undecided", ended_at: ago(0) });
    mock.hub.changed("run", run.id, 2);
    await bell(page, "Notifications, 1 new").click();
    await page
      .getByRole("list", { name: "What happened" })
      .getByRole("link", { name: "Read the log" })
      .waitFor();
  });

  for (const [theme, width] of [
    ["dark", 1440],
    ["light", 390],
  ] as const)
    test(`the panel says how many of 5,000 notifications it lists, and leads to the others (${theme}, ${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ theme, width, height: 900 });
      const { nodes } = mock.state;
      nodes.splice(0, nodes.length, ...Array.from({ length: 5000 }, (_, n) => makeNode(`box-${n}`)));
      for (const node of nodes) Object.assign(node, { status: "online", connection: "connected" });
      await page.goto(`${mock.url}/quotas`);
      await until("how things stand to be remembered", () =>
        page.evaluate(
          (id) => Object.values(localStorage).some((text) => String(text).includes(`"${id}":"here"`)),
          nodes[4999].id,
        ),
      );
      // The next look is at a new visit: a page that is open waits for a while before it asks again.
      await page.goto("about:blank");
      for (const node of nodes) Object.assign(node, { status: "offline", connection: "disconnected" });
      await page.goto(`${mock.url}/quotas`);
      await bell(page, "Notifications, 99+ new").click();
      await page
        .getByText("There were 5,000 notifications. The newest 100 are listed.", { exact: false })
        .waitFor();
      const list = page.getByRole("list", { name: "What happened" });
      expect(await list.getByRole("listitem").count()).toBe(100);
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `notifications-many-${width}-${theme}`);
      await page.getByRole("dialog").getByRole("link", { name: "Fleet" }).click();
      await page.getByRole("heading", { name: "Fleet" }).waitFor();
      await bell(page, "Notifications").click();
      await page.getByRole("button", { name: "Clear all" }).click();
      await page.getByText("No notifications yet").waitFor();
      expect(await page.getByText("There were").count()).toBe(0);
    });

  test("the browser shows a notification of a run that ended, which leads to the run", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.addInitScript(() => {
      const seen = window as unknown as { shown: { title: string; press: () => void }[] };
      seen.shown = [];
      class Fake extends EventTarget {
        static permission = "granted";
        constructor(title: string) {
          super();
          seen.shown.push({ title, press: () => this.dispatchEvent(new Event("click")) });
        }
        close() {}
      }
      Object.defineProperty(window, "Notification", { value: Fake });
      // The person looks at another tab.
      Object.defineProperty(document, "visibilityState", { value: "hidden" });
      localStorage.setItem("roost-browser-notices", "on");
    });
    const run = begin(mock.state, { title: "Count the words", status: "running", started_at: ago(2) });
    await page.goto(`${mock.url}/quotas`);
    await page.getByText("Live", { exact: true }).waitFor();
    await until("the runs to be looked at", () =>
      page.evaluate(() => Object.values(localStorage).some((text) => String(text).includes('"runs":{'))),
    );
    Object.assign(run, { status: "completed", outcome: "accepted", ended_at: ago(0) });
    mock.hub.changed("run", run.id, 2);
    const shown = () =>
      page.evaluate(() =>
        (window as unknown as { shown: { title: string }[] }).shown.map(({ title }) => title),
      );
    await until("the notification", async () => (await shown()).length > 0);
    expect(await shown()).toStrictEqual(["Count the words has ended. The work is accepted."]);
    await page.evaluate(() => (window as unknown as { shown: { press: () => void }[] }).shown[0].press());
    await page.getByRole("heading", { name: "Count the words", level: 1 }).waitFor();
    expect(page.url().endsWith(`/runs/${run.id}`)).toBeTruthy();
    // What is told once is not told again.
    mock.hub.changed("run", run.id, 3);
    await settled(page);
    expect(await shown()).toHaveLength(1);
  });
});
