// The operator's pages: the tree as it lives, explanations, restarts, promises.
import type { Page } from "@playwright/test";
import { axe, choose, hasFocus, settled, shot, until } from "../kit.ts";
import { makeNode } from "../mock/nodes.ts";
import { makeTree, find } from "../mock/tree.ts";
import { expect, test } from "./fixtures.ts";

const row = (page: Page, name: RegExp) => page.getByRole("row", { name }).first();

test.describe("operator", () => {
  test("an operator walks the tree by arrow keys, Enter explains an actor and a restart asks first", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/operator`);
    await row(page, /root/).focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    expect(await page.evaluate(() => document.activeElement!.textContent)).toMatch(/node-workshop/);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.getByText("the socket closed in the middle of a frame").first().waitFor();
    await page.getByRole("heading", { name: "What was lost" }).waitFor();
    expect(page.url()).toMatch(/actor=/);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "tree-explained");
    await page.getByRole("dialog").getByRole("button", { name: "Restart" }).click();
    await page.getByRole("alertdialog").waitFor();
    await hasFocus(page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }));
    await page.getByRole("alertdialog").getByRole("button", { name: "Restart" }).click();
    await until("the restart to arrive", () => mock.state.restarted?.length === 1);
    expect(mock.state.restarted![0]).toBe("root/fleet/node-workshop");
  });

  test("an actor says why when it may not be restarted", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/operator?actor=${encodeURIComponent("root/sandboxes/scribe/exec-1")}`);
    await page.getByText("It cannot be restarted: it is work that runs once").waitFor();
    expect(await page.getByRole("dialog").getByRole("button", { name: "Restart" }).isDisabled()).toBeTruthy();
    await page.keyboard.press("Escape");
    await until("the address to forget it", () => !page.url().includes("actor="));
  });

  test("search, kind and workspace of the tree are in the address", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/operator`);
    await page.getByLabel("Find an actor").fill("exec-1");
    await row(page, /scribe/).waitFor();
    await until("others to be left out", async () => (await page.getByText("node-workshop").count()) === 0);
    await page.getByLabel("Find an actor").fill("");
    await choose(page.getByLabel("Kind", { exact: true }), "node");
    await row(page, /node-workshop/).waitFor();
    await until("other kinds to be left out", async () => (await row(page, /scribe/).count()) === 0);
    await choose(page.getByLabel("Works for", { exact: true }), { label: "Ada's workshop" });
    await until("the address to say so", () => /kind=node.*tenant=w1/.test(page.url()));
    await page.reload();
    await row(page, /node-workshop/).waitFor();
    expect(await row(page, /scribe/).count()).toBe(0);
  });

  test("hundreds of siblings are grouped by kind, open on demand and are found by name", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    for (let n = mock.state.nodes.length; n < 260; n += 1)
      mock.state.nodes.push(makeNode(`box-${String(n).padStart(4, "0")}`));
    await page.goto(`${mock.url}/operator`);
    const group = row(page, /Node: 260/);
    await group.waitFor();
    expect(await row(page, /box-0100/).count()).toBe(0);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "tree-grouped");
    await group.focus();
    await page.keyboard.press("Enter");
    await row(page, /60 more/).waitFor();
    await row(page, /box-0100/).waitFor();
    await page.keyboard.press("ArrowLeft");
    await until("it to close", async () => (await row(page, /box-0100/).count()) === 0);
    await page.getByLabel("Find an actor").fill("box-0250");
    await row(page, /node-box-0250/).waitFor();
    expect(await row(page, /Node: 260/).count(), "few need no group").toBe(0);
  });

  test("values change in place and nothing moves under the pointer", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/operator`);
    const http = row(page, /^http/);
    await http.waitFor();
    await settled(page);
    await http.hover();
    await page.getByText("order held").waitFor();
    const before = await http.boundingBox();
    const tree = makeTree(mock.state.nodes);
    const actor = find(tree, "root/http")!;
    mock.state.treeNews = [
      {
        changed: [
          { parent: "root/fleet", actor: { ...actor, id: "root/fleet/newcomer", name: "newcomer" } },
          { parent: "root", actor: { ...actor, handled: 9_999 } },
        ],
        gone: ["root/store"],
      },
    ];
    await http.getByText("9,999").or(http.getByText("9999")).first().waitFor();
    expect(await http.boundingBox(), "the row under the pointer stays").toStrictEqual(before);
    await row(page, /^store/)
      .getByText("Gone")
      .waitFor();
    expect(await page.getByText("newcomer").count()).toBe(0);
    await page.getByRole("button", { name: "1 new" }).click();
    await page.getByText("newcomer").waitFor();
    await page.mouse.move(0, 0);
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await until("the gone to leave", async () => (await row(page, /^store/).count()) === 0);
  });

  test("an Owner sees no supervisors and no zero in their place", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.operator = false;
    mock.state.ownTree = true;
    await page.goto(`${mock.url}/operator`);
    const cells = async (name: RegExp) =>
      (await row(page, name).getByRole("gridcell").allTextContents()).slice(2);
    await row(page, /^http/).waitFor();
    expect([...new Set((await cells(/^http/)).slice(1, 4))]).toStrictEqual(["–"]);
    expect(await page.getByRole("link", { name: "Promises" }).count()).toBe(0);
  });

  test("a lost stream is shown and returns by itself and a lost right ends it", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/operator`);
    await row(page, /^http/).waitFor();
    mock.down = true;
    mock.state.treeCut = true;
    await page.getByText("Not live, trying again").waitFor();
    expect(await row(page, /^http/).count(), "what was seen stays").toBe(1);
    mock.state.treeCut = false;
    mock.down = false;
    await until("the tree to be live again", async () => (await page.getByText("Not live").count()) === 0);
    mock.state.operator = false;
    await page.getByRole("heading", { name: "The tree is for operators" }).waitFor();
  });

  test("promises that are kept, broken and not yet made are distinguished", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/operator`);
    await page.getByRole("link", { name: "Promises" }).click();
    await page.getByRole("heading", { name: "Promises" }).waitFor();
    await page.getByText("Kept").waitFor();
    await page.getByText("Broken once").waitFor();
    await page.getByText("Not in force yet").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    mock.state.brokenNow = 4;
    await page.getByText("Broken 4 times").waitFor();
    mock.down = true;
    mock.state.treeCut = true;
    await page.getByText("Not live, trying again").waitFor();
    await page.getByText("Broken 4 times").waitFor();
    mock.state.treeCut = false;
    mock.down = false;
    await until("it to be live again", async () => (await page.getByText("Not live").count()) === 0);
    mock.state.operator = false;
    await page.getByRole("heading", { name: "The promises are for operators" }).waitFor();
  });
});
