// Routines in a real Chromium: the list, the form with its live preview, and the page of a routine with its journal.
import { axe, axeBoth, choose, settled, shot, shotBoth, until } from "../kit.ts";
import { makeFiring, makeRoutine } from "../mock/routes-routines.ts";
import { newId } from "../mock/ids.ts";
import { expect, test } from "./fixtures.ts";

test.describe("routines", () => {
  test("the form draws the next starts while the schedule is typed, and makes the routine", async ({
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
    await page.getByLabel("Interval, in minutes").fill("30");
    await page.getByLabel("Number of starts").fill("3");
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
    await page
      .getByRole("row", { name: /Missed/ })
      .getByText("not started")
      .waitFor();
    expect(await page.locator("[data-due]").count()).toBe(5);
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "routine");
    await page.getByRole("button", { name: "Start now" }).click();
    await until("two runs", async () => (await page.getByRole("link", { name: "Its run" }).count()) === 2);
    await page.getByRole("button", { name: "Start now" }).click();
    await page.getByText("An earlier firing of the routine still works.").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("The routine is paused.").waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete routine" }).click();
    await page.getByText("No routines yet").waitFor();
  });

  test("pause is sent from the version that the page shows, and another person's change is looked at first", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const routine = makeRoutine(mock.state);
    await page.goto(`${mock.url}/routines/${routine.id}`);
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await settled(page);
    // A start writes a version, and decides nothing.
    routine.version += 1;
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("The routine is paused.").waitFor();
    await settled(page);
    // Somebody else changes what it does, and this page has not heard of it.
    Object.assign(routine, { name: "Evening news", version: routine.version + 1 });
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("Somebody else wrote in between").waitFor();
    await page.getByRole("heading", { name: "Evening news" }).waitFor();
    expect(routine.enabled, "nothing was sent over it").toBe(false);
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    expect(routine.enabled).toBe(true);
  });

  test("a routine can start a mission of each kind, and the steps of the mission keep what they do not show", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ width: 390, height: 844 });
    await page.goto(`${mock.url}/routines/new`);
    await page.getByRole("button", { name: "A mission" }).click();
    await page.getByRole("radio", { name: /^Full cycle/ }).check();
    await page.getByRole("button", { name: "Make routine" }).click();
    await page.getByText("Say what the mission is for.").waitFor();
    await page.getByText("A benchmark and a security scan need a repository.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Nightly");
    await page.getByLabel("Goal", { exact: true }).fill("Make it faster.");
    const team = mock.state.templates[0];
    await page.getByRole("group", { name: "Research teams" }).getByLabel(team.name, { exact: true }).check();
    await choose(page.getByLabel("Repository"), { index: 1 });
    await page.getByLabel("Budget, in dollars").fill("2.50");
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "routine-mission-390");
    await page.getByRole("button", { name: "Make routine" }).click();
    await page.getByRole("heading", { name: "Nightly" }).waitFor();
    const [made] = mock.state.routines.list;
    expect(made.recipe).toMatchObject({
      kind: "mission",
      mission: {
        template_kind: "full_cycle",
        goal: "Make it faster.",
        repo_id: mock.state.repos.repos[0].id,
        budget_usd: 2.5,
        config: { phase_teams: { research: [team.id] } },
      },
    });
    await page.getByText("$2.50").waitFor();
  });

  test("a routine is edited: only what was touched is sent, and a change by somebody else keeps what was typed", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const routine = makeRoutine(mock.state);
    await page.goto(`${mock.url}/routines/${routine.id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const goal = page.getByLabel("Goal", { exact: true });
    expect(await goal.inputValue()).toBe("Read what is new.");
    await expect(page.getByRole("button", { name: "Save", exact: true })).toBeDisabled();
    await goal.fill("Read everything.");
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "routine-edit");
    // Another person changes the same part, and the page hears of it.
    Object.assign(routine, { recipe: { ...routine.recipe, goal: "Read nothing." }, version: 2 });
    mock.hub.changed("routine", routine.id, 2);
    const note = page.getByRole("alert").filter({ hasText: "changed this routine meanwhile" });
    await note.getByRole("heading", { name: "What it starts", exact: true }).waitFor();
    expect(await goal.inputValue()).toBe("Read everything.");
    expect(await axe(page)).toStrictEqual([]);
    const sent: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.method() === "PATCH") sent.push(request.headers()["if-match"]);
    });
    await page.getByRole("button", { name: "Save mine over it" }).click();
    await page.getByText("Read everything.").waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
    expect(mock.state.routines.changes).toStrictEqual([
      { recipe: { ...routine.recipe, goal: "Read everything.", accept_lacks: false } },
    ]);
    expect(sent).toStrictEqual(['"2"']);
    // The gateway refuses a change that is made from another version than its own.
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("Evening news");
    Object.assign(routine, { overlap: "allow", version: 9 });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await note.getByText(/You changed other fields, so both changes can stay/).waitFor();
    expect(mock.state.routines.changes).toHaveLength(1);
    expect(sent).toStrictEqual(['"2"', '"3"']);
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Evening news");
    await page.getByRole("button", { name: "Save mine too" }).click();
    await page.getByRole("heading", { name: "Evening news" }).waitFor();
    await page.getByText("It starts although earlier work goes on").waitFor();
    expect(mock.state.routines.changes.at(-1)).toStrictEqual({ name: "Evening news" });
    expect(sent.at(-1)).toBe('"9"');
    // A start writes a version and changes nothing that the form has, so nobody has to decide.
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("Night news");
    routine.version = 20;
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { name: "Night news" }).waitFor();
    expect(sent.slice(-2)).toStrictEqual(['"10"', '"20"']);
    expect(mock.state.routines.changes).toHaveLength(3);
  });

  test("a refused change keeps the form, and leaving asks", async ({ visit }) => {
    const { mock, page } = await visit();
    const routine = makeRoutine(mock.state);
    await page.goto(`${mock.url}/routines/${routine.id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Cron expression").fill("0 0 30 2 *");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("never fires").first().waitFor();
    expect(await page.getByLabel("Cron expression").inputValue()).toBe("0 0 30 2 *");
    await page.getByRole("link", { name: "Routines" }).first().click();
    await page.getByText("Leave without saving?").waitFor();
    await page.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { name: "Routines", exact: true }).waitFor();
    expect(mock.state.routines.changes).toStrictEqual([]);
  });

  test("a viewer may read routines, and is told what is missing", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.role = "viewer";
    const routine = makeRoutine(mock.state);
    await page.goto(`${mock.url}/routines/${routine.id}`);
    await page.getByRole("heading", { name: "Morning news" }).waitFor();
    expect(await page.getByRole("button", { name: "Start now" }).count()).toBe(0);
    await page.goto(`${mock.url}/routines/new`);
    await page.getByText(/You may not make routines/).waitFor();
  });
});
