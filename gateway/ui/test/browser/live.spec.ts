// What happens by itself: pairing, changes, a cut stream, held rows.
import { axe, drawn, settled, shot, until } from "../kit.ts";
import { makeHealth, makeNode } from "../mock/nodes.ts";
import { Refusal } from "../mock/refusal.ts";
import { agentNamed, expect, test } from "./fixtures.ts";

test.describe("live", () => {
  test("pairing shows each step from the command to the image without a reload", async ({ visit }) => {
    const { mock, page } = await visit({ at: "/fleet", full: false });
    await page.getByRole("button", { name: "Pair a machine" }).click();
    await page.getByLabel("Name of the machine").fill("den");
    await page.keyboard.press("Enter");
    await page.getByText("Waiting for your machine…").waitFor();
    await page.getByRole("tab", { name: "With checksum" }).click();
    expect(
      await page.getByRole("tabpanel", { name: "With checksum" }).getByLabel("Command").textContent(),
    ).toMatch(/sha256sum/);
    await shot(page, "pair-waiting");
    const [node] = mock.state.nodes;
    Object.assign(node, {
      status: "online",
      connection: "connected",
      hostname: "den.lan",
      daemon_version: "0.1.0",
      version: 2,
      last_seen_at: new Date().toISOString(),
    });
    mock.hub.changed("node", node.id, 2);
    await page.getByText("Connected: den.lan").waitFor();
    Object.assign(node, {
      engine: { name: "Docker Engine", version: "27.3.1", api: "1.47" },
      image: "missing",
      version: 3,
    });
    mock.hub.changed("node", node.id, 3);
    await page.getByText("roostd image build").waitFor();
    await shot(page, "pair-image-missing");
    Object.assign(node, { image: "ready", version: 4 });
    mock.hub.changed("node", node.id, 4);
    await page.getByText("Agent image ready").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "pair-connected");
    await page.getByRole("link", { name: "Open den" }).click();
    await page.getByRole("heading", { name: "den" }).waitFor();
  });

  test("pairing renews a code that expired and leaves no second row", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    mock.state.codeSeconds = 3;
    await page.goto(`${mock.url}/fleet?dialog=pair`);
    await page.getByRole("button", { name: "Create command" }).click();
    await page.getByText("This code has expired").waitFor();
    await page.getByRole("button", { name: "Get a new command" }).click();
    await until("one row to remain", () => mock.state.nodes.length === 1);
  });

  test("a machine's change appears without a reload and its charts grow", async ({ visit }) => {
    const { mock, page } = await visit();
    const node = mock.state.nodes[0];
    await page.goto(`${mock.url}/fleet/${node.id}`);
    await page.getByRole("figure", { name: "CPU over time" }).waitFor();
    for (const cpu of [40, 77]) {
      node.health = makeHealth(cpu, new Date(Date.now() + cpu * 100).toISOString());
      mock.hub.changed("node", node.id, node.version);
      await page.getByText(`${cpu} %`).first().waitFor();
    }
    Object.assign(node, { status: "offline", connection: "disconnected", version: 2 });
    mock.hub.changed("node", node.id, 2);
    await page.getByText("The values below are the last known ones").waitFor();
    await page.getByRole("button", { name: "Run", exact: true, disabled: true }).waitFor();
    await shot(page, "node-went-offline");
  });

  test("draining asks first, undraining does not, and both show at once", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/fleet/${mock.state.nodes[0].id}`);
    await page.getByRole("button", { name: "Drain", exact: true }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Drain" }).click();
    await page
      .locator("span", { hasText: /^Draining$/u })
      .first()
      .waitFor();
    await page.getByRole("heading", { name: "Draining" }).waitFor();
    await page.getByRole("button", { name: "End draining" }).click();
    await page.getByRole("button", { name: "Drain", exact: true }).waitFor();
  });

  test("an EventSource of the browser reads the stream and leaves out what an event is about", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    // The page's own stream and this one.
    const read = page.evaluate(
      () =>
        new Promise<Record<string, unknown>>((done) => {
          const source = new EventSource("/api/events");
          source.addEventListener("open", () => document.body.setAttribute("data-open", ""));
          source.addEventListener("agent.reasoning.delta", (event) => {
            source.close();
            done({ data: event.data as string, id: event.lastEventId, keys: Object.keys(event) });
          });
        }),
    );
    await page.locator("body[data-open]").waitFor();
    const data = { agentId: mock.state.claws[0].id, text: "Hello." };
    mock.hub.emit("agent.reasoning.delta", data, { run: "r1", mission: "m1", room: "o1" });
    const { data: text, id, keys } = await read;
    expect(JSON.parse(String(text))).toStrictEqual(data);
    expect(id).toMatch(/^m1\.\d+$/);
    expect(keys).not.toContain("about");
  });

  test("a machine is marked when it breaks its promise", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.breakProbe = "engine_socket";
    await page.goto(`${mock.url}/fleet/${mock.state.nodes[0].id}`);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("1 of 14 checks failed").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "verify-fails");
  });

  test("rows under the pointer stay in place and new rows wait behind a button", async ({ visit }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    await page.getByRole("link", { name: "workshop" }).hover();
    await page.getByText("order held").waitFor();
    const before = await page.locator("tbody tr th a").allTextContents();
    const node = makeNode("aardvark");
    mock.state.nodes.push(node);
    mock.hub.changed("node", node.id, 1);
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await page.locator("tbody tr th a").allTextContents()).toStrictEqual(before);
    await page.getByRole("button", { name: "1 new" }).click();
    await page.getByRole("link", { name: "aardvark" }).waitFor();
  });

  test("a cut stream shows the dot at once and the banner after three seconds, moves nothing and catches up later", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    await page.getByText("Live", { exact: true }).waitFor();
    mock.hub.cut();
    await page.getByText("Reconnecting", { exact: true }).waitFor();
    await page.getByText(/Live updates paused/).waitFor();
    await shot(page, "stream-cut");
    const node = mock.state.nodes[0];
    Object.assign(node, { name: "renamed-meanwhile", version: 2 });
    mock.hub.changed("node", node.id, 2);
    mock.hub.mend();
    await page.getByRole("link", { name: "renamed-meanwhile" }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await until("one stream a tab", () => mock.hub.count() === 1);
  });

  test("known data stays when the gateway is away and a new page says so", async ({ visit }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    await page.getByRole("link", { name: "Quotas" }).click();
    await page.getByRole("heading", { name: "Running sandboxes" }).waitFor();
    await page.goto(`${mock.url}/fleet`);
    await page.getByRole("link", { name: "workshop" }).waitFor();
    await settled(page);
    mock.down = true;
    mock.hub.cut();
    await page.getByText(/Live updates paused/).waitFor();
    expect(await page.getByRole("link", { name: "workshop" }).isVisible()).toBeTruthy();
    await page.getByRole("link", { name: "workshop" }).click();
    await page.getByText("This page could not be loaded").waitFor();
    // Its part of the page is here from before, its figures are not; lists of things may be, for notifications.
    await page.getByRole("link", { name: "Quotas" }).click();
    await page.getByText("The gateway cannot be reached").waitFor();
    await shot(page, "gateway-away");
    mock.down = false;
    mock.hub.mend();
    // The stream comes back by itself and asks again for all that is on screen.
    await page.getByRole("heading", { name: "Running sandboxes" }).waitFor();
  });

  test("failed requests are repeated when the gateway returns, also after a stream that resumes", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    await page.getByRole("link", { name: "Quotas" }).click();
    await page.getByRole("heading", { name: "Running sandboxes" }).waitFor();
    await page.goto(`${mock.url}/fleet`);
    await settled(page);
    await page.getByRole("link", { name: "Quotas" }).hover();
    await drawn(page);
    // An event was heard, so the stream resumes after it and nothing is read anew for its sake.
    const [node] = mock.state.nodes;
    Object.assign(node, { name: "workshop-2", version: 2 });
    mock.hub.changed("node", node.id, 2);
    await page.getByRole("link", { name: "workshop-2" }).waitFor();
    mock.down = true;
    mock.hub.cut();
    await page.getByText("Reconnecting", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Quotas" }).click();
    await page.getByText("The gateway cannot be reached").waitFor();
    mock.down = false;
    mock.hub.mend();
    await page.getByRole("heading", { name: "Running sandboxes" }).waitFor();
    await until("the failure to go", async () => (await page.getByText("cannot be reached").count()) === 0);
  });

  test("the page asks again by itself when it cannot learn who the person is", async ({ visit }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    await settled(page);
    mock.state.failNext.set("GET /api/auth/me", new Refusal(503, "unavailable", "The gateway is starting"));
    await page.goto(`${mock.url}/quotas`);
    await page.getByText("The gateway is starting").waitFor();
    mock.state.failNext.clear();
    await page.getByRole("heading", { name: "Running sandboxes" }).waitFor();
  });

  test("missing pages and parts load by themselves when the gateway returns", async ({ visit }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    const agent = agentNamed(mock.state, "mason");
    await settled(page);
    mock.down = true;
    mock.hub.cut();
    await page.getByText("Reconnecting", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Quotas" }).click();
    await page.getByText("This page could not be loaded").waitFor();
    expect(await page.title()).toMatch(/^Not loaded/);
    expect(await axe(page)).toStrictEqual([]);
    // A layer that does not arrive takes nothing away from the page, and can be asked for again.
    await page.keyboard.press("Control+k");
    await page.getByText("This page could not be loaded").waitFor();
    await page.getByText(/Live updates paused/).waitFor();
    await shot(page, "page-away");
    mock.down = false;
    mock.hub.mend();
    await page.getByText("Caught up. Updates are live again.").waitFor();
    await page.getByRole("heading", { name: "Running sandboxes" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Search places/ }).waitFor();
    await page.keyboard.press("Escape");
    // The same for a part of a page.
    await page.goto(`${mock.url}/claws/${agent.id}`);
    await page.getByRole("heading", { name: "Recent activity" }).waitFor();
    await settled(page);
    mock.down = true;
    mock.hub.cut();
    await page.getByRole("tab", { name: "Apps" }).click();
    await page.getByText("This part could not be loaded").waitFor();
    await page.getByRole("heading", { name: "mason" }).waitFor();
    mock.down = false;
    mock.hub.mend();
    await page.getByRole("heading", { name: "GitHub" }).waitFor();
  });

  test("a new build offers a reload and never reloads by itself", async ({ visit }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    await settled(page);
    mock.build = "mock-2";
    await page.getByRole("link", { name: "Quotas" }).click();
    await page.getByText("A new version of Roost is running").waitFor();
    await page.getByRole("button", { name: "Later" }).click();
  });
});
