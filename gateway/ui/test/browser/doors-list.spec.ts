// The list of approvals: its badge, what strangers may write into it, filters, older ones, failures, roles.
import { axe, axeBoth, drawn, settled, shot, shotBoth, tryAgain, until } from "../kit.ts";
import { makeDoor } from "../mock/doors.ts";
import { Refusal } from "../mock/refusal.ts";
import { ask, decide } from "../mock/routes-doors.ts";
import { act, cards, dialog, doors, open } from "./doors-kit.ts";
import { expect, test } from "./fixtures.ts";

test.describe("doors: list", () => {
  test("a waiting request shows a badge, a title and a notification until it is decided", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    mock.state.doors = [];
    await page.goto(`${mock.url}/quotas`);
    await settled(page);
    expect(await page.title()).toBe("Quotas · Roost");
    const mason = mock.state.claws[1];
    const door = makeDoor(mason, { target: "octo/\u202Ehello" });
    ask(mock, door);
    await page.getByRole("link", { name: "Approvals 1 waiting" }).waitFor();
    await until("the title to say so", async () => (await page.title()) === "(1) Quotas · Roost");
    await page.getByRole("button", { name: "Notifications, 1 new" }).click();
    const told = page.getByRole("list", { name: "What happened" });
    await told.getByText(/asks for your approval to open an issue at \u2068octo\/\\u\{202e\}hello/).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "doors-notification");
    await told.getByRole("link", { name: "mason" }).click();
    await page.getByRole("article", { name: "mason: Open an issue" }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/approvals/${door.id}`);
    decide(mock, door, "deny", mock.state.user);
    await page.getByRole("article").getByText("Denied").waitFor();
    await until(
      "the title to forget it",
      async () => (await page.title()) === "Open an issue · Approvals · Roost",
    );
  });

  for (const width of [390, 1440])
    test(`a request has an address, before and after the decision (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ waiting: true, width, height: 900 });
      const [waiting, hook] = mock.state.doors;
      await doors(page, mock);
      await cards(page).getByRole("link", { name: "Tell a webhook" }).click();
      await page.getByRole("article").getByText("hooks.example").first().waitFor();
      expect(new URL(page.url()).pathname).toBe(`/approvals/${hook.id}`);
      await page.getByRole("button", { name: /^Deny/ }).click();
      await dialog(page).getByText("asks to send an event to its webhook.").waitFor();
      expect(await dialog(page).getByText("webhook.event.send").count()).toBe(0);
      expect(await axeBoth(page)).toStrictEqual([]);
      await act(page, "Deny").click();
      await page.getByRole("article").getByText("Denied").waitFor();
      expect(await page.getByRole("button", { name: /^(Approve|Deny)/ }).count()).toBe(0);
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `door-decided-${width}`);
      await page.goto(`${mock.url}/approvals/${waiting.id}`);
      await page.getByRole("button", { name: /^Approve/ }).waitFor();
      await settled(page);
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `door-waits-${width}`);
      await page.goto(`${mock.url}/approvals/0198c0de-0000-7000-8002-ffffffffffff`);
      await page.getByRole("heading", { name: "This request does not exist" }).waitFor();
      await settled(page);
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `door-missing-${width}`);
      await page.getByRole("link", { name: "All approvals" }).click();
      await cards(page).first().waitFor();
    });

  test("hostile words stay text and a long request is shown whole to the person who approves it", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ waiting: true, width: 360, height: 800 });
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
    expect(await page.locator("main img, main b").count()).toBe(0);
    expect(await cards(page).getByText("and the END").count(), "folded at first").toBe(0);
    await cards(page).getByRole("button", { name: "Show all of body" }).click();
    await cards(page).getByText("and the END").waitFor();
    await cards(page).getByRole("button", { name: "Fold body" }).click();
    await page.getByText("octo/linked").click();
    await page.getByText("<b>done</b>").waitFor();
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    const fits = () =>
      page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
    expect(await fits(), "no sideways scroll").toBeTruthy();
    await cards(page)
      .getByRole("button", { name: /^Approve/ })
      .click();
    await dialog(page).getByText("and the END").waitFor();
    expect(
      await dialog(page)
        .getByRole("button", { name: /^Show all/ })
        .count(),
    ).toBe(0);
    expect(await act(page, "Approve").isVisible()).toBeTruthy();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "doors-hostile-phone");
  });

  test("the lists handle no requests, older requests, filters, failures and viewers", async ({ visit }) => {
    const { mock, page } = await visit({ waiting: true });
    mock.state.doorPage = 2;
    const path = "GET /api/doors";
    mock.state.failNext.set(path, new Refusal(500, "internal", "The requests failed"));
    await page.goto(`${mock.url}/approvals`);
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
    expect(await page.getByRole("button", { name: "Show older ones" }).count()).toBe(0);
    await page.keyboard.press("/");
    await page.keyboard.type("webhook");
    await until(
      "one to be left",
      async () => (await cards(page).count()) === 1 && (await over.count()) === 0,
    );
    await page.getByLabel(/^Filter by agent/).fill("no such thing");
    await page.getByRole("heading", { name: "No pending request fits the filter" }).waitFor();
    mock.state.role = "viewer";
    mock.state.doors = mock.state.doors.filter((one) => one.state === "pending");
    await page.goto(`${mock.url}/approvals`);
    await page.getByText(/You may not approve or deny what agents ask for/).waitFor();
    await cards(page).first().waitFor();
    expect(await page.getByRole("button", { name: /^(Approve|Deny)/ }).count()).toBe(0);
    mock.state.doors = [];
    await page.reload();
    await page.getByRole("heading", { name: "No pending approvals" }).waitFor();
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "doors-empty");
  });

  test("a request that arrives under the pointer is not selected with those on screen", async ({ visit }) => {
    const { mock, page } = await visit({ waiting: true });
    await doors(page, mock);
    const all = open(page).getByRole("checkbox", { name: "Select all that are listed" });
    await all.hover();
    ask(mock, makeDoor(mock.state.claws[2], { created_at: new Date().toISOString(), target: "octo/third" }));
    await open(page).getByText("1 new").waitFor();
    await all.check();
    const bar = page.getByRole("toolbar", { name: "Selected requests" });
    await bar.getByText("2 selected").waitFor();
    expect(await all.isChecked(), "all that can be seen are selected").toBe(true);
    await bar.getByRole("button", { name: "Deny…" }).click();
    const denying = page.getByRole("dialog", { name: "Deny 2 requests?" });
    await denying.getByRole("button", { name: "Deny 2 requests" }).click();
    await denying.getByText("Done for 2 requests.").waitFor();
    expect(mock.state.doors.filter(({ target }) => target === "octo/third")[0].state).toBe("pending");
  });
});
