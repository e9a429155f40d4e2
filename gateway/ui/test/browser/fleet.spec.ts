// The pages of machines: history, one figure of all, the filter, many at once, long lists, phones.
import type { Page } from "@playwright/test";
import { axe, choose, drawn, settled, shot, tryAgain, until } from "../kit.ts";
import { makeHealth, makeNode } from "../mock/nodes.ts";
import { Refusal } from "../mock/refusal.ts";
import { agentNamed, expect, type Mock, test, THEMES } from "./fixtures.ts";

const names = (page: Page) => page.locator("tbody tr th a").allTextContents();

/** A mock fleet of a size. */
function grow(state: Mock["state"], count: number) {
  for (let n = state.nodes.length; n < count; n += 1)
    state.nodes.push(
      makeNode(`box-${String(n).padStart(4, "0")}`, {
        health: makeHealth(n % 100),
        labels: n % 10 === 0 ? ["gpu"] : [],
      }),
    );
}

test.describe("fleet", () => {
  test("one figure of all machines is chosen in the address and shows gaps and missing reports", async ({
    visit,
  }) => {
    const { page } = await visit({ at: "/fleet" });
    await page.getByRole("button", { name: "Compare metrics" }).click();
    await page.getByRole("link", { name: /gpu-tower/ }).waitFor();
    await until(
      "the lines to be drawn",
      async () => (await page.locator("main svg path[d*='M'][d*='L']").count()) === 3,
    );
    await choose(page.getByLabel("Figure", { exact: true }), { label: "Graphics" });
    await until("the address to say so", () => /view=figures.*metric=gpu/.test(page.url()));
    await until(
      "others to have reported none",
      async () => (await page.getByText("not reported").count()) === 3,
    );
    await page.getByRole("button", { name: "24 h" }).click();
    await page.reload();
    await page.getByRole("link", { name: /gpu-tower/ }).waitFor();
    expect(await page.getByLabel("Figure", { exact: true }).getAttribute("data-value")).toBe("gpu");
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "figures-gpu");
  });

  test("a moment is read on all machines at once, with the pointer and with the arrow keys", async ({
    visit,
  }) => {
    const { page } = await visit({ at: "/fleet" });
    await page.getByRole("button", { name: "Compare metrics" }).click();
    const tile = page.getByRole("link", { name: /gpu-tower/ });
    await tile.getByText("100 %").waitFor();
    await settled(page);
    const chart = tile.locator("svg");
    const { x, y, width } = (await chart.boundingBox())!;
    await page.mouse.move(x + width - 20, y + 20);
    await page.mouse.move(x + width - 1, y + 20);
    // The time and the value; the axis below ends at the same time.
    const tip = tile.getByText(/^\d\d:\d\d, [\d.]+ %$/);
    await tip.waitFor();
    const end = (await tip.textContent())!.slice(0, 5);
    expect(await tile.getByText(end, { exact: true }).count()).toBe(1);
    const cross = page.locator("main li svg line[x1='240']");
    await until("the line to be on each machine that reported", async () => (await cross.count()) >= 3);
    await page.mouse.move(1, 1);
    await until("it to go away", async () => (await tip.count()) === 0);
    await tile.focus();
    await page.keyboard.press("ArrowLeft");
    await page
      .getByRole("status")
      .filter({ hasText: `${end}, ` })
      .waitFor();
    await page.keyboard.press("ArrowLeft");
    await until("an earlier moment", async () => !(await tip.textContent())!.startsWith(end));
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "figures-moment");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "gpu-tower" }).waitFor();
  });

  test("the filter takes states and labels, keeps them in the address and can be cleared", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    await page.getByRole("button", { name: /^label:gpu/ }).click();
    await until("one row", async () => (await names(page)).join() === "gpu-tower");
    await until("the address to say so", () => page.url().includes("label"));
    await page.reload();
    await until("the same row after a reload", async () => (await names(page)).join() === "gpu-tower");
    await page.getByLabel(/^Filter:/).fill("state:off");
    await until("the offline one", async () => (await names(page)).join() === "attic-nas");
    await page.getByLabel(/^Filter:/).fill("state:online label:none");
    await page.getByText("No machine fits the filter").waitFor();
    await page.getByRole("button", { name: "Clear filter" }).last().click();
    await until("all rows", async () => (await names(page)).length === mock.state.nodes.length);
  });

  test("several machines are drained one by one with a result each and failures are tried again", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    const bad = mock.state.nodes.find((node) => node.name === "gpu-tower");
    const path = `POST /api/nodes/${bad!.id}/drain`;
    mock.state.failNext.set(path, new Refusal(503, "node-held-elsewhere", "Another gateway has it"));
    for (const name of ["workshop", "gpu-tower"]) await page.getByLabel(`Select ${name}`).check();
    await page.getByRole("button", { name: "Drain…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Not started").first().waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await dialog.getByRole("button", { name: "Drain 2 machines" }).click();
    await dialog.getByText("Done for 1 of 2. 1 failed.").waitFor();
    await dialog.getByText("Another gateway has it").waitFor();
    await shot(page, "bulk-drain");
    mock.state.failNext.clear();
    await dialog.getByRole("button", { name: "Try 1 again" }).click();
    await dialog.getByText("Done for 2 machines.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await until(
      "both to drain",
      async () => (await page.locator("tbody").getByText("Draining", { exact: true }).count()) === 2,
    );
  });

  test("a machine is drained with its sandboxes and says what waits and when it is empty", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    const node = mock.state.nodes.find((one) => one.name === "workshop")!;
    const [agent] = mock.state.claws;
    mock.state.draining = [
      {
        id: "s1",
        owner_kind: "claw",
        owner_id: agent!.id,
        owner_name: agent!.name,
        state: "running",
        waits_for: "command",
        detail: "A command runs in it. It moves when the command has ended.",
      },
    ];
    await page.getByRole("link", { name: "workshop" }).click();
    await page.getByRole("button", { name: "Drain", exact: true }).click();
    const dialog = page.getByRole("alertdialog");
    await dialog.getByText("They are saved and continue").waitFor();
    await dialog.getByLabel("Move elsewhere").check();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "drain-dialog");
    await dialog.getByRole("button", { name: "Drain and move" }).click();
    await page.getByText("Draining: 1 sandbox left.").waitFor();
    await page.getByText("It moves when the command has ended.").waitFor();
    expect(node.moves).toBe(true);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "draining");
    Object.assign(node, {
      drained: true,
      emptied_at: "2026-11-27T07:00:00Z",
      version: node.version + 1,
    });
    mock.hub.changed("node", node.id, node.version);
    await page.getByText(/^It became empty/).waitFor();
    await page.getByText("Empty", { exact: true }).waitFor();
    await shot(page, "drained-empty");
    await page.getByRole("button", { name: "End draining" }).click();
    await until("the panel to go", async () => (await page.getByText(/^It became empty/).count()) === 0);
  });

  test("a thousand machines need a short answer, few rows and requests for changes only", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    grow(mock.state, 1_000);
    await page.goto(`${mock.url}/fleet`);
    const bytes = await page.evaluate(async () => (await (await fetch("/api/nodes/lines")).text()).length);
    expect(bytes < 220_000, `${bytes} bytes for 1,000 machines of the mock`).toBeTruthy();
    await page.getByText("1000 machines").waitFor();
    const rows = await page.locator("tbody tr").count();
    expect(rows < 60, `only what is in view is drawn, not ${rows}`).toBeTruthy();
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await page.getByRole("link", { name: "workshop" }).waitFor();
    await settled(page);
    mock.state.lineRequests.length = 0;
    const [node] = mock.state.nodes;
    Object.assign(node, { health: makeHealth(88), version: node.version + 1 });
    mock.hub.changed("node", node.id, node.version);
    await page
      .getByRole("row", { name: /workshop/ })
      .getByRole("cell")
      .getByText("88 %")
      .first()
      .waitFor();
    expect(mock.state.lineRequests, "one line, not the list").toStrictEqual([1]);
    await shot(page, "fleet-thousand");
  });

  test("keys work in a long list when the row is not drawn yet: j, k, x and Enter", async ({ visit }) => {
    const { mock, page } = await visit();
    grow(mock.state, 300);
    await page.goto(`${mock.url}/fleet`);
    await page.getByText("300 machines").waitFor();
    await settled(page);
    const at = () => page.evaluate(() => document.activeElement?.textContent);
    // Keys that are pressed before the page listens are kept, but only a few of them.
    await page.keyboard.press("j");
    await until("the first row to have the focus", async () => (await at()) === "attic-nas");
    for (let n = 1; n < 60; n += 1) await page.keyboard.press("j");
    // The second is box-0004.
    await until("the sixtieth row to have the focus", async () => (await at()) === "box-0062");
    await page.keyboard.press("x");
    await page.getByText("1 selected").waitFor();
    await page.keyboard.press("k");
    await page.keyboard.press("x");
    await page.getByText("2 selected").waitFor();
    expect(await page.getByLabel("Select box-0061").isChecked()).toBeTruthy();
    // Somebody scrolls far away, and goes on from what is in view.
    await page.evaluate(() => {
      (document.activeElement as HTMLElement).blur();
      window.scrollTo(0, 0);
    });
    await page.getByRole("link", { name: "attic-nas" }).waitFor();
    await until("the first row to be in view", async () => {
      await page.keyboard.press("j");
      const name = await at();
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      return name === "attic-nas";
    });
    // Rows pass under the pointer while they are scrolled, and take it again afterwards.
    await page.mouse.move(500, 500);
    await page.mouse.wheel(0, 900);
    const rows = page.locator("tbody");
    await until("the page to have scrolled", () => page.evaluate(() => window.scrollY === 900));
    await drawn(page);
    await until("the rows to take the pointer", () =>
      rows.evaluate((body) => body.style.pointerEvents === ""),
    );
    await page.getByLabel("Select box-0030").check();
    await page.getByText("3 selected").waitFor();
    await page.getByRole("link", { name: "box-0030" }).hover();
    await page.getByText("order held").waitFor();
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.getByRole("link", { name: "attic-nas" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "attic-nas" }).waitFor();
  });

  test("rows under the pointer stay in place when their values change", async ({ visit }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    const row = page.getByRole("row", { name: /workshop/ });
    await settled(page);
    await row.hover();
    await page.getByText("order held").waitFor();
    const before = await row.boundingBox();
    const [node] = mock.state.nodes;
    Object.assign(node, { health: makeHealth(66), version: node.version + 1 });
    const gone = mock.state.nodes.findIndex((one) => one.name === "attic-nas");
    const [away] = mock.state.nodes.splice(gone, 1);
    const fresh = makeNode("aaa");
    mock.state.nodes.push(fresh);
    for (const one of [node, away, fresh]) mock.hub.changed("node", one.id, one.version + 1);
    await row.getByRole("cell").getByText("66 %").first().waitFor();
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await row.boundingBox()).toStrictEqual(before);
    expect(
      await page.getByRole("link", { name: "attic-nas" }).isVisible(),
      "the gone stays, struck through",
    ).toBeTruthy();
    await page.mouse.move(1, 1);
    await until("the order to follow", async () => (await names(page))[0] === "aaa");
  });

  test("the list keeps known machines and shows their age when the gateway is away or fails", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    mock.state.failNext.set("GET /api/nodes/lines", new Refusal(500, "internal", "The list failed"));
    await page.goto(`${mock.url}/fleet`);
    await page.getByText("The list failed").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await tryAgain(page, mock);
    await page.getByRole("link", { name: "workshop" }).waitFor();
  });

  test("pairing warns and names the setting when no other machine can reach the address", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ full: false });
    await page.goto(`${mock.url}/fleet?dialog=pair`);
    await page.getByRole("button", { name: "Create command" }).click();
    const note = page.getByRole("dialog").getByRole("note").filter({ hasText: "public_url" });
    await note.getByText("Other machines can't reach this address.").waitFor();
    await note.getByText(new URL(mock.url).host, { exact: true }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "pair-loopback");
    mock.state.publicUrl = "https://roost.example";
    await page.getByRole("button", { name: "Get a new command" }).click();
    await page.getByText("https://roost.example").first().waitFor();
    expect(await note.count()).toBe(0);
  });

  test("pairing continues when its dialog is closed and can be watched again from its row", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ full: false });
    await page.goto(`${mock.url}/fleet?dialog=pair`);
    await page.getByRole("button", { name: "Create command" }).click();
    await page.getByText("Waiting for your machine…").waitFor();
    const [node] = mock.state.nodes;
    Object.assign(node, { hostname: "den.lan", version: 2 });
    mock.hub.changed("node", node.id, 2);
    await page.getByText("The code was used by den.lan").waitFor();
    await page.getByRole("button", { name: "Close, keep waiting" }).click();
    await page.getByText("Pairing", { exact: true }).waitFor();
    expect(mock.state.nodes.length, "closing cancels nothing").toBe(1);
  });

  for (const theme of THEMES)
    test(`the page of a pairing machine makes a new command and replaces the old entry (${theme})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ full: false, theme, width: theme === "dark" ? 390 : 1440 });
      await page.goto(`${mock.url}/fleet?dialog=pair`);
      await page.getByLabel("Name of the machine").fill("attic");
      await page.getByRole("button", { name: "Create command" }).click();
      await page.getByText("Waiting for your machine…").waitFor();
      const [old] = mock.state.nodes;
      await page.goto(`${mock.url}/fleet/${old.id}`);
      await page.getByRole("heading", { name: "This machine has not joined yet" }).waitFor();
      await settled(page);
      await page.getByRole("button", { name: "Create new command" }).click();
      await page.getByLabel("Command", { exact: true }).waitFor();
      await until(
        "the old entry to be gone",
        () => mock.state.nodes.length === 1 && mock.state.nodes[0].id !== old.id,
      );
      const [node] = mock.state.nodes;
      expect(node.name).toBe("attic");
      expect(new URL(page.url()).pathname).toBe(`/fleet/${node.id}`);
      expect(await page.getByLabel("Command", { exact: true }).textContent()).toContain(node.id.slice(-6));
      await settled(page);
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `pair-again-${theme}`);
      Object.assign(node, { status: "online", connection: "connected", hostname: "attic.lan", version: 2 });
      mock.hub.changed("node", node.id, 2);
      await page.getByText("Pairing command").waitFor({ state: "detached" });
    });

  test("a viewer sees on the page of a pairing machine who can pair machines", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    await page.goto(`${mock.url}/fleet?dialog=pair`);
    await page.getByRole("button", { name: "Create command" }).click();
    await page.getByText("Waiting for your machine…").waitFor();
    mock.state.role = "viewer";
    await page.goto(`${mock.url}/fleet/${mock.state.nodes[0].id}`);
    await page.getByText(/You may not pair machines/).waitFor();
    expect(await page.getByRole("button", { name: "Create new command" }).count()).toBe(0);
  });

  test("each control of the fleet can be reached when the page is 320 pixels wide", async ({ visit }) => {
    const { mock, page } = await visit({ width: 320, height: 700 });
    const agent = agentNamed(mock.state, "mason");
    for (const path of [
      "/fleet",
      "/fleet?view=figures",
      "/fleet?dialog=pair",
      `/fleet/${mock.state.nodes[0].id}`,
      "/agents",
      `/claws/${agent.id}`,
      `/claws/${agent.id}?app=activity`,
      `/claws/${agent.id}?app=apps`,
      "/operator",
      "/operator/promises",
    ]) {
      await page.goto(mock.url + path);
      await drawn(page, path);
      const [scroll, client] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
      ]);
      expect(scroll <= client, `${path} scrolls sideways: ${scroll} > ${client}`).toBeTruthy();
    }
  });
});
