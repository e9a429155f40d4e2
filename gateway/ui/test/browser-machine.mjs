// The page of one machine: its history in charts, its name and labels.
import { axe, settled, shot, tryAgain, until } from "./browser-kit.mjs";
import assert from "node:assert/strict";
import { Refusal } from "./mock/server.mjs";
import { makeHealth, makeNode } from "./mock/state.mjs";

const names = (page) => page.locator("tbody tr th a").allTextContents();

export const machineTests = (scene) => ({
  "a machine's history: the span is in the address, a drag zooms, a double click resets": () =>
    scene({ height: 900 }, async ({ mock, page }) => {
      await page.goto(`${mock.url}/fleet/${mock.state.nodes[1].id}`);
      const cpu = page.getByRole("figure", { name: "CPU over time" });
      await cpu.waitFor();
      await page.getByRole("figure", { name: "Graphics over time" }).waitFor();
      await page.getByRole("button", { name: "6 h" }).click();
      await until("the address to say so", () => page.url().includes("span=6h"));
      // A chart whose figures come in the middle of a drag forgets it, and a late font moves everything.
      await settled(page);
      const box = await cpu.boundingBox();
      const drag = async () => {
        await page.mouse.move(box.x + 200, box.y + 60);
        await page.mouse.down();
        await page.mouse.move(box.x + 320, box.y + 60, { steps: 6 });
        await page.mouse.up();
      };
      await drag();
      await page.getByRole("button", { name: "All of 6 h" }).waitFor();
      await shot(page, "history-zoomed");
      await page.mouse.dblclick(box.x + 260, box.y + 60);
      await until("the zoom to end", async () => (await page.getByText("All of 6 h").count()) === 0);
      await page.reload();
      await cpu.waitFor();
      await page.getByRole("button", { name: "6 h", pressed: true }).waitFor();
      assert.deepEqual(await axe(page), []);
    }),

  "a machine's history: all charts are read by arrow keys at the same moment, and held meanwhile": () =>
    scene({ height: 900 }, async ({ mock, page }) => {
      const node = mock.state.nodes[0];
      await page.goto(`${mock.url}/fleet/${node.id}`);
      const cpu = page.getByRole("figure", { name: "CPU over time" });
      await cpu.waitFor();
      await settled(page);
      await cpu.focus();
      await page.getByText("Held while you read").waitFor();
      await page.keyboard.press("Home");
      for (let n = 0; n < 3; n += 1) await page.keyboard.press("ArrowRight");
      const moment = async (name) =>
        /at (\d\d:\d\d:\d\d)/.exec(await page.getByRole("figure", { name }).textContent())?.[1];
      await until("a moment to be read", async () => (await moment("CPU over time")) !== undefined);
      await until(
        "all to read the same moment",
        async () => (await moment("Memory over time")) === (await moment("CPU over time")),
      );
      const read = await cpu.textContent();
      node.health = makeHealth(99, new Date(Date.now() + 1000).toISOString());
      node.version += 1;
      mock.hub.changed("node", node.id, node.version);
      await page.getByText("99 %").first().waitFor();
      assert.equal(await cpu.textContent(), read, "what is being read stays");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Shift+Tab");
      await page.evaluate(() => document.activeElement.blur());
      await until("it to go on", async () => (await page.getByText("Held while you read").count()) === 0);
    }),

  "a machine's history: nothing was reported, and a gateway that cannot tell": () =>
    scene({}, async ({ mock, page }) => {
      const node = makeNode("silent", { health: null, version: 3 });
      mock.state.nodes.push(node);
      await page.goto(`${mock.url}/fleet/${node.id}`);
      await page.getByText("Nothing was reported in the last hour.").waitFor();
      const path = `GET /api/nodes/${mock.state.nodes[0].id}/history`;
      mock.state.failNext.set(path, new Refusal(500, "internal", "Something failed inside the gateway"));
      await page.goto(`${mock.url}/fleet/${mock.state.nodes[0].id}`);
      await page.getByText("Something failed inside the gateway").waitFor();
      await page.getByRole("heading", { name: "Agents here" }).waitFor();
      await tryAgain(page, mock);
      await until("the error to go", async () => (await page.getByText("Something failed").count()) === 0);
    }),

  "labels and a name: changed in one dialog, a bad label is said at its field": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/fleet/${mock.state.nodes[0].id}`);
      await page.getByRole("button", { name: "Name and labels" }).click();
      const labels = page.getByRole("textbox", { name: "Labels" });
      const path = `PATCH /api/nodes/${mock.state.nodes[0].id}`;
      const wrong = { errors: [{ pointer: "/labels/0", detail: "must be small letters" }] };
      mock.state.failNext.set(path, new Refusal(400, "validation", "It was not changed", wrong));
      await labels.fill("rack-7 -bad");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("must be small letters").waitFor();
      mock.state.failNext.clear();
      await labels.fill("rack-7, Cellar");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("link", { name: "cellar" }).click();
      await until("the fleet to be filtered", async () => (await names(page)).join() === "workshop");
    }),
});
