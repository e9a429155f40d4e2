// The operator's pages: the tree as it lives, explanations, restarts, promises.
import assert from "node:assert/strict";
import { axe, hasFocus, settled, shot, until } from "./browser-kit.mjs";
import { makeNode } from "./mock/state.mjs";
import { makeTree, find } from "./mock/tree.mjs";

const row = (page, name) => page.getByRole("row", { name }).first();

export const operatorTests = (scene) => ({
  "the tree: for operators, by arrow keys, Enter explains, restart asks first": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/operator`);
      await row(page, /root/).focus();
      for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
      assert.match(await page.evaluate(() => document.activeElement.textContent), /node-workshop/);
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      await page.getByText("the socket closed in the middle of a frame").first().waitFor();
      await page.getByRole("heading", { name: "What was lost" }).waitFor();
      assert.match(page.url(), /actor=/);
      assert.deepEqual(await axe(page), []);
      await shot(page, "tree-explained");
      await page.getByRole("dialog").getByRole("button", { name: "Restart" }).click();
      await page.getByRole("alertdialog").waitFor();
      await hasFocus(page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }));
      await page.getByRole("alertdialog").getByRole("button", { name: "Restart" }).click();
      await until("the restart to arrive", () => mock.state.restarted?.length === 1);
      assert.equal(mock.state.restarted[0], "root/fleet/node-workshop");
    }),

  "the tree: what may not be restarted says why": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/operator?actor=${encodeURIComponent("root/sandboxes/scribe/exec-1")}`);
      await page.getByText("It cannot be restarted: it is work that runs once").waitFor();
      assert.ok(await page.getByRole("dialog").getByRole("button", { name: "Restart" }).isDisabled());
      await page.keyboard.press("Escape");
      await until("the address to forget it", () => !page.url().includes("actor="));
    }),

  "the tree: search, kind and workspace are in the address": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/operator`);
      await page.getByLabel("Find an actor").fill("exec-1");
      await row(page, /scribe/).waitFor();
      await until("others to be left out", async () => (await page.getByText("node-workshop").count()) === 0);
      await page.getByLabel("Find an actor").fill("");
      await page.getByLabel("Kind", { exact: true }).selectOption("node");
      await row(page, /node-workshop/).waitFor();
      await until("other kinds to be left out", async () => (await row(page, /scribe/).count()) === 0);
      await page.getByLabel("Works for", { exact: true }).selectOption({ label: "Ada's workshop" });
      await until("the address to say so", () => /kind=node.*tenant=w1/.test(page.url()));
      await page.reload();
      await row(page, /node-workshop/).waitFor();
      assert.equal(await row(page, /scribe/).count(), 0);
    }),

  "the tree: hundreds beside each other stand by kind, open on demand, and are found by name": () =>
    scene({}, async ({ mock, page }) => {
      for (let n = mock.state.nodes.length; n < 260; n += 1)
        mock.state.nodes.push(makeNode(`box-${String(n).padStart(4, "0")}`));
      await page.goto(`${mock.url}/operator`);
      const group = row(page, /Node: 260/);
      await group.waitFor();
      assert.equal(await row(page, /box-0100/).count(), 0);
      assert.deepEqual(await axe(page), []);
      await shot(page, "tree-grouped");
      await group.focus();
      await page.keyboard.press("Enter");
      await row(page, /60 more/).waitFor();
      await row(page, /box-0100/).waitFor();
      await page.keyboard.press("ArrowLeft");
      await until("it to close", async () => (await row(page, /box-0100/).count()) === 0);
      await page.getByLabel("Find an actor").fill("box-0250");
      await row(page, /node-box-0250/).waitFor();
      assert.equal(await row(page, /Node: 260/).count(), 0, "few need no group");
    }),

  "the tree: values change in place, and nothing moves under a pointer": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/operator`);
      const http = row(page, /^http/);
      await http.waitFor();
      await settled(page);
      await http.hover();
      await page.getByText("order held").waitFor();
      const before = await http.boundingBox();
      const tree = makeTree(mock.state.nodes);
      const actor = find(tree, "root/http");
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
      assert.deepEqual(await http.boundingBox(), before, "the row under the pointer stays");
      await row(page, /^store/)
        .getByText("Gone")
        .waitFor();
      assert.equal(await page.getByText("newcomer").count(), 0);
      await page.getByRole("button", { name: "1 new" }).click();
      await page.getByText("newcomer").waitFor();
      await page.mouse.move(0, 0);
      await page.evaluate(() => document.activeElement?.blur());
      await until("the gone to leave", async () => (await row(page, /^store/).count()) === 0);
    }),

  "the tree: an Owner is told nothing of supervisors, and sees no zero for it": () =>
    scene({}, async ({ mock, page }) => {
      mock.state.operator = false;
      mock.state.ownTree = true;
      await page.goto(`${mock.url}/operator`);
      const cells = async (name) => (await row(page, name).getByRole("gridcell").allTextContents()).slice(2);
      await row(page, /^http/).waitFor();
      assert.deepEqual([...new Set((await cells(/^http/)).slice(1, 4))], ["–"]);
      assert.equal(await page.getByRole("link", { name: "Promises" }).count(), 0);
    }),

  "the tree: a lost stream says so and comes back by itself; a lost right ends it": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/operator`);
      await row(page, /^http/).waitFor();
      mock.down = true;
      mock.state.treeCut = true;
      await page.getByText("Not live, trying again").waitFor();
      assert.equal(await row(page, /^http/).count(), 1, "what was seen stays");
      mock.state.treeCut = false;
      mock.down = false;
      await until("the tree to be live again", async () => (await page.getByText("Not live").count()) === 0);
      mock.state.operator = false;
      await page.getByRole("heading", { name: "The tree is for operators" }).waitFor();
    }),

  "promises: kept, broken and not yet promised are told apart": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/operator`);
      await page.getByRole("link", { name: "Promises" }).click();
      await page.getByRole("heading", { name: "Promises" }).waitFor();
      await page.getByText("Kept").waitFor();
      await page.getByText("Broken once").waitFor();
      await page.getByText("Not yet promised").waitFor();
      assert.deepEqual(await axe(page), []);
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
    }),
});
