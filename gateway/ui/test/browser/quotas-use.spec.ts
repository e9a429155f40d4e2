// The page of quotas: who used what, compared by team, template, mission, person, model and day.
import type { Page } from "@playwright/test";
import { axe, axeBoth, drawn, settled, shift, shotBoth } from "../kit.ts";
import { ago } from "../mock/ids.ts";
import { makeMission } from "../mock/missions.ts";
import { makeRun } from "../mock/runs.ts";
import { makeTeam } from "../mock/teams.ts";
import { expect, test, type Mock } from "./fixtures.ts";

const DAY_MS = 86_400_000;

/** A moment of the UTC day that was so many days ago. It is past in the first minute of a day, too. */
function onDay(daysAgo: number): string {
  const now = Date.now();
  return new Date(now - (now % DAY_MS) / 2 - daysAgo * DAY_MS).toISOString();
}

/** Two teams of two templates: one is dear, the other one slow. */
function used({ state }: Mock) {
  const [first, second] = state.templates;
  const dear = makeTeam(state, first, { name: "Dear team" });
  const slow = makeTeam(state, second, { name: "Slow team" });
  state.teams.list.push(dear, slow);
  const make = (more: Parameters<typeof makeRun>[1]) =>
    state.runs.list.push(makeRun(state, { status: "completed", created_by: state.user, ...more }));
  for (const day of [0, 1, 3])
    make({
      team_id: dear.id,
      cost_microusd: 2_000_000 * (day + 1),
      tokens_in: 400_000 * (day + 1),
      tokens_out: 90_000,
      created_at: onDay(day),
      started_at: onDay(day),
      ended_at: onDay(day),
    });
  make({
    team_id: slow.id,
    cost_microusd: 10_000,
    created_at: ago(90_000),
    started_at: ago(90_000),
    ended_at: ago(3_600),
  });
  make({
    team_id: slow.id,
    cost_microusd: 90_000_000,
    created_at: ago(86_400 * 50),
    ended_at: ago(86_400 * 50),
  });
  return { dear, slow };
}

const fits = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
const bars = (page: Page) => page.getByRole("figure").locator("li");
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

test.describe("quotas: use", () => {
  for (const width of [390, 1440, 1920])
    test(`use is compared as a chart and as a table (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 900 });
      mock.state.runs.list = [];
      used(mock);
      await page.goto(`${mock.url}/quotas`);
      await page.getByRole("figure", { name: "Cost by team, last 30 days" }).waitFor();
      await drawn(page);
      expect(await shift(page)).toBe(0);
      expect(await axeBoth(page)).toStrictEqual([]);
      expect((await bars(page).allInnerTexts()).map((row) => row.split("\n")[0])).toStrictEqual([
        "Dear team",
        "Slow team",
      ]);
      await page.getByRole("link", { name: /^Dear team.*\$14\.00$/ }).waitFor();
      await page.getByText(/Together \$14\.01.*4 runs/).waitFor();
      await shotBoth(page, `quotas-use-${width}`);
      expect(await fits(page)).toBe(true);
      await press(page, "Time");
      await expect
        .poll(async () => (await bars(page).allInnerTexts()).map((row) => row.split("\n")[0]))
        .toStrictEqual(["Slow team", "Dear team"]);
      await press(page, "Cost");
      await press(page, "Table");
      await page.getByRole("cell", { name: "$14.00" }).waitFor();
      await page.getByRole("cell", { name: "100%" }).waitFor();
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `quotas-use-table-${width}`);
      expect(await fits(page)).toBe(true);
      await press(page, "90 days");
      await page.getByRole("cell", { name: "$90.01" }).waitFor();
      await press(page, "Templates");
      await page.getByRole("link", { name: mock.state.templates[1].name }).waitFor();
      await press(page, "People");
      await page.getByRole("link", { name: mock.state.user.name }).waitFor();
      await press(page, "Missions");
      await page.getByRole("rowheader", { name: "Without a mission" }).waitFor();
      await press(page, "Models");
      await page.getByRole("link", { name: "scripted" }).waitFor();
      // The choice is in the address.
      await page.reload();
      await page.getByRole("link", { name: "scripted" }).waitFor();
    });

  test("days are columns that keys read, and each leads to its runs", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440, height: 900 });
    mock.state.runs.list = [];
    used(mock);
    await page.goto(`${mock.url}/quotas?by=day&measure=tokens`);
    const chart = page.getByRole("figure", { name: /^Tokens of each of the last 30 days/ });
    await chart.waitFor();
    await page.getByText("Days in UTC").waitFor();
    await drawn(page);
    expect(await shift(page)).toBe(0);
    expect(await axeBoth(page)).toStrictEqual([]);
    await press(page, "Cost");
    await page.getByRole("figure", { name: /^Cost of each/ }).focus();
    await page.keyboard.press("End");
    await page.getByText(/: \$2\.00, .*, 1 run/).waitFor();
    await page.getByRole("link", { name: "Its runs" }).waitFor();
    await shotBoth(page, "quotas-days");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    const today = new Date().toISOString().slice(0, 10);
    await page.getByText(`${today} (UTC)`).waitFor();
    await settled(page);
    expect(await page.locator("main tbody tr").count()).toBe(1);
    await shotBoth(page, "runs-of-day");
    expect(await axeBoth(page)).toStrictEqual([]);
    await page.getByRole("button", { name: "Clear: day" }).click();
    await expect.poll(() => page.locator("main tbody tr").count()).toBe(5);
  });

  test("a bar leads to the runs of its team and of its mission", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440 });
    mock.state.runs.list = [];
    const { slow } = used(mock);
    const mission = makeMission(mock.state);
    mock.state.missions.list.push(mission);
    mock.state.runs.list[0].mission_id = mission.id;
    // Also the work of a single agent, which the list of runs leaves out at first.
    const alone = { status: "completed", team_id: slow.id, created_at: ago(600), ended_at: ago(60) } as const;
    mock.state.runs.list.push(makeRun(mock.state, { ...alone, origin: { type: "chat" } }));
    await page.goto(`${mock.url}/quotas`);
    await page
      .getByRole("link", { name: /^Slow team/ })
      .getByText("2 runs")
      .waitFor();
    await page.getByRole("link", { name: /^Slow team/ }).click();
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    expect(new URL(page.url()).search).toBe(`?team=${slow.id}&shown=all&when=30d`);
    await settled(page);
    expect(await page.locator("main tbody tr").count()).toBe(2);
    await page.goto(`${mock.url}/quotas?by=mission`);
    await page.getByRole("link", { name: new RegExp(`^${mission.title}`) }).click();
    await page.getByRole("button", { name: "Clear: mission" }).waitFor();
    await page.getByText(mission.title).waitFor();
    await settled(page);
    expect(await page.locator("main tbody tr").count()).toBe(1);
  });

  test("a bar leads to the runs of its template and of its model", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440 });
    mock.state.runs.list = [];
    used(mock);
    const [, slow] = mock.state.templates;
    await page.goto(`${mock.url}/quotas?by=template`);
    await page.getByRole("link", { name: new RegExp(`^${slow.name}`) }).click();
    await page.getByRole("button", { name: "Clear: template" }).waitFor();
    await page.getByText(slow.name).waitFor();
    await settled(page);
    expect(await page.locator("main tbody tr").count()).toBe(1);
    await page.getByRole("button", { name: "Clear: template" }).click();
    await expect.poll(() => page.locator("main tbody tr").count()).toBe(4);
    await page.goto(`${mock.url}/quotas?by=model`);
    await page.getByRole("link", { name: /^scripted/ }).click();
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    expect(new URL(page.url()).search).toBe("?model=scripted&shown=all&when=30d");
    await page.getByRole("button", { name: "Clear: model" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("?when=30d&shown=all");
  });

  test("many bars are folded, and a deleted team is no link", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440 });
    mock.state.runs.list = [];
    const [template] = mock.state.templates;
    for (let at = 0; at < 20; at += 1) {
      const team = makeTeam(mock.state, template, { name: `Team ${at}` });
      if (at > 0) mock.state.teams.list.push(team);
      const run = makeRun(mock.state, { team_id: team.id, cost_microusd: 100_000 * (30 - at) });
      mock.state.runs.list.push(run);
    }
    await page.goto(`${mock.url}/quotas`);
    await page.getByText("9 others").waitFor();
    await page.getByText("Deleted team").waitFor();
    expect(await page.getByRole("link", { name: /^Deleted team/ }).count()).toBe(0);
    await press(page, "Show all 20");
    expect(await bars(page).count()).toBe(20);
  });

  test("a workspace without a run says so, and the first page leads to the comparison", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.runs.list = [];
    used(mock);
    await page.goto(mock.url);
    await page.getByRole("link", { name: "compared" }).click();
    await page.getByRole("heading", { name: "Usage" }).waitFor();
    mock.state.runs.list = [];
    await press(page, "7 days");
    await page.getByText("No run began in the last 7 days.").waitFor();
    expect(await axe(page)).toStrictEqual([]);
  });
});
