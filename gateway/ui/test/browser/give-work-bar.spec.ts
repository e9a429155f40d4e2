// The bars of an agent and of a team lead with work; what destroys is in a menu.
import { axe, hasFocus, settled, shot, until } from "../kit.ts";
import { agentNamed, expect, test } from "./fixtures.ts";

test.describe("the bar of an agent and of a team", () => {
  for (const [theme, width] of [
    ["dark", 1440],
    ["light", 390],
  ] as const)
    test(`leads with work, and has a menu for what destroys (${theme}, ${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ theme, width, height: 900 });
      const { id } = agentNamed(mock.state, "mason");
      await page.goto(`${mock.url}/claws/${id}?app=activity`);
      await settled(page);
      expect(await page.getByRole("button", { name: "Delete the agent" }).count()).toBe(0);
      const more = page.getByRole("button", { name: "More actions" });
      await more.click();
      await hasFocus(page.getByRole("button", { name: "Destroy sandbox" }));
      await page.getByRole("button", { name: "Delete the agent" }).waitFor();
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `agent-menu-${theme}-${width}`);
      await page.keyboard.press("Escape");
      await hasFocus(more);
      await until(
        "the menu to go",
        async () => (await page.getByRole("button", { name: "Delete the agent" }).count()) === 0,
      );
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Delete the agent" }).click();
      await page
        .getByRole("alertdialog")
        .getByText(/Its history is kept/)
        .waitFor();
      await hasFocus(page.getByRole("button", { name: "Cancel" }));
      await page.keyboard.press("Escape");
      await hasFocus(more);
      await page.getByRole("button", { name: "Give work" }).click();
      await hasFocus(page.getByRole("textbox", { name: "Goal" }));
      expect(page.url()).toContain("app=work");
      // Once more, from below.
      await page.getByRole("button", { name: "Run" }).first().focus();
      await page.getByRole("button", { name: "Give work" }).click();
      await hasFocus(page.getByRole("textbox", { name: "Goal" }));

      const [team] = mock.state.teams.list;
      await page.goto(`${mock.url}/teams/${team!.id}?tab=activity`);
      await settled(page);
      await page.getByRole("button", { name: "Give work" }).click();
      await hasFocus(page.getByRole("textbox", { name: "Goal" }));
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `team-bar-${theme}-${width}`);
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("button", { name: "Delete team" }).click();
      await page.getByRole("alertdialog").waitFor();
    });

  test("an agent's overview names its team and the model that it would use", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440, height: 900 });
    const [team] = mock.state.teams.list;
    const agent = mock.state.claws.find(({ id }) => id === team!.members[0]!.agent_id)!;
    agent.model_binding = null;
    await page.goto(`${mock.url}/claws/${agent.id}`);
    const facts = page.getByRole("region", { name: "Agent", exact: true });
    await facts.getByRole("link", { name: team!.name }).waitFor();
    await facts.getByText("not its own: the team's or the workspace's").waitFor();
    await settled(page);
    await shot(page, "agent-overview");
  });

  test("a viewer has neither", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.role = "viewer";
    for (const path of [
      `/claws/${agentNamed(mock.state, "mason").id}`,
      `/teams/${mock.state.teams.list[0]!.id}`,
    ]) {
      await page.goto(mock.url + path);
      await settled(page);
      for (const name of ["Give work", "More actions"])
        expect(await page.getByRole("button", { name }).count(), `${path} ${name}`).toBe(0);
    }
  });
});
