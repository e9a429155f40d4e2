// Two things of one name are told apart wherever a person picks one.
import { axe, drawn, hasFocus, settled, shot } from "../kit.ts";
import { makeClaw } from "../mock/state.ts";
import { makeTeam } from "../mock/teams.ts";
import { expect, test } from "./fixtures.ts";

test.describe("things of one name", () => {
  for (const [theme, width] of [
    ["dark", 1440],
    ["light", 390],
  ] as const)
    test(`two teams and two templates are told apart in pickers (${theme}, ${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ theme, width, height: 900 });
      const [template, other] = mock.state.templates;
      other.name = template.name;
      const twins = [1, 2].map(() => makeTeam(mock.state, template, { name: "Twin", claws: [], roles: [] }));
      const one = makeTeam(mock.state, template, { name: "Ledger", claws: [], roles: [] });
      mock.state.teams.list = [...twins, one];
      const ends = twins.map(({ id }) => id.slice(-8));
      expect(ends[0]).not.toBe(ends[1]);
      const seen = async () => {
        for (const end of ends) await page.getByRole("option", { name: `Twin (${end})` }).waitFor();
        await page.getByRole("option", { name: /^Ledger( , Teams)?$/ }).waitFor();
      };
      await page.goto(`${mock.url}/runs`);
      await page.getByRole("combobox", { name: "Team" }).click();
      await seen();
      await page.goto(`${mock.url}/runs/compare`);
      await page.getByRole("combobox", { name: "Team" }).first().click();
      await seen();
      await drawn(page);
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `apart-${width}-${theme}`);
      await page.goto(`${mock.url}/routines/new`);
      await page.getByRole("combobox", { name: "Team template" }).click();
      await page.getByRole("option", { name: `${other.name} (${other.id.slice(-8)})` }).waitFor();
      await page.goto(`${mock.url}/`);
      await page.getByRole("button", { name: "Give work" }).click();
      await page.getByRole("combobox", { name: "Who works" }).click();
      await seen();
    });

  for (const [theme, width] of [
    ["dark", 1440],
    ["light", 390],
  ] as const)
    test(`agents whose names look alike are told apart in lists and pickers (${theme}, ${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ theme, width, height: 900 });
      const { state } = mock;
      // The second name has a Cyrillic letter.
      const alike = ["nadia", "n\u0430dia"].map((name) => makeClaw(state, name));
      state.claws.push(...alike);
      const [team] = state.teams.list;
      for (const { id, name } of alike)
        team.members.push({ ...team.members[0], node: id, slot: id, agent_id: id, name });
      const ends = alike.map(({ id }) => id.slice(-8));
      const offered = async () => {
        for (const end of ends) await page.getByRole("option", { name: `(${end})` }).waitFor();
        expect(await page.getByRole("option", { name: /^mason \(/ }).count()).toBe(0);
      };
      await page.goto(`${mock.url}/agents`);
      for (const end of ends) await page.getByRole("row", { name: `(${end})` }).waitFor();
      expect(await page.getByRole("row", { name: /mason \(/ }).count()).toBe(0);
      await settled(page);
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `alike-list-${width}-${theme}`);
      await page.goto(`${mock.url}/runs/compare`);
      await page.getByRole("combobox", { name: "Who judges" }).click();
      await offered();
      await page.goto(`${mock.url}/connections`);
      await page.getByRole("button", { name: "Connect an app" }).first().click();
      await page.getByRole("combobox", { name: "Agent" }).last().click();
      await offered();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      await page.goto(`${mock.url}/quotas`);
      await settled(page);
      await page.keyboard.press("Control+k");
      await hasFocus(page.getByRole("combobox", { name: /^Search places/ }));
      await page.keyboard.type("dia");
      await offered();
      await shot(page, `alike-palette-${width}-${theme}`);
    });
});
