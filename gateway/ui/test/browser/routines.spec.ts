// Routines in a real Chromium: the list, the form with its live preview, and the page of a routine with its journal.
import { axe, choose, shot, until } from "../kit.ts";
import { makeFiring, makeRoutine } from "../mock/routes-routines.ts";
import { newId } from "../mock/ids.ts";
import { expect, test, THEMES } from "./fixtures.ts";

test.describe("routines", () => {
  test("the form draws the next firings while the schedule is typed, and makes the routine", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/routines`);
    await page.getByText("No routines yet").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("link", { name: "New routine" }).click();
    await page.getByRole("heading", { name: "New routine" }).waitFor();
    await until("twelve marks", async () => (await page.locator("[data-due]").count()) === 12);
    await page.getByLabel("Cron expression").fill("0 0 30 2 *");
    await page.getByText("never fires").waitFor();
    expect(await page.locator("[data-due]").count()).toBe(0);
    await page.getByRole("button", { name: "In a loop" }).click();
    await page.getByLabel("Every so many minutes").fill("30");
    await page.getByLabel("Times in all").fill("3");
    await until("three marks", async () => (await page.locator("[data-due]").count()) === 3);
    await page.getByRole("button", { name: "Make routine" }).click();
    await page.getByText("Give it a name.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Watch the queue");
    await choose(page.getByLabel("Team template"), { index: 1 });
    await page.getByLabel("Goal").fill("Look at the queue.");
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("button", { name: "Make routine" }).click();
    await page.getByRole("heading", { name: "Watch the queue" }).waitFor();
    await until("three marks", async () => (await page.locator("[data-due]").count()) === 3);
    const [made] = mock.state.routines.list;
    expect(made?.schedule).toStrictEqual({ kind: "loop", every_minutes: 30, times: 3 });
  });

  test("the page of a routine fires it, pauses it, and shows why a due time started nothing", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const routine = makeRoutine(mock.state);
    makeFiring(mock.state, routine, {
      state: "missed",
      due_times: 3,
      reason: "No gateway worked at the due time.",
    });
    makeFiring(mock.state, routine, { run_id: newId() });
    await page.goto(`${mock.url}/routines`);
    await page.getByRole("link", { name: "Morning news" }).click();
    await page.getByText("No gateway worked at the due time.").waitFor();
    await page.getByText("3 due times").waitFor();
    expect(await page.locator("[data-due]").count()).toBe(5);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `routine-${theme}`);
    }
    await page.getByRole("button", { name: "Fire now" }).click();
    await until("two runs", async () => (await page.getByRole("link", { name: "Its run" }).count()) === 2);
    await page.getByRole("button", { name: "Fire now" }).click();
    await page.getByText("An earlier firing of the routine still works.").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("The routine is paused.").waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete routine" }).click();
    await page.getByText("No routines yet").waitFor();
  });

  test("a viewer may read routines, and is told what is missing", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.role = "viewer";
    const routine = makeRoutine(mock.state);
    await page.goto(`${mock.url}/routines/${routine.id}`);
    await page.getByRole("heading", { name: "Morning news" }).waitFor();
    expect(await page.getByRole("button", { name: "Fire now" }).count()).toBe(0);
    await page.goto(`${mock.url}/routines/new`);
    await page.getByText(/You may not make routines/).waitFor();
  });
});
