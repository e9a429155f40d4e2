// The list of doors: its badge, what strangers may write into it, filters, older ones, failures, roles.
import assert from "node:assert/strict";
import { axe, drawn, settled, shot, tryAgain, until } from "./browser-kit.mjs";
import { act, cards, dialog, doors } from "./doors-kit.mjs";
import { makeDoor } from "./mock/doors.mjs";
import { ask, decide } from "./mock/routes-doors.mjs";
import { Refusal } from "./mock/server.mjs";

export const doorListTests = (scene) => ({
  "doors: a badge in the navigation, in every title and as a notification, gone with the decision": () =>
    scene({}, async ({ mock, page }) => {
      mock.state.doors = [];
      await page.goto(`${mock.url}/quotas`);
      await settled(page);
      assert.equal(await page.title(), "Quotas · Roost");
      const mason = mock.state.claws[1];
      const door = makeDoor(mason, { target: "octo/\u202Ehello" });
      ask(mock, door);
      await page.getByRole("link", { name: "Doors 1 waiting" }).waitFor();
      await until("the title to say so", async () => (await page.title()) === "(1) Quotas · Roost");
      await page.getByRole("button", { name: "Notifications, 1 new" }).click();
      const told = page.getByRole("list", { name: "What happened" });
      await told.getByText(/asks you to approve github.issues.create at octo\/\\u\{202e\}hello/).waitFor();
      assert.deepEqual(await axe(page), []);
      await shot(page, "doors-notification");
      await told.getByRole("link", { name: "mason" }).click();
      await cards(page).first().waitFor();
      decide(mock, door, "deny", mock.state.user);
      await page.getByRole("link", { name: "Doors", exact: true }).waitFor();
      await until("the title to forget it", async () => (await page.title()) === "Doors · Roost");
    }),

  "doors: hostile words stay words, nothing of a long one is hidden from who approves": () =>
    scene({ waiting: true, width: 360, height: 800 }, async ({ mock, page }) => {
      const long = `${"x".repeat(3000)}\nand the END`;
      mock.state.doors = [
        makeDoor(mock.state.claws[1], {
          summary: "**bold** <img src=x onerror=alert(1)> [click](https://evil.example) \u202Etxt",
          target: `octo/${"y".repeat(300)}`,
          params: { __proto__x: { deep: [1, null] }, body: long, title: "", url: "javascript:alert(1)" },
        }),
        makeDoor(mock.state.claws[1], {
          state: "performed",
          target: "octo/linked",
          decided_by: mock.state.user,
          // oxlint-disable-next-line no-script-url
          result: { url: "javascript:alert(1)", message: "<b>done</b>" },
        }),
      ];
      await doors(page, mock);
      await cards(page)
        .getByText("**bold** <img src=x onerror=alert(1)> [click](https://evil.example) \\u{202e}txt")
        .waitFor();
      assert.equal(await page.locator("main img, main b").count(), 0);
      assert.equal(await cards(page).getByText("and the END").count(), 0, "folded at first");
      await cards(page).getByRole("button", { name: "Show all of body" }).click();
      await cards(page).getByText("and the END").waitFor();
      await cards(page).getByRole("button", { name: "Fold body" }).click();
      await page.getByText("octo/linked").click();
      await page.getByText("<b>done</b>").waitFor();
      assert.equal(await page.locator('a[href^="javascript"]').count(), 0);
      const fits = () =>
        page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
      assert.ok(await fits(), "no sideways scroll");
      await cards(page)
        .getByRole("button", { name: /^Approve/ })
        .click();
      await dialog(page).getByText("and the END").waitFor();
      assert.equal(
        await dialog(page)
          .getByRole("button", { name: /^Show all/ })
          .count(),
        0,
      );
      assert.ok(await act(page, "Approve").isVisible());
      assert.deepEqual(await axe(page), []);
      await shot(page, "doors-hostile-phone");
    }),

  "doors: none, older ones on demand, filters, failures, and what a viewer sees": () =>
    scene({ waiting: true }, async ({ mock, page }) => {
      mock.state.doorPage = 2;
      const path = "GET /api/doors";
      mock.state.failNext.set(path, new Refusal(500, "internal", "The requests failed"));
      await page.goto(`${mock.url}/doors`);
      // What waits and what was decided are asked for apart, and fail apart: one that fails later is tried again by itself.
      const again = page.getByRole("button", { name: "Try again" });
      await until("both to have failed", async () => (await again.count()) === 2);
      await tryAgain(page, mock);
      await cards(page).first().waitFor();
      await page.reload();
      const over = page.getByRole("list", { name: "Decided requests" }).getByRole("listitem");
      await cards(page).first().waitFor();
      await settled(page);
      await page.getByRole("button", { name: "Show older ones" }).click();
      await until("two more", async () => (await over.count()) === 2);
      await page.getByRole("button", { name: "Show older ones" }).click();
      await until("all", async () => (await over.count()) === 3);
      assert.equal(await page.getByRole("button", { name: "Show older ones" }).count(), 0);
      await page.keyboard.press("/");
      await page.keyboard.type("webhook");
      await until(
        "one to be left",
        async () => (await cards(page).count()) === 1 && (await over.count()) === 0,
      );
      await page.getByLabel(/^Filter by agent/).fill("no such thing");
      await page.getByRole("heading", { name: "No waiting request fits the filter" }).waitFor();
      mock.state.role = "viewer";
      mock.state.doors = mock.state.doors.filter((one) => one.state === "pending");
      await page.goto(`${mock.url}/doors`);
      await page.getByText(/You may not approve or deny what agents ask for/).waitFor();
      await cards(page).first().waitFor();
      assert.equal(await page.getByRole("button", { name: /^(Approve|Deny)/ }).count(), 0);
      mock.state.doors = [];
      await page.reload();
      await page.getByRole("heading", { name: "No agent asks for anything" }).waitFor();
      await drawn(page);
      assert.deepEqual(await axe(page), []);
      await shot(page, "doors-empty");
    }),
});
