// What is missing before work begins: said in each box for a goal, before a person presses Run.
import { axe, choose, drawn, shot } from "../kit.ts";
import { makeClaw } from "../mock/state.ts";
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
    expect(await page.getByText("No container engine").count()).toBe(0);
    mock.state.engine = false;
    await page.reload();
    await page.getByText("No container engine of the gateway's own machine has answered").waitFor();
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "lacks-engine");
    await page.getByRole("link", { name: "Open the fleet" }).click();
    await page.getByRole("heading", { name: "Fleet" }).waitFor();
  });

  test("a missing image is named for a single agent, on the page of the agent and on Home", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const agent = makeClaw(mock.state, "loner");
    mock.state.claws.unshift(agent);
    const rights = { profile: "coding_readwrite" as const, bundles: ["sandbox" as const] };
    mock.state.rights.set(agent.id, { ...rights, image: "node" });
    const lack = "The image of new sandboxes of this agent is missing.";
    await page.goto(`${mock.url}/claws/${agent.id}?app=work`);
    await page.getByText(lack).waitFor();
    await page.getByText("roost-agent:node is not on the gateway's host").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "lacks-agent-image");
    await page.goto(`${mock.url}/`);
    await page.getByRole("button", { name: "Give work" }).click();
    const dialog = page.getByRole("dialog");
    await choose(dialog.getByRole("combobox", { name: "Who works" }), `agent:${agent.id}`);
    await dialog.getByText(lack).waitFor();
    // An agent without tools has no sandbox, and the default image is there.
    for (const own of [{ ...rights, profile: "toolfree" as const, image: "node" }, rights]) {
      mock.state.rights.set(agent.id, own);
      await page.goto(`${mock.url}/claws/${agent.id}?app=work`);
      await page.getByRole("textbox", { name: "Goal" }).waitFor();
      await drawn(page);
      expect(await page.getByText(lack).count()).toBe(0);
    }
  });

  test("the image of a team is compared with what its own machine has", async ({ visit }) => {
    const { mock, page } = await visit();
    const [node] = mock.state.nodes;
    const own = { machine_id: node.id, image: "node" };
    const team = makeTeam(mock.state, mock.state.templates[0], { name: "Ledger", ...own });
    mock.state.teams.list.unshift(team);
    const reference = "roost-agent:node";
    const others = node.images.filter((image) => image.reference !== reference);
    node.images = [...others, { reference, state: "missing" }];
    await page.goto(`${mock.url}/teams/${team.id}`);
    const lack = page.getByText("The image of new sandboxes of this team is missing.");
    await expect(lack).toContainText(`On the machine ${node.name}, ${reference} is not there.`);
    await expect(lack.getByRole("link", { name: `Open ${node.name}` })).toHaveAttribute(
      "href",
      `/fleet/${node.id}`,
    );
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "lacks-team-machine");
    node.images = [...others, { reference, state: "ready" }];
    await page.reload();
    await page.getByRole("textbox", { name: "Goal" }).waitFor();
    await drawn(page);
    await expect(lack).toHaveCount(0);
    // While the machine is away, the gateway makes the sandboxes on its own host.
    Object.assign(node, { status: "offline", connection: "disconnected" });
    await page.reload();
    await expect(lack).toContainText("roost-agent:node is not on the gateway's host");
  });

  test("a budget asks for the price of the model that works", async ({ visit }) => {
    const { mock, page } = await visit();
    const { models } = mock.state;
    models.settings = { run_ceiling_microusd: null, month_ceiling_microusd: null };
    const team = makeTeam(mock.state, mock.state.templates[0], { name: "Ledger" });
    mock.state.teams.list.unshift(team);
    await page.goto(`${mock.url}/teams/${team.id}`);
    const budget = page.getByLabel("Budget, in dollars");
    const note = page.getByText(/the price of ollama\/small is not known/);
    // The workspace's own model has a price.
    await budget.fill("2.50");
    await drawn(page);
    await expect(note).toHaveCount(0);
    const model = page.getByRole("combobox", { name: "Model", exact: true });
    await choose(model, "ollama/small");
    await note.waitFor();
    await expect(note).toContainText("This run has a budget");
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "lacks-price");
    await budget.fill("");
    await expect(note).toHaveCount(0);
    // A limit of the workspace has the same effect, here for the model of one member.
    models.settings.month_ceiling_microusd = 5_000_000;
    team.members[1].model_binding = "ollama/small";
    await page.reload();
    await expect(note).toContainText("The workspace limits what runs may spend");
    await choose(model, "openai/gpt-large");
    await expect(note).toHaveCount(0);
  });
});
