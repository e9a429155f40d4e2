// A run that waits keeps the status `running`. Each page that shows it says that it waits.
import { makeRun, makeStep } from "../mock/runs.ts";
import { axe, choose, shot, until } from "../kit.ts";
import { expect, type Mock, test } from "./fixtures.ts";

const WHY = "The machine kitchen is not connected.";
const TITLE = "Sort the shelves";

/** A run of the first team whose planner waits for its machine. */
function waiting({ state }: Mock) {
  const run = makeRun(state, {
    title: TITLE,
    team_id: state.teams.list[0].id,
    waiting_on: WHY,
    waits_for: { type: "machine", machine: state.nodes[2].id },
  });
  run.steps.push(makeStep(run, "planner", { waiting_since: run.created_at, error: WHY }));
  state.runs.list.unshift(run);
  state.runs.calls.set(run.id, []);
  return run;
}

test.describe("a run that waits", () => {
  test("its page says in the head that it waits, and no agent works", async ({ visit }) => {
    const { mock, page } = await visit();
    const run = waiting(mock);
    await page.goto(`${mock.url}/runs/${run.id}`);
    const head = page.locator("[data-run-state]");
    await head.getByText("Waiting", { exact: true }).waitFor();
    expect(await head.getByText("Running").count()).toBe(0);
    expect(await head.getByText("works").count()).toBe(0);
    expect(await head.getByTitle(WHY).count()).toBe(1);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "run-waiting");

    run.waiting_on = null;
    run.waits_for = null;
    run.steps[0] = makeStep({ ...run, steps: [] }, "planner");
    mock.hub.changed("run", run.id, 2);
    await head.getByText("Running").waitFor();
    await head.getByText("Planner works").waitFor();
  });

  test("its page says that it runs while another agent works", async ({ visit }) => {
    const { mock, page } = await visit();
    const run = waiting(mock);
    // The gateway names the wait of the one step. The run as a whole waits for nothing.
    run.waits_for = null;
    run.steps.push(makeStep(run, "coder"));
    await page.goto(`${mock.url}/runs/${run.id}`);
    const head = page.locator("[data-run-state]");
    await head.getByText("Coder works").waitFor();
    await head.getByText("Running").waitFor();
    expect(await head.getByText("Waiting").count()).toBe(0);
  });

  test("the lists of runs say that it waits, and say so of no run that is paused", async ({ visit }) => {
    const { mock, page } = await visit();
    const run = waiting(mock);
    run.agent_id = mock.state.claws[0].id;
    const lists = ["/runs", `/teams/${run.team_id}`, `/claws/${run.agent_id}?app=work`];
    const row = page.getByRole("row", { name: TITLE });
    for (const at of lists) {
      await page.goto(mock.url + at);
      await row.getByText("Waiting", { exact: true }).waitFor();
      expect(await row.getByText("Running").count(), at).toBe(0);
      expect(await row.getByTitle(WHY).count(), at).toBe(1);
    }
    run.paused_at = run.created_at;
    for (const at of lists) {
      await page.goto(mock.url + at);
      await row.getByText("Paused", { exact: true }).waitFor();
    }
  });

  test("the list of runs shows only those that wait, and the list of teams says so of the last run", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const run = waiting(mock);
    run.created_at = new Date().toISOString();
    await page.goto(`${mock.url}/runs`);
    await page.getByRole("row", { name: TITLE }).waitFor();
    expect(await page.locator("main [data-row]").count()).toBeGreaterThan(1);
    await choose(page.getByLabel("State"), "waiting");
    await page.waitForURL(/state=waiting/u);
    await until("only one row", async () => (await page.locator("main [data-row]").count()) === 1);
    await page.getByRole("row", { name: TITLE }).getByText("Waiting", { exact: true }).waitFor();
    await page.goto(`${mock.url}/teams`);
    const team = page.locator("main [data-row]").filter({ hasText: mock.state.teams.list[0].name });
    await team.getByText("Waiting", { exact: true }).waitFor();
  });

  test("the first page says what it waits for", async ({ visit }) => {
    const { mock, page } = await visit();
    const run = waiting(mock);
    await page.goto(mock.url);
    const row = page
      .getByRole("region", { name: "Running now" })
      .getByRole("listitem")
      .filter({ hasText: TITLE });
    await row.getByText("Waiting", { exact: true }).waitFor();
    await row.getByText(WHY, { exact: true }).waitFor();
    run.cancelling = true;
    mock.hub.changed("run", run.id, 2);
    await row.getByText("Cancelling").waitFor();
    expect(await row.getByText(WHY).count()).toBe(0);
  });
});
