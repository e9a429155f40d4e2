// The tab of an agent's page that says what it runs with: why, its skills, and the tokens of its programs.
import type { Page } from "@playwright/test";
import { axe, choose, drawn, hasFocus, shot, tryAgain, until } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { agentNamed, expect, test } from "./fixtures.ts";

const TOKEN = "rat_planted-0123456789abcdef";

const fits = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

const panel = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

test.describe("runtime", () => {
  for (const [theme, width] of [
    ["dark", 1280],
    ["light", 390],
  ] as const)
    test(`the page shows which settings apply and why, and skills are left out, added and restored (${theme}, ${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ theme, width, height: 860 });
      const agent = agentNamed(mock.state, "mason");
      await page.goto(`${mock.url}/claws/${agent.id}?app=runtime`);
      await panel(page, "Configuration").getByText("openai/gpt-large").waitFor();
      await page.getByText("From its team, or else the workspace's default.").waitFor();
      await page.getByText("Its team sets its permissions. If the team sets none").waitFor();
      await page.getByText("2 available tools").click();
      await page.getByText("Runs a command in the sandbox.").waitFor();
      const skills = panel(page, "Skills");
      await skills.getByText("there is no skill of this name").waitFor();
      expect(await skills.locator("ol > li a").allTextContents(), "in their order").toStrictEqual([
        "Debugging",
        "Code review",
      ]);
      await skills.getByText("Pinned").waitFor();
      await drawn(page);
      expect(await axe(page)).toStrictEqual([]);
      expect(await fits(page), "it scrolls sideways").toBeTruthy();
      await shot(page, `runtime-${width}-${theme}`);
      await skills.getByRole("button", { name: "Exclude code-review" }).focus();
      await page.keyboard.press("Enter");
      await skills.getByText("excluded for this agent").waitFor();
      await choose(skills.getByLabel("Another skill for this agent"), { label: "release-notes" });
      await skills.getByRole("button", { name: "Add skill" }).click();
      await skills.getByText(/added to this agent/).waitFor();
      await drawn(page);
      expect(await axe(page)).toStrictEqual([]);
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
      await shot(page, `runtime-skills-${width}-${theme}`);
      await skills.getByRole("button", { name: "Include code-review" }).click();
      await until(
        "nothing to be excluded",
        async () => (await skills.getByText("excluded for this agent").count()) === 0,
      );
      await skills.getByRole("button", { name: "Remove release-notes" }).click();
      await until("it to be gone", async () => (await skills.locator("ol > li").count()) === 2);
    });

  test("the agent's own permissions and tools are changed, and work for this agent alone starts a run", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const [agent] = mock.state.claws;
    mock.state.teams.list = [];
    await page.goto(`${mock.url}/claws/${agent.id}?app=runtime`);
    const own = panel(page, "The agent's own permissions");
    await choose(own.getByLabel("What it may do", { exact: true }), "coding_readwrite");
    await panel(page, "Configuration").getByText("Read, write, run").first().waitFor();
    await own.getByLabel("work in a sandbox").check();
    await until(
      "the gateway to have both",
      async () => mock.state.rights.get(agent.id)?.bundles.join() === "door,sandbox",
    );
    expect(mock.state.rights.get(agent.id)?.profile).toBe("coding_readwrite");
    await choose(own.getByLabel("Its own image"), "node");
    await panel(page, "Configuration").getByText("the agent's own choice").waitFor();
    await own.getByLabel("CPUs").fill("0.5");
    await own.getByRole("button", { name: "Save limits" }).click();
    await panel(page, "Configuration").getByText("0.5 CPU").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "runtime-image");
    await page.goto(`${mock.url}/claws/${agent.id}?app=work`);
    await page.getByText("None yet. Runs of its teams").waitFor();
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await page.getByLabel("Goal").fill("Count the files");
    await page.keyboard.press("Control+Enter");
    await page.waitForURL(/\/runs\//);
    expect(mock.state.runs.list[0].agent_id).toBe(agent.id);
    await page.goto(`${mock.url}/claws/${agent.id}?app=work`);
    await page.getByRole("link", { name: /Count the files/ }).waitFor();
    expect(await fits(page), "it scrolls sideways").toBeTruthy();
  });

  test("a token is made by keyboard, shown once and revoked", async ({ visit }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "mason");
    await page.goto(`${mock.url}/claws/${agent.id}?app=runtime`);
    const tokens = panel(page, "Tokens");
    await tokens.getByText("No tokens yet. With a token, a program").waitFor();
    await tokens.getByRole("button", { name: "New token" }).focus();
    await page.keyboard.press("Enter");
    await hasFocus(page.getByLabel("What it is for"));
    await page.keyboard.type("nightly build");
    await choose(page.getByLabel("Ends after"), "7");
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByText("Shown only now.").waitFor();
    expect(await page.getByLabel("Token", { exact: true }).inputValue()).toBe(TOKEN);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "runtime-token");
    await page.getByRole("button", { name: "Done" }).click();
    await tokens.getByText("nightly build").waitFor();
    await tokens.getByText(/used never, expires in 7 days|used never, expires in 6 d/).waitFor();
    expect(!(await page.content()).includes(TOKEN), "it is nowhere on the page any more").toBeTruthy();
    await tokens.getByRole("button", { name: "Revoke nightly build" }).click();
    const dialog = page.getByRole("alertdialog");
    await hasFocus(dialog.getByRole("button", { name: "Cancel" }));
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await tokens.getByText("No tokens yet. With a token, a program").waitFor();
  });

  test("the page handles loading, failures, an agent without a team, hostile texts and viewers", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ width: 390 });
    const [agent] = mock.state.claws;
    const path = `GET /api/claws/${agent.id}/runtime-config`;
    const answer = mock.hold("GET /api/claws/{id}/runtime-config");
    await page.goto(`${mock.url}/claws/${agent.id}?app=runtime`);
    await page.getByText("Loading what it runs with").waitFor({ state: "attached" });
    answer();
    await page.getByText("The workspace has no model of this name").waitFor();
    mock.state.failNext.set(path, new Refusal(500, "internal", "Something failed"));
    await page.goto(`${mock.url}/claws/${agent.id}?app=runtime`);
    await page.getByText("Something failed").waitFor();
    await tryAgain(page, mock);
    mock.state.teams.list = [];
    mock.state.models.list = [];
    const evil = `<b>x</b>\u202E${"long".repeat(80)}`;
    Object.assign(agent, { model_binding: "", name: evil, role: evil });
    Object.assign(mock.state.skills[0], { title: evil, name: evil, when_to_use: evil });
    mock.state.role = "viewer";
    await page.goto(`${mock.url}/claws/${agent.id}?app=runtime`);
    await page.getByText("It is in no team, so its own permissions apply.").waitFor();
    await page.getByText("demonstration").waitFor();
    await page.getByText("No tools.", { exact: true }).waitFor();
    await page.getByText(/You may not choose skills or make tokens/).waitFor();
    await drawn(page);
    expect(await page.locator("main b").count()).toBe(0);
    for (const name of [/^Exclude/, "New token", "Add skill"])
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    expect(await fits(page), "it scrolls sideways").toBeTruthy();
    expect(await axe(page)).toStrictEqual([]);
  });
});
