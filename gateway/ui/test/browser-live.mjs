// What happens by itself: pairing, changes, a cut stream, held rows.
import assert from "node:assert/strict";
import { axe, drawn, settled, shot, until } from "./browser-kit.mjs";
import { Refusal } from "./mock/server.mjs";
import { makeHealth, makeNode } from "./mock/state.mjs";

export const liveTests = (scene) => ({
  "pairing: one command, waiting, connected, engine, image, without a reload": () =>
    scene({ full: false }, async ({ mock, page }) => {
      await page.getByRole("button", { name: "Pair a machine" }).click();
      await page.getByLabel("Name of the machine").fill("den");
      await page.keyboard.press("Enter");
      await page.getByText("Waiting for your machine…").waitFor();
      await page.getByRole("tab", { name: "With checksum" }).click();
      assert.match(
        await page.getByRole("tabpanel", { name: "With checksum" }).getByLabel("Command").textContent(),
        /sha256sum/,
      );
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
      assert.deepEqual(await axe(page), []);
      await shot(page, "pair-connected");
      await page.getByRole("link", { name: "Open den" }).click();
      await page.getByRole("heading", { name: "den" }).waitFor();
    }),

  "pairing: a code that ran out is renewed, and leaves no second row": () =>
    scene({ full: false }, async ({ mock, page }) => {
      await page.clock.install();
      await page.goto(`${mock.url}/fleet?dialog=pair`);
      await page.getByRole("button", { name: "Make the command" }).click();
      await page.getByText("Waiting for your machine…").waitFor();
      await page.clock.fastForward(601_000);
      await page.getByText("This code has run out").waitFor();
      await page.getByRole("button", { name: "Get a new command" }).click();
      await until("one row to remain", () => mock.state.nodes.length === 1);
    }),

  "a node's change shows without a reload, and its charts grow": () =>
    scene({}, async ({ mock, page }) => {
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
    }),

  "drain asks, undrain does not; both show at once": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/fleet/${mock.state.nodes[0].id}`);
      await page.getByRole("button", { name: "Drain", exact: true }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Drain" }).click();
      await page.getByText("Draining", { exact: true }).waitFor();
      await page.getByRole("button", { name: "End draining" }).click();
      await page.getByRole("button", { name: "Drain", exact: true }).waitFor();
    }),

  "a machine that breaks its promise is said to": () =>
    scene({}, async ({ mock, page }) => {
      mock.state.breakProbe = "engine_socket";
      await page.goto(`${mock.url}/fleet/${mock.state.nodes[0].id}`);
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByText("1 of 14 measures do not hold").waitFor();
      assert.deepEqual(await axe(page), []);
      await shot(page, "verify-fails");
    }),

  "rows under the pointer stay; newcomers wait behind a button": () =>
    scene({}, async ({ mock, page }) => {
      await page.getByRole("link", { name: "workshop" }).hover();
      await page.getByText("order held").waitFor();
      const before = await page.locator("tbody tr th a").allTextContents();
      const node = makeNode("aardvark");
      mock.state.nodes.push(node);
      mock.hub.changed("node", node.id, 1);
      await page.getByRole("button", { name: "1 new" }).waitFor();
      assert.deepEqual(await page.locator("tbody tr th a").allTextContents(), before);
      await page.getByRole("button", { name: "1 new" }).click();
      await page.getByRole("link", { name: "aardvark" }).waitFor();
    }),

  "a cut stream: the dot at once, the banner after three seconds, nothing moves, caught up afterwards": () =>
    scene({}, async ({ mock, page }) => {
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
    }),

  "the gateway away: data stays, a new page says so": () =>
    scene({}, async ({ mock, page }) => {
      await page.getByRole("link", { name: "Quotas" }).click();
      await page.getByRole("heading", { name: "Running sandboxes" }).waitFor();
      await page.goto(`${mock.url}/fleet`);
      await page.getByRole("link", { name: "workshop" }).waitFor();
      await settled(page);
      mock.down = true;
      mock.hub.cut();
      await page.getByText(/Live updates paused/).waitFor();
      assert.ok(await page.getByRole("link", { name: "workshop" }).isVisible());
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
    }),

  "the gateway away: what failed meanwhile is asked again, also by a stream that goes on where it was cut":
    () =>
      scene({}, async ({ mock, page }) => {
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
        await until(
          "the failure to go",
          async () => (await page.getByText("cannot be reached").count()) === 0,
        );
      }),

  "the gateway away: a page that cannot learn who one is asks again by itself": () =>
    scene({}, async ({ mock, page }) => {
      await settled(page);
      mock.state.failNext.set("GET /api/auth/me", new Refusal(503, "unavailable", "The gateway is starting"));
      await page.goto(`${mock.url}/quotas`);
      await page.getByText("The gateway is starting").waitFor();
      mock.state.failNext.clear();
      await page.getByRole("heading", { name: "Running sandboxes" }).waitFor();
    }),

  "the gateway away: a page and its parts that did not arrive come by themselves when it is back": () =>
    scene({}, async ({ mock, page }) => {
      const agent = mock.state.claws.find((claw) => claw.name === "mason");
      await settled(page);
      mock.down = true;
      mock.hub.cut();
      await page.getByText("Reconnecting", { exact: true }).waitFor();
      await page.getByRole("link", { name: "Quotas" }).click();
      await page.getByText("This page could not be loaded").waitFor();
      assert.match(await page.title(), /^Not loaded/);
      assert.deepEqual(await axe(page), []);
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
    }),

  "a new build offers a reload and never does it": () =>
    scene({}, async ({ mock, page }) => {
      mock.build = "mock-2";
      await page.getByRole("link", { name: "Quotas" }).click();
      await page.getByText("A new version of Roost is running").waitFor();
      await page.getByRole("button", { name: "Later" }).click();
    }),
});
