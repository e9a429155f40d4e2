// Doors: what agents ask for, seen whole, decided on purpose, by one of several people.
import assert from "node:assert/strict";
import { axe, drawn, hasFocus, settled, shot, tryAgain, uncovered, until } from "./browser-kit.mjs";
import { makeDoor } from "./mock/doors.mjs";
import { ask, decide } from "./mock/routes-doors.mjs";
import { Refusal } from "./mock/server.mjs";

const open = (page) => page.getByRole("region", { name: "Waiting for a decision" });
const cards = (page) => open(page).getByRole("article");
const mine = (page) => cards(page).filter({ hasText: "octo/hello" });
const approve = (page) => mine(page).getByRole("button", { name: /^Approve/ });
const dialog = (page) => page.getByRole("alertdialog");
const act = (page, name) => dialog(page).getByRole("button", { name, exact: true });
const focused = (page) => page.evaluate(() => document.activeElement?.textContent ?? "");

async function doors(page, mock) {
  await page.goto(`${mock.url}/doors`);
  await cards(page).first().waitFor();
  await drawn(page);
  await page.getByText("Live", { exact: true }).first().waitFor({ state: "attached" });
  await drawn(page);
}

export const doorTests = (scene, both) => ({
  ...both("doors: what waits, whole and marked as foreign; what was decided, and what came of it", (theme) =>
    scene({ theme, waiting: true }, async ({ mock, page }) => {
      const answer = mock.hold("GET /api/doors");
      await page.goto(`${mock.url}/doors`);
      await page.getByText("Loading requests").waitFor({ state: "attached" });
      answer();
      await cards(page).first().waitFor();
      await mine(page).getByText("Written by the agent. Nobody has checked it").waitFor();
      assert.deepEqual(await mine(page).getByRole("term").allTextContents(), [
        "titleTitle",
        "bodyText",
        "labelsLabels",
      ]);
      await mine(page).getByText("23 h").waitFor();
      await cards(page)
        .nth(1)
        .getByText("24 min left")
        .or(cards(page).nth(1).getByText("25 min left"))
        .waitFor();
      const over = page.getByRole("list", { name: "Decided requests" });
      await over.getByText("octo/unclear").click();
      await over.getByText("Whether it was done is not known").waitFor();
      await over.getByText("octo/hello").click();
      const link = over.getByRole("link", { name: /Look at it on .*github.com/ });
      assert.equal(await link.getAttribute("href"), "https://github.com/octo/hello/issues/7");
      assert.match(await link.getAttribute("rel"), /noopener/);
      await drawn(page);
      assert.deepEqual(await axe(page), []);
      await shot(page, `doors-${theme}`);
    }),
  ),

  "doors: approving by keyboard takes two presses on purpose; Enter alone decides nothing": () =>
    scene({ waiting: true }, async ({ mock, page }) => {
      await doors(page, mock);
      await approve(page).focus();
      await page.keyboard.press("Enter");
      await hasFocus(act(page, "Cancel"));
      assert.deepEqual(await axe(page), []);
      await shot(page, "doors-approve");
      // A held key, and one more press, as somebody does who was typing elsewhere.
      await page.keyboard.press("Enter");
      await uncovered(page);
      assert.equal(mock.state.resolved, undefined, "nothing was decided");
      await hasFocus(approve(page));
      await page.keyboard.press("Enter");
      await hasFocus(act(page, "Cancel"));
      await page.keyboard.press("Tab");
      await hasFocus(act(page, "Approve"));
      await page.keyboard.press("Enter");
      await uncovered(page);
      assert.deepEqual(mock.state.resolved, ["approve"]);
      await mine(page).getByText("by you").waitFor();
      await mine(page)
        .getByRole("link", { name: /github.com/ })
        .waitFor();
      await until("the focus to be at what came of it", async () => (await focused(page)).includes("by you"));
    }),

  "doors: denying asks as well; a refusal stays in the dialog": () =>
    scene({ waiting: true }, async ({ mock, page }) => {
      await doors(page, mock);
      await mine(page).getByRole("button", { name: /^Deny/ }).click();
      const path = `POST /api/doors/${mock.state.doors[0].id}/resolve`;
      mock.state.failNext.set(path, new Refusal(403, "forbidden", "This is not allowed"));
      await act(page, "Deny").click();
      await dialog(page).getByText("does not include this right").waitFor();
      mock.state.failNext.clear();
      mock.down = true;
      await act(page, "Deny").click();
      await dialog(page).getByText("The gateway cannot be reached").waitFor();
      mock.down = false;
      await act(page, "Deny").click();
      await uncovered(page);
      await mine(page).getByText("Nothing was sent.").waitFor();
      assert.deepEqual(mock.state.resolved, ["deny"]);
    }),

  "doors: somebody else is faster, before and after the press": () =>
    scene({ waiting: true }, async ({ mock, page }) => {
      const grace = mock.state.people.members[1].user;
      await doors(page, mock);
      const [door, second] = mock.state.doors;
      await approve(page).click();
      decide(mock, door, "deny", grace);
      await dialog(page)
        .getByText(/Nothing is left to decide: denied by Grace/)
        .waitFor();
      assert.ok(await act(page, "Approve").isDisabled());
      assert.deepEqual(await axe(page), []);
      await shot(page, "doors-too-late");
      await act(page, "Cancel").click();
      await uncovered(page);
      await mine(page).getByText("by Grace").waitFor();
      // This time the news of it comes after the press.
      await cards(page)
        .filter({ hasText: "hooks.example.org" })
        .getByRole("button", { name: /^Approve/ })
        .click();
      Object.assign(second, { state: "denied", decided_by: grace, decided_at: new Date().toISOString() });
      await act(page, "Approve").click();
      await uncovered(page);
      await cards(page).filter({ hasText: "hooks.example.org" }).getByText("by Grace").waitFor();
      assert.equal(second.state, "denied");
    }),

  "doors: the list stays still under the pointer, and newcomers come below": () =>
    scene({ waiting: true }, async ({ mock, page }) => {
      await doors(page, mock);
      const [first, second] = mock.state.doors;
      await cards(page).nth(1).getByRole("button", { name: /^Deny/ }).hover();
      const place = () =>
        cards(page)
          .nth(1)
          .evaluate((one) => one.getBoundingClientRect().top);
      const before = await place();
      decide(mock, first, "deny", mock.state.people.members[1].user);
      ask(
        mock,
        makeDoor(mock.state.claws[2], { created_at: new Date().toISOString(), target: "octo/third" }),
      );
      await open(page).getByText("1 new").waitFor();
      await mine(page).getByText("by Grace").waitFor();
      assert.equal(await cards(page).count(), 2);
      assert.match(await cards(page).nth(1).textContent(), /hooks\.example\.org/);
      // What was decided grew by its outcome and lost its buttons; the next one must not have left the pointer.
      assert.ok(Math.abs((await place()) - before) <= 60, `moved by ${(await place()) - before}`);
      await page.getByRole("heading", { name: "Doors" }).hover();
      await until(
        "the news to be taken in",
        async () =>
          (await cards(page).allTextContents())
            .map((text) => /octo\/(third|hello)|hooks/.exec(text)[0])
            .join() === "hooks,octo/third",
      );
      assert.equal(second.state, "pending");
    }),

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
      await page.getByText("The requests failed").first().waitFor();
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
