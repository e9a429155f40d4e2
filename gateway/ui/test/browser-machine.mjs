// The page of one machine: its history in charts, its name and labels.
import { axe, settled, shot, tryAgain, until } from "./browser-kit.mjs";
import assert from "node:assert/strict";
import { Refusal } from "./mock/server.mjs";
import { makeHealth, makeNode } from "./mock/state.mjs";

/** How much of a chart's width its line covers, in hundredths. */
const covered = (chart) =>
  chart.locator("canvas").evaluate((canvas) => {
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    // The axes are grey; only the line and its ground have a colour.
    const coloured = (at) => Math.max(...data.slice(at, at + 3)) - Math.min(...data.slice(at, at + 3)) > 60;
    let columns = 0;
    for (let x = 0; x < width; x += 1) {
      let found = false;
      for (let y = 0; y < height && !found; y += 1)
        found = data[(y * width + x) * 4 + 3] > 60 && coloured((y * width + x) * 4);
      if (found) columns += 1;
    }
    return Math.round((100 * columns) / width);
  });

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

  "a machine's history: a pointer that lies there already neither holds nor empties the charts": () =>
    scene({ height: 900 }, async ({ mock, page }) => {
      const [first, second] = mock.state.nodes;
      const cpu = page.getByRole("figure", { name: "CPU over time" });
      await page.goto(`${mock.url}/fleet/${second.id}`);
      await cpu.waitFor();
      await settled(page);
      const box = await cpu.boundingBox();
      await page.goto(`${mock.url}/fleet`);
      await page.mouse.move(box.x + 150, box.y + 60);
      // The machine itself is known before its history is, as it was when the charts stayed empty.
      const answer = mock.hold("GET /api/nodes/:id/history");
      await page.getByRole("link", { name: first.name, exact: true }).focus();
      await page.keyboard.press("Enter");
      await cpu.waitFor();
      await page.keyboard.press("Escape");
      answer();
      await until("the history to be drawn", async () => (await covered(cpu)) > 60);
      assert.equal(await page.getByText("Held while you read").count(), 0);
      await shot(page, "history-under-a-pointer");
      await page.mouse.move(box.x + 170, box.y + 60);
      await page.getByText("Held while you read").waitFor();
      assert.ok((await covered(cpu)) > 60, "what is held is what was drawn");
      // The next machine's charts are its own, wherever the pointer lies.
      await page.keyboard.press("[");
      await page.getByRole("heading", { name: mock.state.nodes[3].name }).waitFor();
      assert.equal(await page.getByText("Held while you read").count(), 0);
      await page.mouse.move(5, 5);
    }),

  "a fleet's figures: what is held of one figure is not shown as another": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/fleet?view=figures&metric=cpu`);
      const list = page.getByRole("region", { name: "One figure of all machines" });
      const tile = list.getByRole("listitem").filter({ hasText: "workshop" });
      await tile.waitFor();
      await settled(page);
      await tile.hover();
      await page.getByText("Held while you read").waitFor();
      const drawn = () => tile.locator("path").getAttribute("d");
      const cpu = await drawn();
      await page.getByLabel("Figure", { exact: true }).selectOption("memory");
      await until("the other figure to be drawn", async () => (await drawn().catch(() => cpu)) !== cpu);
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

  "operations: newest first, each with its time, its command and how it ended": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/fleet/${mock.state.nodes[0].id}`);
      const rows = page.getByRole("list", { name: "Operations" }).getByRole("listitem");
      await rows.first().waitFor();
      await settled(page);
      const shown = await rows.allInnerTexts();
      const order = [
        "cargo test --workspace",
        "src/lib.rs",
        "ls /nope; exit 3",
        "sleep 1000",
        "make release",
        "Create sandbox",
        "cargo bench",
        "Internal step",
      ];
      assert.equal(shown.length, order.length);
      for (const [at, what] of order.entries()) assert.ok(shown[at].includes(what), `${what}: ${shown[at]}`);
      assert.match(shown[0], /1\.8 s[\s\S]*Done[\s\S]*mason/);
      assert.match(shown[2], /31 ms[\s\S]*Exit 3/);
      assert.doesNotMatch(shown.join(), /sb_|python3|\b0 ms/);
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
