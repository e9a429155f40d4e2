// The page of quotas: who used what, compared by team, template, mission and person.
import { axe, shot } from "../kit.ts";
import { ago } from "../mock/ids.ts";
import { makeRun } from "../mock/runs.ts";
import { makeTeam } from "../mock/teams.ts";
import { expect, test, THEMES, type Mock } from "./fixtures.ts";

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
      created_at: ago(86_400 * day + 60),
      started_at: ago(86_400 * day + 60),
      ended_at: ago(86_400 * day),
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

test.describe("quotas: use", () => {
  for (const theme of THEMES)
    for (const width of [390, 1440])
      test(`use is compared over a time range (${theme}, ${width})`, async ({ visit }) => {
        const { mock, page } = await visit({ theme, width, height: 900 });
        mock.state.runs.list = [];
        used(mock);
        await page.goto(`${mock.url}/quotas`);
        const names = () => page.getByRole("table").locator("tbody tr").allInnerTexts();
        await page.getByRole("link", { name: "Dear team" }).waitFor();
        expect((await names()).map((row) => row.split("\n")[0])).toStrictEqual(["Dear team", "Slow team"]);
        await page.getByRole("cell", { name: "$14.00" }).waitFor();
        await page.getByText(/Together \$14\.01.*4 runs/).waitFor();
        expect(await axe(page)).toStrictEqual([]);
        await shot(page, `quotas-use-${theme}-${width}`);
        expect(
          await page.evaluate(
            () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
          ),
        ).toBe(true);
        await page.getByRole("button", { name: "Time", exact: true }).click();
        await expect
          .poll(async () => (await names()).map((row) => row.split("\n")[0]))
          .toStrictEqual(["Slow team", "Dear team"]);
        await page.getByRole("button", { name: "Cost", exact: true }).click();
        await page.getByRole("button", { name: "90 days" }).click();
        await page.getByRole("cell", { name: "$90.01" }).waitFor();
        await page.getByRole("button", { name: "Template", exact: true }).click();
        await page.getByRole("link", { name: mock.state.templates[1].name }).waitFor();
        await page.getByRole("button", { name: "Person", exact: true }).click();
        await page.getByRole("rowheader", { name: mock.state.user.name }).waitFor();
        await page.getByRole("button", { name: "Mission", exact: true }).click();
        await page.getByRole("rowheader", { name: "Without a mission" }).waitFor();
      });

  test("a workspace without a run says so, and the first page leads to the comparison", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.runs.list = [];
    used(mock);
    await page.goto(mock.url);
    await page.getByRole("link", { name: "compared" }).click();
    await page.getByRole("heading", { name: "Use, compared" }).waitFor();
    mock.state.runs.list = [];
    await page.getByRole("button", { name: "7 days" }).click();
    await page.getByText("No run began in the last 7 days.").waitFor();
    expect(await axe(page)).toStrictEqual([]);
  });
});
