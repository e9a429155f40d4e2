// What is missing before work begins: said in each box for a goal, before a person presses Run.
import { axe, drawn, shot } from "../kit.ts";
import { makeTeam } from "../mock/teams.ts";
import { expect, test } from "./fixtures.ts";

const NOTE = "No model is set, so a script answers instead of a model.";

test.describe("what is missing for work", () => {
  for (const [theme, width] of [
    ["dark", 1440],
    ["light", 390],
  ] as const)
    test(`the boxes of Home, of a team and of an agent say that there is no model (${theme}, ${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ theme, width, height: 900 });
      mock.state.models.list = [];
      const [template] = mock.state.templates;
      const detail = "Image `rust` is not on the gateway's host.";
      const remedy = "Run `deploy/agent-image/build.sh --recipe rust` on the gateway's host.";
      template.image = { ...template.image, lacks: [{ what: "image_missing", detail, remedy }] };
      const team = makeTeam(mock.state, template, { name: "Ledger" });
      mock.state.teams.list.unshift(team);
      const agent = mock.state.claws[0];
      agent.model_binding = null;
      await page.goto(`${mock.url}/teams/${team.id}`);
      await page.getByText(NOTE).waitFor();
      await page.getByText("deploy/agent-image/build.sh --recipe rust").waitFor();
      await drawn(page);
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `lacks-team-${width}-${theme}`);
      await page.goto(`${mock.url}/claws/${agent.id}?app=work`);
      await page.getByText(NOTE).waitFor();
      await drawn(page);
      await shot(page, `lacks-agent-${width}-${theme}`);
      await page.goto(`${mock.url}/`);
      await page.getByRole("button", { name: "Give work" }).click();
      await page.getByRole("dialog").getByText(NOTE).waitFor();
    });

  test("nothing is said where nothing is missing, and a missing image of the gateway's host is named", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const team = makeTeam(mock.state, mock.state.templates[0], { name: "Ledger", machine_id: "local" });
    mock.state.teams.list.unshift(team);
    await page.goto(`${mock.url}/teams/${team.id}`);
    await page.getByRole("textbox", { name: "Goal" }).waitFor();
    await drawn(page);
    expect(await page.getByText(NOTE).count()).toBe(0);
    // The image of the team is not on the gateway's own host, where its sandboxes are made.
    team.effective_image = { kind: "node", from: "team" };
    await page.reload();
    await page.getByText("The image of new sandboxes of this team is missing.").waitFor();
  });
});
