// The shell around every page: palette, crumbs with what stands beside them, keys, rail, drawer.
import type { Page } from "@playwright/test";
import { axe, axeBoth, hasFocus, settled, shot, shotBoth, uncovered, until } from "../kit.ts";
import { makeRoutine } from "../mock/routes-routines.ts";
import { makeRun } from "../mock/runs.ts";
import { agentNamed, expect, test } from "./fixtures.ts";

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? "");

test.describe("shell", () => {
  test("the palette finds places, things, actions and settings by keyboard", async ({ visit }) => {
    const { page } = await visit({ at: "/fleet" });
    const field = page.getByRole("combobox", { name: /^Search places/ });
    const open = async () => {
      await uncovered(page);
      await page.keyboard.press("Control+k");
      await hasFocus(field);
    };
    await open();
    await page.getByRole("option", { name: "Pair a machine" }).first().waitFor();
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "palette");
    await page.keyboard.type("maso");
    await page.getByRole("option", { name: /^mason/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "mason" }).waitFor();
    // The buttons of the page are offered too, and what destroys opens its dialog.
    await open();
    await page.keyboard.type("delete the");
    await page.getByRole("option", { name: "Delete the agent" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("alertdialog").waitFor();
    await until("the focus to be on Cancel", async () => (await focused(page)) === "Cancel");
    await page.keyboard.press("Escape");
    await until("the dialog to go", async () => (await page.getByRole("alertdialog").count()) === 0);
    // What was used is first the next time.
    await open();
    await page
      .getByRole("group", { name: "Recent" })
      .getByRole("option", { name: /^mason/ })
      .waitFor();
    await page.keyboard.type("rows compact");
    await page.keyboard.press("Enter");
    await until("the rows to be compact", () =>
      page.evaluate(() => document.documentElement.dataset.density === "compact"),
    );
    await open();
    await page.keyboard.type("qqqq");
    await page.getByText("No results").waitFor();
    expect(await axeBoth(page)).toStrictEqual([]);
    await page.keyboard.press("Escape");
    await until("the palette to go", async () => (await field.count()) === 0);
  });

  test("the palette offers only what the role allows and letters in a field stay letters", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    mock.state.role = "viewer";
    mock.state.operator = false;
    await page.reload();
    await page.getByLabel(/^Filter:/).fill("gk?x");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Quotas" }).waitFor();
    for (const name of ["Supervision", "Audit", "New agent", "Pair a machine"])
      expect(await page.getByRole("option", { name }).count(), name).toBe(0);
  });

  test("the palette finds teams and runs by name and shows their names as text", async ({ visit }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    const [team] = mock.state.teams.list;
    const [run] = mock.state.runs.list;
    Object.assign(run, { title: "<b>Mend</b>\u202E the parser" });
    await page.getByText("Live", { exact: true }).waitFor();
    await page.keyboard.press("Control+k");
    await hasFocus(page.getByRole("combobox", { name: /^Search places/ }));
    await page.keyboard.type("mend");
    await page.getByRole("option", { name: /Mend/ }).waitFor();
    expect(await page.locator("[role=listbox] b").count()).toBe(0);
    expect(await axe(page)).toStrictEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /Mend/, level: 1 }).waitFor();
    expect(page.url().endsWith(`/runs/${run.id}`)).toBeTruthy();
    await uncovered(page);
    await page.keyboard.press("Control+k");
    await hasFocus(page.getByRole("combobox", { name: /^Search places/ }));
    await page.keyboard.type(team.name);
    await page
      .getByRole("option", { name: new RegExp(`^${team.name}`) })
      .first()
      .click();
    await page.getByRole("heading", { name: team.name, exact: true }).waitFor();
  });

  for (const [theme, width] of [
    ["dark", 1440],
    ["light", 390],
  ] as const)
    test(`the palette has the runs of single agents and says who worked in each (${theme}, ${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ theme, width, height: 900 });
      const { state } = mock;
      const [team] = state.teams.list;
      const alone = { agent_id: agentNamed(state, "mason").id, origin: { type: "chat" } } as const;
      state.runs.list.push(
        makeRun(state, { title: "Count the words", ...alone }),
        makeRun(state, { title: "Count the words", team_id: team.id }),
      );
      await page.goto(`${mock.url}/claws/${alone.agent_id}`);
      await page.getByRole("heading", { name: "mason" }).waitFor();
      await page.keyboard.press("Control+k");
      await hasFocus(page.getByRole("combobox", { name: /^Search places/ }));
      await page.keyboard.type("count the words");
      await page.getByRole("option", { name: `team ${team.name}` }).waitFor();
      await page.getByRole("option", { name: "agent mason" }).waitFor();
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `palette-runs-${width}-${theme}`);
      await page.getByRole("option", { name: "agent mason" }).click();
      await page.getByRole("heading", { name: "Count the words", level: 1 }).waitFor();
    });

  test("the palette finds missions, routines, skills and templates, and has the words of the lists", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ missions: true });
    const { state } = mock;
    if (state.routines.list.length === 0) state.routines.list.push(makeRoutine(state));
    const [run] = state.runs.list;
    Object.assign(run, { title: "Judge the parser", status: "completed", outcome: "rejected" });
    state.claws.forEach((claw) => Object.assign(claw, { status: "offline" }));
    const field = page.getByRole("combobox", { name: /^Search places/ });
    const look = async (words: string) => {
      await uncovered(page);
      await page.keyboard.press("Control+k");
      await hasFocus(field);
      await page.keyboard.type(words);
    };
    await page.goto(`${mock.url}/quotas`);
    await settled(page);
    await look("judge the parser");
    await page.getByRole("option", { name: /Judge the parser.*Completed, Rejected/ }).waitFor();
    await page.keyboard.press("Escape");
    await look("mason");
    await page
      .getByRole("group", { name: "Agents" })
      .getByRole("option", { name: /^mason.*Ready/ })
      .waitFor();
    expect(await page.getByRole("option", { name: /offline/ }).count()).toBe(0);
    await page.keyboard.press("Escape");
    for (const [group, name, path] of [
      ["Missions", state.missions.list[0]!.title, `/missions/${state.missions.list[0]!.id}`],
      ["Routines", state.routines.list[0]!.name, `/routines/${state.routines.list[0]!.id}`],
      ["Skills", state.skills[0]!.title, `/skills/${state.skills[0]!.id}`],
      ["Templates", state.templates[0]!.name, `/templates/${state.templates[0]!.id}`],
    ] as const) {
      await look(name);
      await page.getByRole("group", { name: group }).getByRole("option").first().click();
      await page.waitForURL(`**${path}`);
      await settled(page);
    }
  });

  for (const width of [1440, 390])
    test(`an unknown address keeps the navigation beside what it says (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 800 });
      await page.goto(`${mock.url}/no/such/page`);
      await page.getByText("There is no such page").waitFor();
      await settled(page);
      const main = page.getByRole("navigation", { name: "Main" });
      if (width === 390) await page.getByRole("button", { name: "Open navigation" }).click();
      await main.getByRole("link", { name: "Runs" }).waitFor();
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `lost-${width}`);
      await main.getByRole("link", { name: "Runs" }).click();
      await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
    });

  test("the address of a skill may have its name", async ({ visit }) => {
    const { mock, page } = await visit();
    const [skill] = mock.state.skills;
    await page.goto(`${mock.url}/skills/${skill!.name}`);
    await page.getByRole("heading", { name: skill!.title, level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/skills/${skill!.id}`);
    await page.goto(`${mock.url}/skills/no-such-skill`);
    await page.getByRole("link", { name: "All skills" }).waitFor();
  });

  test("a crumb opens its siblings with Alt and arrow down and brackets step through them", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/claws/${mock.state.claws[1].id}?tab=details`);
    await page.getByRole("heading", { name: "mason" }).waitFor();
    await page.keyboard.press("Alt+ArrowDown");
    const list = page.getByRole("dialog", { name: "Other agents" });
    await list.getByRole("option", { name: /scribe/ }).waitFor();
    await hasFocus(list.getByRole("combobox"));
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "crumb-siblings");
    await page.keyboard.type("look");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "lookout" }).waitFor();
    await page.keyboard.press("]");
    await page.getByRole("heading", { name: "mason" }).waitFor();
    await page.keyboard.press("]");
    await page.getByRole("heading", { name: "scribe" }).waitFor();
    // At the end of the list it stays.
    await page.keyboard.press("]");
    await page.keyboard.press("[");
    await page.getByRole("heading", { name: "mason" }).waitFor();
    // The opener of the list gets the focus back.
    await page.keyboard.press("Alt+ArrowDown");
    await hasFocus(list.getByRole("combobox"));
    await page.keyboard.press("Escape");
    await until("the list to close", async () => (await list.count()) === 0);
    await hasFocus(page.getByRole("button", { name: "Other agents" }));
    // From the crumb of the place: the other places.
    await page.getByRole("link", { name: "Agents" }).last().focus();
    await page.keyboard.press("Alt+ArrowDown");
    await page.getByRole("dialog", { name: "Other places" }).getByRole("option", { name: "Quotas" }).click();
    await page.getByRole("heading", { name: "Quotas" }).waitFor();
  });

  test("keys move between rows, open them, follow chords and show the help until they are switched off", async ({
    visit,
  }) => {
    const { page } = await visit({ at: "/fleet" });
    await page.getByRole("link", { name: "gpu-tower" }).waitFor();
    await settled(page);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("j");
    const name = await page.locator("tbody tr th a").nth(1).textContent();
    await until("the second row to have the focus", async () => (await focused(page)) === name);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: name! }).waitFor();
    for (const [chord, heading] of [
      ["s", "Settings"],
      ["u", "Audit"],
      ["p", "Members"],
      ["f", "Fleet"],
    ]) {
      await page.keyboard.press("g");
      await page.keyboard.press(chord);
      await page.getByRole("heading", { name: heading, exact: true }).first().waitFor();
    }
    await page.keyboard.press("/");
    await until("the filter to have the focus", () =>
      page.evaluate(() => document.activeElement?.hasAttribute("data-filter")),
    );
    await page.keyboard.press("Tab");
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "keyboard-help");
    await page.keyboard.press("Escape");
    await uncovered(page);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Single-key shortcuts").uncheck();
    await page.keyboard.press("g");
    await page.keyboard.press("f");
    await page.keyboard.press("?");
    await page.keyboard.press("Control+k");
    await hasFocus(page.getByRole("combobox", { name: /^Search places/ }));
    await page.keyboard.press("Escape");
    await uncovered(page);
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    expect(await page.getByRole("heading", { name: "Keyboard shortcuts" }).count()).toBe(0);
  });

  test("the rail folds, stays folded after a reload and is a drawer on a narrow screen", async ({
    visit,
  }) => {
    const { page } = await visit({ at: "/fleet" });
    await page.getByRole("button", { name: "Fold the navigation" }).click();
    await page.reload();
    await page.getByRole("button", { name: "Unfold the navigation" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "rail-folded");
    await page.getByRole("link", { name: "Members" }).click();
    await page.getByRole("heading", { name: "Members" }).waitFor();
    await page.setViewportSize({ width: 899, height: 800 });
    await until(
      "the rail to make room",
      async () => (await page.getByRole("navigation", { name: "Main" }).count()) === 0,
    );
    await page.getByRole("button", { name: "Open navigation" }).click();
    const drawer = page.getByRole("dialog", { name: "Navigation" });
    await drawer.getByRole("link", { name: "Quotas" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "drawer");
    await drawer.getByRole("link", { name: "Quotas" }).click();
    await page.getByRole("heading", { name: "Quotas" }).waitFor();
    await until("the drawer to close", async () => (await drawer.count()) === 0);
  });
});
