// The states of the people's pages: loading without a shift, failing with a way out, the gateway away, 320 pixels wide.
import {
  axe,
  axeBoth,
  choose,
  drawn,
  hasFocus,
  settled,
  shift,
  shot,
  shotBoth,
  tryAgain,
  uncovered,
  until,
} from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { expect, test } from "./fixtures.ts";

const MOST_SHIFT = 0.02;

const PAGES: Record<string, string> = {
  members: "/members",
  account: "/account",
  audit: "/audit",
  quotas: "/quotas",
  settings: "/settings",
  "settings-sign-in": "/settings/sign-in",
  "settings-connections": "/settings/connections",
  "settings-mesh": "/settings/mesh",
  "settings-broker": "/settings/broker",
};

const ASKED: Record<string, string> = {
  members: "GET /api/workspaces/w1/members",
  account: "GET /api/auth/sessions",
  audit: "GET /api/audit",
  quotas: "GET /api/quota",
  "settings-sign-in": "GET /api/setup",
  "settings-connections": "GET /api/apps/options",
  "settings-mesh": "GET /api/fleet/meshvpn",
  "settings-broker": "GET /api/ops/broker",
};

test.describe("states of pages", () => {
  test("the skeleton has the size of the content when a page loads", async ({ visit }) => {
    const { mock, page } = await visit();
    const shifts: Record<string, number> = {};
    for (const [name, path] of Object.entries(PAGES)) {
      mock.state.delayMs = 400;
      await page.goto(mock.url + path);
      await page.locator("h1").first().waitFor();
      await shot(page, `loading-${name}`);
      await settled(page);
      mock.state.delayMs = 0;
      shifts[name] = Number((await shift(page)).toFixed(4));
    }
    test.info().annotations.push({ type: "layout shift", description: JSON.stringify(shifts) });
    for (const [name, sum] of Object.entries(shifts))
      expect(sum <= MOST_SHIFT, `${name} moves by ${sum}`).toBeTruthy();
  });

  test("each page says what failed with its request and can be tried again", async ({ visit }) => {
    const { mock, page } = await visit();
    for (const [name, asked] of Object.entries(ASKED)) {
      mock.state.failNext.set(asked, new Refusal(500, "internal", "Something failed inside the gateway"));
      await page.goto(mock.url + PAGES[name]);
      await page.getByText("Something failed inside the gateway").first().waitFor();
      await page
        .getByText(/^req-\d+$/)
        .first()
        .waitFor();
      expect(await page.locator("h1").count(), "the page itself is there").toBe(1);
      expect(await axeBoth(page), name).toStrictEqual([]);
      await shotBoth(page, `failed-${name}`);
      await tryAgain(page, mock);
      await until(
        "it to be well again",
        async () => (await page.getByText("Something failed inside").count()) === 0,
      );
    }
  });

  test("known data stays readable and actions report no answer when the gateway is away", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/members`);
    await page.getByText("grace@example.org").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    mock.down = true;
    mock.hub.cut();
    await page.getByText("Reconnecting", { exact: true }).waitFor();
    await page.getByText(/Live updates paused/).waitFor();
    await page.getByText("grace@example.org").waitFor();
    await choose(page.getByLabel("Role of Grace"), "viewer");
    await page.getByRole("button", { name: "Change role" }).click();
    await page.getByText("The gateway cannot be reached", { exact: true }).waitFor();
    await until(
      "it to be put back",
      async () => (await page.getByLabel("Role of Grace").getAttribute("data-value")) === "admin",
    );
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "members-away");
    mock.down = false;
    mock.hub.mend();
    await page.getByText("Caught up. Updates are live again.").waitFor();
    await until("that to go", async () => (await page.getByText("Caught up").count()) === 0);
  });

  test("nothing is missing or scrolls sideways when the page is 320 pixels wide", async ({ visit }) => {
    const { mock, page } = await visit({ width: 320, height: 700 });
    for (const [name, path] of Object.entries({
      ...PAGES,
      invitation: "/invitation#rit_known",
      lost: "/no/such",
    })) {
      await page.goto("about:blank");
      await page.goto(mock.url + path);
      await drawn(page);
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wide <= 0, `${name} is ${wide} too wide`).toBeTruthy();
      expect(await axeBoth(page), name).toStrictEqual([]);
      await shotBoth(page, `narrow-${name}`);
    }
  });

  test("a member is invited, a token made and the workspace renamed by keyboard", async ({ visit }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    const reach = async (name: string) => {
      for (let step = 0; step < 60; step += 1) {
        await page.keyboard.press("Tab");
        const at = await page.evaluate(() => {
          const here = document.activeElement as HTMLInputElement | null;
          return here?.getAttribute("aria-label") ?? here?.labels?.[0]?.textContent ?? here?.textContent;
        });
        if (at === name) return;
      }
      throw new Error(`${name} cannot be reached by Tab`);
    };
    await settled(page);
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await page.getByText("grace@example.org").waitFor();
    await reach("Invite");
    await page.keyboard.press("Enter");
    await hasFocus(page.getByRole("dialog").locator("input, [role=combobox]").first());
    await reach("Create link");
    await page.keyboard.press("Enter");
    await page.getByLabel("Link").waitFor();
    await page.keyboard.press("Escape");
    await until("the focus to be back at its opener", () =>
      page.evaluate(() => document.activeElement!.textContent === "Invite"),
    );
    await uncovered(page);
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.getByText("This session").waitFor();
    await reach("New token");
    await page.keyboard.press("Enter");
    await hasFocus(page.getByLabel("What it is for"));
    await page.keyboard.type("by keys");
    await page.keyboard.press("Enter");
    await page.getByLabel("Token", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await uncovered(page);
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByRole("textbox", { name: "Name" }).waitFor();
    await reach("Name");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Typed");
    await page.keyboard.press("Enter");
    await until("the new name to arrive", () => mock.state.people.workspaces[0].name === "Typed");
  });
});
