// Long lists: filters, saved views, sorting, selection, many at once, and rows that are links.
import type { Page } from "@playwright/test";
import { axe, axeBoth, drawn, hasFocus, settled, shot, shotBoth, until } from "../kit.ts";
import { ago, newId } from "../mock/ids.ts";
import { Refusal } from "../mock/refusal.ts";
import { makeRun } from "../mock/runs.ts";
import { makeClaw } from "../mock/state.ts";
import { makeRoutine } from "../mock/routes-routines.ts";
import { makeTeam } from "../mock/teams.ts";
import { expect, type Mock, test } from "./fixtures.ts";

const names = (page: Page) => page.locator("tbody tr th[scope=row] a:first-of-type").allTextContents();
const shows = (page: Page, ...wanted: string[]) =>
  until(`the list to show ${wanted.join()}`, async () => (await names(page)).join() === wanted.join());

const HOUR = 3600;

/** Six runs of two teams, by two people. */
function runs({ state }: Mock) {
  const [ledger] = state.teams.list;
  const other = makeTeam(state, state.templates[1], { name: "Atlas" });
  state.teams.list.push(other);
  const ada = state.people.members.find(({ user }) => user.id !== state.user.id)!.user;
  const make = (title: string, hours: number, more: Parameters<typeof makeRun>[1]) =>
    makeRun(state, {
      title,
      created_at: ago(hours * HOUR),
      started_at: ago(hours * HOUR),
      ended_at: more?.status === "running" || more?.status === "queued" ? null : ago(hours * HOUR - 600),
      team_id: ledger.id,
      ...more,
    });
  state.runs.list = [
    make("Read the log", 0.2, { status: "running", cost_microusd: 10 }),
    make("Write the log", 0.4, { status: "queued", started_at: null }),
    make("Mend the tests", 30, {
      status: "completed",
      outcome: "rejected",
      cost_microusd: 2_400_000,
      team_id: other.id,
      created_by: ada,
    }),
    make("Mend the build", 50, {
      status: "completed",
      outcome: "accepted",
      cost_microusd: 900,
      ended_at: ago(10 * HOUR),
    }),
    make("Old work", 24 * 20, { status: "failed", error: "it broke" }),
    make("Older work", 24 * 90, { status: "cancelled", created_by: ada }),
  ];
  return { ledger, other, ada };
}

const choose = async (page: Page, label: string, option: string) => {
  await page.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
};

test.describe("lists", () => {
  test("runs are narrowed by state, outcome, team, person and time, all of it in the address", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ width: 1440 });
    const { other, ada } = runs(mock);
    await page.goto(`${mock.url}/runs`);
    await shows(
      page,
      "Read the log",
      "Write the log",
      "Mend the tests",
      "Mend the build",
      "Old work",
      "Older work",
    );
    await choose(page, "State", "Completed");
    await shows(page, "Mend the tests", "Mend the build");
    await choose(page, "Outcome", "Rejected");
    await shows(page, "Mend the tests");
    await choose(page, "State", "Any");
    await choose(page, "Outcome", "Any");
    await choose(page, "Team", "Atlas");
    await shows(page, "Mend the tests");
    await until("the address to say so", () => page.url().endsWith(`?team=${other.id}`));
    await choose(page, "Started by", ada.name);
    await page.reload();
    await shows(page, "Mend the tests");
    await page.getByRole("link", { name: "All", exact: true }).click();
    await choose(page, "Started by", ada.name);
    await shows(page, "Mend the tests", "Older work");
    await page.getByLabel("Filter by title").fill("WORK");
    await shows(page, "Older work");
    await page.getByLabel("Filter by title").fill("");
    await choose(page, "Started by", "Any");
    await page.getByRole("button", { name: /^Time range/ }).click();
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("button", { name: "Last 30 days" }).click();
    await shows(page, "Read the log", "Write the log", "Mend the tests", "Mend the build", "Old work");
    await page.getByRole("button", { name: "Time range: Last 30 days" }).click();
    await page.getByRole("button", { name: "Last 7 days" }).click();
    await shows(page, "Read the log", "Write the log", "Mend the tests", "Mend the build");
    await until("the address to say so", () => page.url().endsWith("?when=7d"));
    await page.getByLabel("Filter by title").fill("nothing like it");
    await page.getByText("No run fits the filter").waitFor();
    await page.getByRole("button", { name: "Clear filter" }).last().click();
    await shows(
      page,
      "Read the log",
      "Write the log",
      "Mend the tests",
      "Mend the build",
      "Old work",
      "Older work",
    );
  });

  test("a choice and a range of days are made with the keyboard alone", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440 });
    runs(mock);
    await page.goto(`${mock.url}/runs`);
    await settled(page);
    const state = page.getByRole("combobox", { name: "State", exact: true });
    await state.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("listbox").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    // Letters choose here. They are no keys of the page: `x`, `j` and `g` would be.
    await page.keyboard.type("can");
    const active = await page.getByRole("option", { name: "Cancelled" }).getAttribute("id");
    await until(
      "the one that was typed to be active",
      async () => (await state.getAttribute("aria-activedescendant")) === active,
    );
    await page.keyboard.press("Enter");
    await shows(page, "Older work");
    await hasFocus(state);
    await page.keyboard.press("Enter");
    await page.getByRole("listbox").waitFor();
    await page.keyboard.press("Escape");
    await until("it to close", async () => (await page.getByRole("listbox").count()) === 0);
    await shows(page, "Older work");
    await choose(page, "State", "Any");

    const range = page.getByRole("button", { name: /^Time range/ });
    await range.focus();
    await page.keyboard.press("Enter");
    const layer = page.getByRole("dialog", { name: "Time range" });
    await layer.getByText("Choose the first day.").waitFor();
    const today = layer.locator("[aria-current=date]");
    await today.focus();
    await page.keyboard.press("ArrowRight");
    expect(await today.evaluate((one) => one === document.activeElement), "no day after today").toBeTruthy();
    await page.keyboard.press("ArrowLeft");
    await until("yesterday to have the focus", () =>
      today.evaluate(
        (one) => one !== document.activeElement && document.activeElement!.matches("[data-day]"),
      ),
    );
    await page.keyboard.press("Enter");
    await layer.getByText("Choose the last day.").waitFor();
    await page.keyboard.press("ArrowRight");
    await hasFocus(today);
    await page.keyboard.press("Enter");
    await until("it to close", async () => (await layer.count()) === 0);
    await until("the days to be in the address", () =>
      /from=\d{4}-\d\d-\d\d&until=\d{4}-\d\d-\d\d$/.test(page.url()),
    );
    await hasFocus(range);
    await until("older ones to go", async () => !(await names(page)).includes("Old work"));
  });

  test("headings sort, say so, and go back to the list's own order", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440 });
    runs(mock);
    await page.goto(`${mock.url}/runs`);
    await settled(page);
    const head = (name: string) => page.getByRole("columnheader", { name, exact: true });
    expect(await head("Started").getAttribute("aria-sort")).toBe("descending");
    await head("Cost").getByRole("button").click();
    await until("the dearest first", async () => (await names(page))[0] === "Mend the tests");
    expect(await head("Cost").getAttribute("aria-sort")).toBe("descending");
    await until("the address to say so", () => page.url().endsWith("?sort=-cost"));
    await head("Duration").getByRole("button").click();
    await until("the longest first", async () => (await names(page))[0] === "Mend the build");
    await head("Started").getByRole("button").click();
    await until("the newest first", async () => (await names(page))[0] === "Read the log");
    await head("Started").getByRole("button").click();
    await until("the oldest first", async () => (await names(page))[0] === "Older work");
    expect(await head("Started").getAttribute("aria-sort")).toBe("ascending");
  });

  test("columns keep their places while times and states change", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440 });
    runs(mock);
    await page.goto(`${mock.url}/runs`);
    await settled(page);
    const places = () =>
      page.locator("thead th").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x));
    const before = await places();
    const [run] = mock.state.runs.list;
    Object.assign(run, {
      status: "completed",
      outcome: "undecided",
      cost_microusd: 123_456_789,
      title: "x".repeat(300),
      started_at: ago(400_000),
      ended_at: ago(1),
    });
    mock.hub.changed("run", run.id, 9);
    await page.getByText("Undecided", { exact: true }).waitFor();
    expect(await places()).toStrictEqual(before);
  });

  test("a row is its link: a press follows it, Ctrl opens a tab, a text selection and links of its own do not", async ({
    visit,
  }) => {
    const { mock, page, context } = await visit({ width: 1440 });
    const { ledger } = runs(mock);
    await page.goto(`${mock.url}/runs`);
    await settled(page);
    const row = page.getByRole("row", { name: /Old work/ });
    const cost = row.getByRole("cell").last();
    const opened = context.waitForEvent("page");
    await cost.click({ modifiers: ["ControlOrMeta"] });
    const tab = await opened;
    await until("the run in a tab of its own", () => tab.url().includes("/runs/"));
    await tab.close();
    const second = context.waitForEvent("page");
    await cost.click({ button: "middle" });
    await (await second).close();
    // Words are selected by drawing over them.
    const word = (await row.getByText("Failed", { exact: true }).boundingBox())!;
    await page.mouse.move(word.x + 1, word.y + word.height / 2);
    await page.mouse.down();
    await page.mouse.move(word.x + word.width + 4, word.y + word.height / 2, { steps: 4 });
    await page.mouse.up();
    expect(await page.evaluate(() => String(getSelection()).trim())).toBe("Failed");
    await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
    expect(page.url()).toMatch(/\/runs$/);
    await row.getByRole("link", { name: ledger.name }).click();
    await page.getByRole("heading", { name: ledger.name, exact: true }).waitFor();
    await page.goBack();
    await cost.click();
    await page.getByRole("heading", { name: "Old work" }).waitFor();
  });

  test("selected runs are cancelled, and what has ended is named before", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440 });
    runs(mock);
    const [running, queued] = mock.state.runs.list;
    mock.state.failNext.set(
      `POST /api/topology-runs/${queued.id}/cancel`,
      new Refusal(503, "node-held-elsewhere", "Not just now"),
    );
    await page.goto(`${mock.url}/runs`);
    await settled(page);
    const first = await page.locator("tbody tr").first().boundingBox();
    await page.getByLabel("Select Read the log").check();
    await page.getByLabel("Select Mend the build").click({ modifiers: ["Shift"] });
    await page.getByText("4 selected").waitFor();
    expect(await page.locator("tbody tr").first().boundingBox(), "no row moves").toStrictEqual(first);
    // The key ticks the row that has the focus.
    await page.getByRole("link", { name: "Old work" }).focus();
    await page.keyboard.press("x");
    await page.getByText("5 selected").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "lists-runs-selected");
    await page.getByRole("button", { name: "Cancel runs…" }).click();
    const dialog = page.getByRole("dialog", { name: "Cancel 2 runs" });
    await dialog.getByText("3 of the 5 have ended already.").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "lists-runs-cancel");
    await dialog.getByRole("button", { name: "Cancel 2 runs" }).click();
    await dialog.getByText("Done for 1 of 2. 1 failed.").waitFor();
    await dialog.getByText("Not just now").waitFor();
    mock.state.failNext.clear();
    await dialog.getByRole("button", { name: "Try 1 again" }).click();
    await dialog.getByText("Done for 2 runs.").waitFor();
    expect([running.cancelling, queued.cancelling]).toStrictEqual([true, true]);
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await page.getByText("Cancelling", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await until("nothing to be selected", async () => (await page.getByRole("toolbar").count()) === 0);
  });

  test("filters are saved as a view, which is renamed and deleted and stays in this browser", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ width: 1440 });
    runs(mock);
    await page.goto(`${mock.url}/runs?state=completed&sort=-cost`);
    await settled(page);
    await page.getByRole("button", { name: "Save as a view" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Views are saved in this browser only.").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await dialog.getByLabel("Name of the view").fill("Dearest");
    await page.keyboard.press("Enter");
    const views = page.getByRole("navigation", { name: "Views" });
    const dearest = views.getByRole("link", { name: "Dearest" });
    await dearest.waitFor();
    expect(await dearest.getAttribute("aria-current")).toBe("page");
    await views.getByRole("link", { name: "Failed" }).click();
    await shows(page, "Old work");
    await page.reload();
    await dearest.click();
    await shows(page, "Mend the tests", "Mend the build");
    expect(page.url()).toContain("sort=-cost");
    await shot(page, "lists-views");
    await page.getByRole("button", { name: "Change the view Dearest" }).click();
    await dialog.getByLabel("Name of the view").fill("Most expensive");
    await dialog.getByRole("button", { name: "Rename view" }).click();
    await views.getByRole("link", { name: "Most expensive" }).waitFor();
    // Another list has views of its own.
    await page.goto(`${mock.url}/agents`);
    await settled(page);
    expect(await page.getByRole("link", { name: "Most expensive" }).count()).toBe(0);
    await page.goBack();
    await page.getByRole("button", { name: "Change the view Most expensive" }).click();
    await dialog.getByRole("button", { name: "Delete view" }).click();
    await until(
      "it to be gone",
      async () => (await views.getByRole("link", { name: "Most expensive" }).count()) === 0,
    );
    await page.getByRole("button", { name: "Save as a view" }).waitFor();
  });

  test("agents are grouped by team, sorted, and deleted together", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440 });
    mock.state.claws.push(
      makeClaw(mock.state, "hermit"),
      makeClaw(mock.state, "loner", { status: "working" }),
    );
    await page.goto(`${mock.url}/agents`);
    await shows(page, "hermit", "loner", "lookout", "mason", "scribe");
    await page.getByRole("button", { name: "By team" }).click();
    await shows(page, "lookout", "mason", "scribe", "hermit", "loner");
    const groups = page.locator("th[scope=rowgroup]");
    expect(await groups.allTextContents()).toStrictEqual(["Ledger3", "No team2"]);
    await until("the address to say so", () => page.url().endsWith("?group=team"));
    await page.getByRole("columnheader", { name: "State" }).getByRole("button").click();
    await shows(page, "mason", "lookout", "scribe", "loner", "hermit");
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "lists-agents-grouped");
    await page.getByLabel("Select hermit").check();
    await page.getByLabel("Select loner").check();
    await page.getByRole("button", { name: "Delete…" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete 2 agents" });
    expect(await dialog.getByRole("listitem").allTextContents()).toStrictEqual([
      "lonerNot started",
      "hermitNot started",
    ]);
    await dialog.getByRole("button", { name: "Delete 2 agents" }).click();
    await dialog.getByText("Done for 2 agents.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await shows(page, "mason", "lookout", "scribe");
    await choose(page, "State", "Working");
    await shows(page, "mason");
    await page.getByRole("row", { name: /mason/ }).getByText("Builds and tests").click();
    await page.getByRole("heading", { name: "mason" }).waitFor();
  });

  test("the fleet sorts by its headings, in the address", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440 });
    await page.goto(`${mock.url}/fleet`);
    const names = () => page.locator("tbody tr th a").allTextContents();
    await page.getByRole("row").nth(1).waitFor();
    const before = await names();
    expect(before.length).toBeGreaterThan(1);
    await page.getByRole("button", { name: "Name", exact: true }).click();
    await until("the other way", async () => (await names()).join() === before.toReversed().join());
    expect(page.url()).toContain("sort=-name");
    await page.getByRole("link", { name: "Busiest" }).click();
    await until("the address to say so", () => page.url().endsWith("?sort=-cpu"));
    const head = page.getByRole("columnheader", { name: "CPU" });
    await until("the head to say so", async () => (await head.getAttribute("aria-sort")) === "descending");
    const figures = mock.state.nodes.toSorted(
      (a, b) => (b.health?.cpu_pct ?? -1) - (a.health?.cpu_pct ?? -1),
    );
    expect((await names())[0]).toBe(figures[0].name);
  });

  for (const width of [390, 1440])
    test(`routines sort, fit a filter, are saved as a view and open (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 900 });
      const { id } = makeRoutine(mock.state, { name: "Evening news" });
      makeRoutine(mock.state, { name: "Night watch", enabled: false, state: "paused" });
      await page.goto(`${mock.url}/routines`);
      const names = () => page.locator("tbody tr th a").allTextContents();
      await until("both in order", async () => (await names()).join() === "Evening news,Night watch");
      await page.getByRole("button", { name: "Routine", exact: true }).click();
      await until("the other way", async () => (await names()).join() === "Night watch,Evening news");
      await settled(page);
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `lists-routines-${width}`);
      await page.getByRole("link", { name: "Paused", exact: true }).click();
      await until("one", async () => (await names()).join() === "Night watch");
      await page.getByLabel("Filter by name, schedule or state").fill("no such thing");
      await page.getByRole("heading", { name: "No routine fits the filter" }).waitFor();
      await page.getByText("Clear filter", { exact: true }).click();
      // A press beside the name opens it too.
      await page
        .getByRole("row", { name: /Evening news/ })
        .getByText("Scheduled")
        .click();
      await until("its page", () => page.url().endsWith(`/routines/${id}`));
    });

  test("teams show their last run with its outcome and cost, and are sorted by it", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440 });
    runs(mock);
    mock.state.teams.list.push(makeTeam(mock.state, mock.state.templates[0], { name: "Idle" }));
    await page.goto(`${mock.url}/teams`);
    await shows(page, "Atlas", "Idle", "Ledger");
    const atlas = page.getByRole("row", { name: /^Select Atlas/ });
    for (const text of ["Mend the tests", "Completed", "Rejected", "$2.40"])
      await atlas.getByText(text, { exact: true }).waitFor();
    await atlas.getByRole("cell", { name: "3 agents" }).waitFor();
    await page
      .getByRole("row", { name: /^Select Idle/ })
      .getByRole("cell", { name: "no runs yet" })
      .waitFor();
    await page.getByRole("link", { name: "Last active" }).click();
    await shows(page, "Ledger", "Atlas", "Idle");
    await page.getByRole("columnheader", { name: "Cost" }).getByRole("button").click();
    await shows(page, "Atlas", "Ledger", "Idle");
    await shot(page, "lists-teams-runs");
    const [run] = mock.state.runs.list;
    Object.assign(run, {
      status: "completed",
      outcome: "accepted",
      ended_at: ago(0),
      cost_microusd: 9_000_000,
    });
    mock.hub.changed("run", run.id, 8);
    const ledger = page.getByRole("row", { name: /^Select Ledger/ });
    await ledger.getByText("Accepted", { exact: true }).waitFor();
    await ledger.getByRole("link", { name: "Read the log" }).click();
    await page.getByRole("heading", { name: "Read the log" }).waitFor();
  });

  test("a list of ten thousand draws only what is in view and can be walked to its end", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ width: 1440 });
    const [one] = mock.state.claws;
    for (let n = 0; n < 10_000; n += 1) {
      const id = newId();
      mock.state.claws.push({ ...one, id, name: `box-${String(n).padStart(5, "0")}`, sandbox: null });
    }
    await page.goto(`${mock.url}/agents?group=team`);
    await page.getByText("10003 agents").waitFor();
    expect(await page.locator("tbody tr").count()).toBeLessThan(60);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await page.getByRole("link", { name: "box-09999" }).waitFor();
    expect(await page.locator("tbody tr").count()).toBeLessThan(60);
    await page.getByLabel("Select box-09999").check();
    await page.getByText("1 selected").waitFor();
  });

  for (const width of [390, 1440, 1920])
    test(`lists are whole and accessible (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: width === 390 ? 844 : 1000 });
      runs(mock);
      for (const path of ["/runs", "/agents?group=team", "/teams", "/fleet", "/routines"]) {
        await page.goto(mock.url + path);
        await settled(page);
        const [scroll, client] = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          document.documentElement.clientWidth,
        ]);
        expect(scroll, `${path} scrolls sideways`).toBeLessThanOrEqual(client);
        expect(await axeBoth(page), path).toStrictEqual([]);
        await shotBoth(page, `lists${path.replace(/\?.*/, "").replace("/", "-")}-${width}`);
      }
      await page.goto(`${mock.url}/runs`);
      await settled(page);
      await page.getByRole("combobox", { name: "State", exact: true }).click();
      await page.getByRole("option").first().waitFor();
      await shotBoth(page, `lists-select-${width}`);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: /^Time range/ }).click();
      await page.getByRole("dialog", { name: "Time range" }).waitFor();
      await shotBoth(page, `lists-range-${width}`);
      expect(await axeBoth(page)).toStrictEqual([]);
    });
});
