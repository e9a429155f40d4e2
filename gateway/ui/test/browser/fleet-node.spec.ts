// The page of one machine: its history in charts, its name and labels.
import type { Locator, Page } from "@playwright/test";
import { axe, choose, settled, shot, tryAgain, until } from "../kit.ts";
import { makeHealth, makeNode } from "../mock/nodes.ts";
import { Refusal } from "../mock/refusal.ts";
import { expect, test } from "./fixtures.ts";

/** How much of a chart's width its line covers, in hundredths. */
const covered = (chart: Locator) =>
  chart.locator("canvas").evaluate((canvas: HTMLCanvasElement) => {
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, width, height);
    // The axes are grey; only the line and its ground have a colour.
    const coloured = (at: number) =>
      Math.max(...data.slice(at, at + 3)) - Math.min(...data.slice(at, at + 3)) > 60;
    let columns = 0;
    for (let x = 0; x < width; x += 1) {
      let found = false;
      for (let y = 0; y < height && !found; y += 1)
        found = data[(y * width + x) * 4 + 3] > 60 && coloured((y * width + x) * 4);
      if (found) columns += 1;
    }
    return Math.round((100 * columns) / width);
  });

const names = (page: Page) => page.locator("tbody tr th a").allTextContents();

test.describe("fleet: machine", () => {
  test("a machine that fetches an image shows how far it is, and why it does not come", async ({ visit }) => {
    const { mock, page } = await visit({ height: 1400 });
    const node = mock.state.nodes[1];
    await page.goto(`${mock.url}/fleet/${node.id}`);
    const bar = page.getByRole("progressbar", { name: "Fetching roost-agent:node" });
    await bar.waitFor();
    await expect(bar).toHaveAttribute("aria-valuetext", /of 240 MB|of 228.* MiB|of 229 MiB/);
    await axe(page);
    await shot(page, "machine-fetches-an-image");
    node.images[2]!.fetch = {
      done_bytes: 0,
      total_bytes: 0,
      problem: "the image needs 900 MiB of disk and 100 are free; free some space and start roostd again",
    };
    await page.reload();
    await page.getByText("free some space and start roostd again").waitFor();
    await expect(page.getByText("Cannot be fetched")).toBeVisible();
  });

  test("a machine's history keeps its span in the address, zooms with a drag and resets with a double click", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ height: 900 });
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
      await page.mouse.move(box!.x + 200, box!.y + 60);
      await page.mouse.down();
      await page.mouse.move(box!.x + 320, box!.y + 60, { steps: 6 });
      await page.mouse.up();
    };
    await drag();
    await page.getByRole("button", { name: "All of 6 h" }).waitFor();
    await shot(page, "history-zoomed");
    await page.mouse.dblclick(box!.x + 260, box!.y + 60);
    await until("the zoom to end", async () => (await page.getByText("All of 6 h").count()) === 0);
    await page.reload();
    await cpu.waitFor();
    await page.getByRole("button", { name: "6 h", pressed: true }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
  });

  test("arrow keys read all charts at the same moment and hold them meanwhile", async ({ visit }) => {
    const { mock, page } = await visit({ height: 900 });
    const node = mock.state.nodes[0];
    await page.goto(`${mock.url}/fleet/${node.id}`);
    const cpu = page.getByRole("figure", { name: "CPU over time" });
    await cpu.waitFor();
    await settled(page);
    await cpu.focus();
    await page.getByText("Held while you read").waitFor();
    await page.keyboard.press("Home");
    for (let n = 0; n < 3; n += 1) await page.keyboard.press("ArrowRight");
    const moment = async (name: string) =>
      /at (\d\d:\d\d:\d\d)/.exec((await page.getByRole("figure", { name }).textContent()) ?? "")?.[1];
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
    expect(await cpu.textContent(), "what is being read stays").toBe(read);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Shift+Tab");
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await until("it to go on", async () => (await page.getByText("Held while you read").count()) === 0);
  });

  test("charts are neither held nor emptied when the pointer already lies on them", async ({ visit }) => {
    const { mock, page } = await visit({ height: 900 });
    const [first, second] = mock.state.nodes;
    const cpu = page.getByRole("figure", { name: "CPU over time" });
    await page.goto(`${mock.url}/fleet/${second.id}`);
    await cpu.waitFor();
    await settled(page);
    const box = await cpu.boundingBox();
    await page.goto(`${mock.url}/fleet`);
    await page.mouse.move(box!.x + 150, box!.y + 60);
    // The machine itself is known before its history is, as it was when the charts stayed empty.
    const answer = mock.hold("GET /api/nodes/{id}/history");
    await page.getByRole("link", { name: first.name, exact: true }).focus();
    await page.keyboard.press("Enter");
    await cpu.waitFor();
    await page.keyboard.press("Escape");
    answer();
    await until("the history to be drawn", async () => (await covered(cpu)) > 60);
    expect(await page.getByText("Held while you read").count()).toBe(0);
    await shot(page, "history-under-a-pointer");
    await page.mouse.move(box!.x + 170, box!.y + 60);
    await page.getByText("Held while you read").waitFor();
    expect((await covered(cpu)) > 60, "what is held is what was drawn").toBeTruthy();
    // The next machine's charts are its own, wherever the pointer lies.
    await page.keyboard.press("[");
    await page.getByRole("heading", { name: mock.state.nodes[3].name }).waitFor();
    expect(await page.getByText("Held while you read").count()).toBe(0);
    await page.mouse.move(5, 5);
  });

  test("held values of one figure are not shown as another figure", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/fleet?view=figures&metric=cpu`);
    const list = page.getByRole("region", { name: "One figure of all machines" });
    const tile = list.getByRole("listitem").filter({ hasText: "workshop" });
    await tile.waitFor();
    await settled(page);
    await tile.hover();
    await page.getByText("Held while you read").waitFor();
    const drawn = () => tile.locator("path").getAttribute("d");
    const cpu = await drawn();
    await choose(page.getByLabel("Figure", { exact: true }), "memory");
    await until("the other figure to be drawn", async () => (await drawn().catch(() => cpu)) !== cpu);
  });

  test("a machine's history says so when nothing was reported and when the gateway fails", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const node = makeNode("silent", { health: null, version: 3 });
    mock.state.nodes.push(node);
    await page.goto(`${mock.url}/fleet/${node.id}`);
    await page.getByText("Nothing was reported in the last hour.").waitFor();
    const path = `GET /api/nodes/${mock.state.nodes[0].id}/history`;
    mock.state.failNext.set(path, new Refusal(500, "internal", "Something failed inside the gateway"));
    await page.goto(`${mock.url}/fleet/${mock.state.nodes[0].id}`);
    await page.getByText("Something failed inside the gateway").waitFor();
    await page.getByRole("heading", { name: "Sandboxes here" }).waitFor();
    await tryAgain(page, mock);
    await until("the error to go", async () => (await page.getByText("Something failed").count()) === 0);
  });

  test("activity stands newest first with who, command, result and time", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/fleet/${mock.state.nodes[0].id}`);
    const rows = page.getByRole("region", { name: "Activity" }).getByRole("listitem");
    await rows.first().waitFor();
    await settled(page);
    await page.getByRole("button", { name: "Show older ones" }).click();
    await page.getByText("ran an internal step").waitFor();
    const shown = await rows.allInnerTexts();
    const order = [
      "cargo test --workspace",
      "src/lib.rs",
      "ls /nope; exit 3",
      "sleep 1000",
      "make release",
      "Roost created the sandbox in the sandbox of scribe",
      "cargo bench",
      "ran an internal step",
    ];
    expect(shown.length).toBe(order.length);
    for (const [at, what] of order.entries())
      expect(shown[at].includes(what), `${what}: ${shown[at]}`).toBeTruthy();
    expect(shown[0]).toMatch(/Done[\s\S]*mason ran cargo test --workspace[\s\S]*1\.8 s/);
    expect(shown[2]).toMatch(
      /Exit 3[\s\S]*A person ran ls \/nope; exit 3 in the sandbox of mason[\s\S]*31 ms/,
    );
    expect(shown.join()).not.toMatch(/sb_|python3|\b0 ms/);
  });

  test("labels and name change in one dialog and a bad label is shown at its field", async ({ visit }) => {
    const { mock, page } = await visit();
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
  });
});
