// What is done to several missions and to several approvals at once.
import { axe, settled, shot, until } from "../kit.ts";
import { makeDoor } from "../mock/doors.ts";
import { missionNamed } from "../mock/missions.ts";
import { Refusal } from "../mock/refusal.ts";
import { decide } from "../mock/routes-doors.ts";
import { makeRoutine } from "../mock/routes-routines.ts";
import { makeSkill } from "../mock/skills.ts";
import { makeTeam, makeTemplate } from "../mock/teams.ts";
import { expect, test } from "./fixtures.ts";

test.describe("several at once", () => {
  test("selected missions are paused, resumed and cancelled, and those left out are counted before", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ missions: true, width: 1440 });
    const [parser, clock, databases] = ["Faster parser", "Mend the clock", "Compare three databases"].map(
      (title) => missionNamed(mock.state, title),
    );
    await page.goto(`${mock.url}/missions`);
    await settled(page);
    await page.getByLabel("Select Faster parser").check();
    // The key selects the row that has the focus.
    await page.getByRole("link", { name: "Mend the clock" }).focus();
    await page.keyboard.press("x");
    const bar = page.getByRole("toolbar", { name: "Selected missions" });
    await bar.getByText("2 selected").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await bar.getByRole("button", { name: "Pause…" }).click();
    const pausing = page.getByRole("dialog", { name: "Pause 1 mission" });
    await pausing.getByText("1 of the 2 is not running.").waitFor();
    await pausing.getByRole("button", { name: "Pause 1 mission" }).click();
    await pausing.getByText("Done for 1 mission.").waitFor();
    expect(parser.status).toBe("paused");
    await pausing.getByRole("button", { name: "Close" }).last().click();
    await bar.getByRole("button", { name: "Resume…" }).click();
    const resuming = page.getByRole("dialog", { name: "Resume 1 mission" });
    await resuming.getByText("1 of the 2 is not paused, or has a failed phase.").waitFor();
    await resuming.getByRole("button", { name: "Resume 1 mission" }).click();
    await resuming.getByText("Done for 1 mission.").waitFor();
    expect(parser.status).toBe("running");
    await resuming.getByRole("button", { name: "Close" }).last().click();
    await page.getByLabel("Select all that are listed").check();
    await bar.getByText("4 selected").waitFor();
    await bar.getByRole("button", { name: "Cancel…" }).click();
    const cancelling = page.getByRole("dialog", { name: "Cancel 3 missions" });
    await cancelling.getByText(/You cannot undo this\. 1 of the 4 has ended already\.$/).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "missions-cancel-many");
    await cancelling.getByRole("button", { name: "Keep them" }).click();
    expect(databases.status).toBe("draft");
    await bar.getByRole("button", { name: "Cancel…" }).click();
    await cancelling.getByRole("button", { name: "Cancel 3 missions" }).click();
    await cancelling.getByText("Done for 3 missions.").waitFor();
    expect([parser, clock, databases].map(({ status }) => status)).toStrictEqual(
      Array.from({ length: 3 }, () => "cancelled"),
    );
  });

  test("selected routines are paused, resumed and deleted, and those left out are counted before", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ width: 1440 });
    const [news, report] = ["Morning news", "Weekly report"].map((name) => makeRoutine(mock.state, { name }));
    report.enabled = false;
    report.state = "paused";
    await page.goto(`${mock.url}/routines`);
    await settled(page);
    await page.getByLabel("Select all that are listed").check();
    const bar = page.getByRole("toolbar", { name: "Selected routines" });
    await bar.getByText("2 selected").waitFor();
    await bar.getByRole("button", { name: "Pause…" }).click();
    const pausing = page.getByRole("dialog", { name: "Pause 1 routine" });
    await pausing.getByText("1 of the 2 is paused or has ended already.").waitFor();
    await pausing.getByRole("button", { name: "Pause 1 routine" }).click();
    await pausing.getByText("Done for 1 routine.").waitFor();
    expect(news.enabled).toBe(false);
    await pausing.getByRole("button", { name: "Close" }).last().click();
    await bar.getByRole("button", { name: "Resume…" }).click();
    const resuming = page.getByRole("dialog", { name: "Resume 2 routines" });
    await resuming.getByRole("button", { name: "Resume 2 routines" }).click();
    await resuming.getByText("Done for 2 routines.").waitFor();
    expect([news.enabled, report.enabled]).toStrictEqual([true, true]);
    await resuming.getByRole("button", { name: "Close" }).last().click();
    await bar.getByRole("button", { name: "Delete…" }).click();
    const deleting = page.getByRole("dialog", { name: "Delete 2 routines" });
    await deleting.getByText("You cannot undo this.").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "routines-delete-many");
    await deleting.getByRole("button", { name: "Delete 2 routines" }).click();
    await deleting.getByText("Done for 2 routines.").waitFor();
    expect(mock.state.routines.list).toStrictEqual([]);
  });

  test("selected skills and templates of the workspace are deleted, and built-in ones cannot be selected", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ width: 1440 });
    const { skills, templates } = mock.state;
    skills.push(makeSkill("our-style", { visibility: "workspace", source_kind: "authored" }));
    for (const name of ["Ours", "Theirs"])
      templates.push(makeTemplate(name.toLowerCase(), { name, source: "workspace" }));
    for (const [list, what, row, builtin] of [
      ["skills", "2 skills", "Our style", "Code review"],
      ["templates", "2 templates", "Ours", "Rust, from plan to commit"],
    ] as const) {
      await page.goto(`${mock.url}/${list}?sort=-source`);
      await settled(page);
      await page.getByLabel(`Select ${row}`).waitFor();
      await expect(page.getByLabel(`Select ${builtin}`)).toHaveCount(0);
      await page.getByLabel("Select all that are listed").check();
      const bar = page.getByRole("toolbar", { name: `Selected ${list}` });
      await bar.getByText("2 selected").waitFor();
      await bar.getByRole("button", { name: "Delete…" }).click();
      const dialog = page.getByRole("dialog", { name: `Delete ${what}` });
      await dialog
        .getByText(/^(Roles and agents that have them continue|Nobody can create a team from them)/)
        .waitFor();
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `${list}-delete-many`);
      await dialog.getByRole("button", { name: `Delete ${what}` }).click();
      await dialog.getByText(`Done for ${what}.`).waitFor();
      await dialog.getByRole("button", { name: "Close" }).last().click();
      await page.reload();
      await page.getByRole("link", { name: builtin }).waitFor();
      // The last one of the workspace is gone, so nothing can be selected.
      await expect(page.getByLabel("Select all that are listed")).toHaveCount(0);
    }
    expect(mock.state.skills.map(({ name }) => name)).toStrictEqual(["code-review", "debugging"]);
    expect(mock.state.templates.every(({ source }) => source === "builtin")).toBe(true);
  });

  test("selected teams are deleted, and their agents only when that is asked", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440 });
    const [one, two] = ["Readers", "Writers"].map((name) =>
      makeTeam(mock.state, mock.state.templates[0], { name }),
    );
    mock.state.teams.list.push(one, two);
    await page.goto(`${mock.url}/teams`);
    await settled(page);
    await page.getByLabel("Select Readers").check();
    await page.getByLabel("Select Writers").check();
    const bar = page.getByRole("toolbar", { name: "Selected teams" });
    await bar.getByRole("button", { name: "Delete…" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete 2 teams" });
    await dialog.getByLabel("Delete their agents as well").check();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "teams-delete-many");
    await dialog.getByRole("button", { name: "Delete 2 teams" }).click();
    await dialog.getByText("Done for 2 teams.").waitFor();
    expect(mock.state.teams.list.some(({ id }) => id === one.id || id === two.id)).toBe(false);
    expect(mock.state.teams.deleted).toMatchObject({ agents: "true" });
  });

  test("a viewer selects no missions and no requests", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true, waiting: true });
    mock.state.role = "viewer";
    for (const [path, name] of [
      ["/missions", "Faster parser"],
      ["/approvals", "Open an issue"],
    ]) {
      await page.goto(mock.url + path);
      await page.getByRole("link", { name }).first().waitFor();
      await settled(page);
      expect(await page.getByRole("checkbox").count()).toBe(0);
    }
  });

  test("selected requests are approved or denied after a dialog that names each", async ({ visit }) => {
    const { mock, page } = await visit({ waiting: true, width: 1440 });
    const [scribe, mason] = mock.state.claws;
    mock.state.doors = [
      makeDoor(mason, { target: "octo/one" }),
      makeDoor(mason, { target: "octo/two", address: "https://api.github.com/two" }),
      makeDoor(scribe, { target: "octo/three" }),
      makeDoor(scribe, { target: "octo/four" }),
    ];
    const [one, two, three, four] = mock.state.doors;
    await page.goto(`${mock.url}/approvals`);
    await settled(page);
    const select = (door: typeof one) =>
      page.getByRole("checkbox", { name: `Select ${door.agent_name}: Open an issue at ${door.target}` });
    await select(one).check();
    await select(two).focus();
    await page.keyboard.press(" ");
    const bar = page.getByRole("toolbar", { name: "Selected requests" });
    await bar.getByText("2 selected").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "doors-selected");
    await bar.getByRole("button", { name: "Approve…" }).click();
    const approving = page.getByRole("dialog", { name: "Approve 2 requests?" });
    await approving
      .getByText(/carries out all of these requests at once.*You can't undo this\. This list does not show/)
      .waitFor();
    await approving.getByText("https://api.github.com/two").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "doors-approve-many");
    await approving.getByRole("button", { name: "Cancel", exact: true }).click();
    expect(mock.state.resolved ?? []).toStrictEqual([]);
    await bar.getByRole("button", { name: "Approve…" }).click();
    await approving.waitFor();
    // Another person is faster with one of them.
    decide(mock, two, "deny", mock.state.user);
    await approving.getByRole("button", { name: "Approve 2 requests" }).click();
    await approving.getByText("Done for 1 of 2. 1 failed.").waitFor();
    await approving.getByText("Decided before: Denied").waitFor();
    expect([one, two, three, four].map(({ state }) => state)).toStrictEqual([
      "performed",
      "denied",
      "pending",
      "pending",
    ]);
    await approving.getByRole("button", { name: "Close" }).last().click();
    await until(
      "both to be gone",
      async () => (await select(one).count()) + (await select(two).count()) === 0,
    );
    await page.getByRole("checkbox", { name: "Select all that are listed" }).check();
    mock.state.failNext.set(
      `POST /api/doors/${four.id}/resolve`,
      new Refusal(503, "unavailable", "Not just now"),
    );
    await bar.getByRole("button", { name: "Deny…" }).click();
    const denying = page.getByRole("dialog", { name: "Deny 2 requests?" });
    await denying.getByRole("button", { name: "Deny 2 requests" }).click();
    await denying.getByText("Not just now").waitFor();
    mock.state.failNext.clear();
    await denying.getByRole("button", { name: "Try 1 again" }).click();
    await denying.getByText("Done for 2 requests.").waitFor();
    await denying.getByRole("button", { name: "Close" }).last().click();
    await page.getByText("No pending approvals").waitFor();
    expect([three, four].map(({ state }) => state)).toStrictEqual(["denied", "denied"]);
  });
});
