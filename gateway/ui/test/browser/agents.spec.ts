// An agent's page: its tabs by keyboard and address.
import { axe, choose, settled, shot, until } from "../kit.ts";
import { makeDoor } from "../mock/doors.ts";
import { Refusal } from "../mock/refusal.ts";
import { agentNamed, expect, test } from "./fixtures.ts";

test.describe("agents", () => {
  test("tabs open with arrow keys, set the address, and also open from older links", async ({ visit }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "mason");
    await page.goto(`${mock.url}/claws/${agent.id}`);
    await page.getByRole("heading", { name: "Recent activity" }).waitFor();
    await page.getByRole("tab", { name: "Overview" }).focus();
    for (const [name, app] of [
      ["Work", "work"],
      ["Sandbox", "sandbox"],
      ["Files", "files"],
      ["Brain", "brain"],
      ["Runtime", "runtime"],
      ["Level-ups", "level-ups"],
      ["Activity", "activity"],
      ["Apps", "apps"],
    ]) {
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      await until(`${name} to be in the address`, () => page.url().endsWith(`?app=${app}`));
      await page.getByRole("tab", { name, selected: true }).waitFor();
    }
    await page.getByRole("heading", { name: "GitHub" }).waitFor();
    for (const [old, tab] of [
      ["?tab=hardening", "Sandbox"],
      ["?tab=details", "Overview"],
      ["?tab=brain", "Brain"],
      ["?app=nonsense", "Overview"],
    ]) {
      await page.goto(`${mock.url}/claws/${agent.id}${old}`);
      await page.getByRole("tab", { name: tab, selected: true }).waitFor();
    }
  });

  test("a long report is folded with its result in a line, and its address opens it", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440, height: 900 });
    const agent = agentNamed(mock.state, "mason");
    const sandbox = mock.state.sandboxes.get(agent.id)!;
    const [fact] = sandbox.hardening;
    sandbox.hardening = Array.from({ length: 152 }, (_, n) => ({ ...fact, fact: `measure-${n}` }));
    await page.goto(`${mock.url}/claws/${agent.id}?app=sandbox`);
    await page.getByText("All 152 checks passed").waitFor();
    await settled(page);
    const height = () => page.evaluate(() => document.documentElement.scrollHeight);
    expect(await height()).toBeLessThanOrEqual(1800);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "agent-folded");
    await page.getByRole("heading", { name: "Hardening report" }).click();
    await page.getByRole("table", { name: "Hardening of the sandbox of this agent" }).waitFor();
    await until("the address to say so", () => page.url().endsWith("?app=sandbox#hardening"));
    await page.reload();
    await page.getByText("measure-151").waitFor();
    await page.getByRole("heading", { name: "Hardening report" }).click();
    await until("the address to be as before", () => page.url().endsWith("?app=sandbox"));
  });

  test("an agent is ready, working, waiting or failed, and never offline", async ({ visit }) => {
    const { mock, page } = await visit();
    const { claws } = mock.state;
    const [first, second] = claws;
    for (const claw of claws) Object.assign(claw, { status: "offline", sandbox: null });
    mock.state.doors = [makeDoor(first)];
    second.status = "working";
    await page.goto(`${mock.url}/agents`);
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row(first.name).getByText("Waiting", { exact: true }).waitFor();
    await row(second.name).getByText("Working", { exact: true }).waitFor();
    await page.getByText("Ready", { exact: true }).first().waitFor();
    expect(await page.getByText("Offline", { exact: true }).count()).toBe(0);
    await page.goto(`${mock.url}/teams/${mock.state.teams.list[0].id}`);
    await page.getByRole("region", { name: "Members" }).getByText("Waiting", { exact: true }).waitFor();
    expect(await page.getByText("Offline", { exact: true }).count()).toBe(0);
    await page.goto(`${mock.url}/claws/${first.id}`);
    await page.getByTitle("It has asked for an approval and waits for it.").waitFor();
    // A saved view or a link of before.
    await page.goto(`${mock.url}/agents?state=idle`);
    await page.getByText("Ready", { exact: true }).first().waitFor();
    await until("the agent that waits to be left out", async () => (await row(first.name).count()) === 0);
  });

  test("the model of an agent is chosen with its price and context, and a deleted one stays", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "scribe");
    expect(agent.model_binding).toBe("sonnet");
    await page.goto(`${mock.url}/claws/${agent.id}`);
    await settled(page);
    await page.getByRole("button", { name: "Change the agent" }).click();
    const dialog = page.getByRole("dialog", { name: "Change scribe" });
    const model = dialog.getByRole("combobox", { name: "Model" });
    await dialog.getByText("The workspace does not have this model. Choose another one.").waitFor();
    await model.focus();
    await page.keyboard.press("ArrowDown");
    const options = page.getByRole("listbox").getByRole("option");
    expect(await options.allInnerTexts()).toStrictEqual([
      "Its team's model, or else the workspace's",
      "ollama/small\nprice not known · 33k context",
      "openai/gpt-large\n$1.25 in, $10 out · 33k context",
      "sonnet\nThe workspace does not have this model.",
      "scripted\nA script for demonstrations, not a model. It costs nothing.",
    ]);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "agent-model");
    await page.keyboard.type("open");
    await page.keyboard.press("Enter");
    await dialog.getByText("$1.25 in, $10.00 out for a million tokens · 33k context").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await until("the model to be saved", () => agent.model_binding === "openai/gpt-large");
  });

  test("the picker of models says why it has none", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.models.list = [];
    const open = async () => {
      await page.goto(`${mock.url}/agents`);
      await page.getByRole("button", { name: "New agent" }).first().click();
    };
    await open();
    const dialog = page.getByRole("dialog", { name: "New agent" });
    await dialog.getByText("The workspace has no models yet.").waitFor();
    await dialog.getByRole("link", { name: "Add a model" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await choose(dialog.getByLabel("Model"), "scripted");
    mock.state.failNext.set("GET /api/models", new Refusal(403, "forbidden", "You may not do that"));
    await open();
    await dialog.getByText("The workspace's models cannot be read now.").waitFor();
  });
});
