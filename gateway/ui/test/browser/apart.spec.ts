// Two things of one name are told apart wherever a person picks one.
import { axe, drawn, shot } from "../kit.ts";
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
});
