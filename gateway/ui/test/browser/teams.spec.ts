// Teams: made from a template, given a goal, changed and deleted, in a real Chromium.
import type { Page } from "@playwright/test";
import { axe, choose, drawn, hasFocus, shot, tryAgain, unfold, until } from "../kit.ts";
import { missionNamed } from "../mock/missions.ts";
import { Refusal } from "../mock/refusal.ts";
import { makeModel } from "../mock/routes-models.ts";
import { makeRoutine } from "../mock/routes-routines.ts";
import { makeTeam } from "../mock/teams.ts";
import { expect, test } from "./fixtures.ts";

const fits = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

test.describe("teams", () => {
  test("a first team is made from a template and set to work", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.teams.list = [];
    // The gateway refuses it: somebody deletes it while the page still lists it.
    mock.state.models.list.push(makeModel("openai", "nothing", { name: "nobody/nothing" }));
    await page.goto(`${mock.url}/teams`);
    await page.getByText("No teams yet").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("link", { name: "New team" }).click();
    await page.getByRole("region", { name: "Research" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "teams-templates");
    await page.getByRole("link", { name: "Rust, from plan to commit" }).click();
    await page.getByLabel("Name of the team").fill("Ledger");
    await page.getByRole("link", { name: "Another template" }).click();
    const leaving = page.getByRole("alertdialog");
    await leaving.getByText("Leave without making the team?").waitFor();
    await leaving.getByRole("button", { name: "Cancel" }).click();
    const drawing = page.getByRole("region", { name: "Who will work with whom" });
    expect(await drawing.getByRole("listitem").count()).toBe(3);
    await choose(page.getByLabel("How they work together"), "hub_spoke");
    await page.getByRole("checkbox", { name: "Tester" }).uncheck();
    expect(await drawing.getByRole("listitem").count()).toBe(2);
    await choose(page.getByLabel("Model of the Coder"), "openai/gpt-large");
    await page.getByText("$1.25 in, $10.00 out for a million tokens · 33k context").waitFor();
    await choose(page.getByLabel("Model of the Coder"), "nobody/nothing");
    await drawing.getByText("nobody/nothing").waitFor();
    await drawing
      .locator("..")
      .getByText(/^The hub gives/)
      .waitFor();
    await choose(page.getByLabel("What they may do"), "research_readonly");
    await page.getByLabel("One sandbox for all").uncheck();
    const [box, , away] = mock.state.nodes;
    await page.getByText("The gateway's own machine", { exact: true }).last().waitFor();
    await choose(page.getByLabel("Machine of their sandboxes"), away.id);
    await page.getByText(/Until it is back, sandboxes are made on the gateway's own machine/).waitFor();
    await choose(page.getByLabel("Machine of their sandboxes"), box.id);
    await page.getByText(`${box.name}: Online`).waitFor();
    await page.getByRole("button", { name: "Create team" }).click();
    await page.getByText("there is no such model").first().waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "teams-builder");
    await choose(page.getByLabel("Model of the Coder"), "openai/gpt-large");
    const coder = page.getByLabel("Name of the Coder");
    await coder.fill("mason");
    await page.getByRole("button", { name: "Create team" }).click();
    await page.getByText("Another agent has this name.").first().waitFor();
    expect(await coder.getAttribute("aria-invalid")).toBe("true");
    await hasFocus(coder);
    await coder.fill("Mason");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Ledger", exact: true }).waitFor();
    const [{ key, body }] = mock.state.teams.asked;
    expect(key.length >= 16, "it carries a key").toBeTruthy();
    expect(body).toStrictEqual({
      name: "Ledger",
      template_id: mock.state.templates[0].id,
      topology: "hub_spoke",
      roles: [{ slot: "planner" }, { slot: "coder", name: "Mason", model_binding: "openai/gpt-large" }],
      shared_sandbox: false,
      risk_profile: "research_readonly",
      machine_id: mock.state.nodes[0].id,
    });
    await page.getByText("None yet. Give the team a goal.").waitFor();
    await page.getByRole("textbox", { name: "Goal" }).fill("Mend the tests");
    await page.getByLabel("Budget, in dollars").fill("0,5");
    await page.getByLabel("Turn limit").fill("0");
    await page.getByText("A whole number from 1 to 100,000.").waitFor();
    await page.getByLabel("Turn limit").fill("40");
    await page.getByLabel("Time limit, in minutes").fill("90");
    await page.getByRole("textbox", { name: "Goal" }).press("Control+Enter");
    await page.getByText("Queued").first().waitFor();
    expect(mock.state.teams.goal).toStrictEqual({
      input: "Mend the tests",
      cost_ceiling_microusd: 500_000,
      limits: { turns: 40, time_s: 5400 },
    });
  });

  test("what is missing for a team is said before it is made, and can be accepted", async ({ visit }) => {
    const { mock, page } = await visit();
    const [template] = mock.state.templates;
    const detail = "Image `node` is not on the gateway's host.";
    const remedy = "Run `deploy/agent-image/build.sh --recipe node` on the gateway's host.";
    const image = { kind: "node", tag: "roost-agent:node" };
    template.image = { ...image, lacks: [{ what: "image_missing", detail, remedy }] };
    await page.goto(`${mock.url}/templates/${template.id}`);
    await page.getByText("Missing here").waitFor();
    await page.getByText("deploy/agent-image/build.sh --recipe node").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "template-lacks");
    await page.getByRole("link", { name: "Make a team" }).click();
    const missing = page.getByRole("region", { name: "Missing here" });
    await missing.getByText("deploy/agent-image/build.sh --recipe node").waitFor();
    await choose(page.getByLabel("What they may do"), "toolfree");
    await until("nothing to be missing", async () => (await missing.count()) === 0);
    await choose(page.getByLabel("What they may do"), "");
    await page.getByRole("button", { name: "Create team" }).click();
    await missing.getByText("No team was made, because something is missing").waitFor();
    expect(mock.state.teams.asked).toStrictEqual([]);
    expect(await axe(page)).toStrictEqual([]);
    await missing.getByLabel("Make the team all the same").check();
    await shot(page, "team-lacks");
    await page.getByRole("button", { name: "Create team" }).click();
    await page.getByRole("heading", { name: template.name, exact: true }).waitFor();
    expect(mock.state.teams.asked[0].body.accept_lacks).toBe(true);
  });

  for (const [theme, width] of [
    ["dark", 1280],
    ["light", 390],
  ] as const)
    test(`a team's page follows live changes, takes edits and deletes the team (${theme}, ${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ theme, width, height: 860 });
      const [team] = mock.state.teams.list;
      await page.goto(`${mock.url}/teams/${team.id}`);
      await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
      await drawn(page);
      expect(await fits(page)).toBeTruthy();
      const node = page.locator(`[data-node="${team.members[2].node}"]`);
      expect(await node.getAttribute("data-tone")).toBe("idle");
      mock.hub.emit("agent.status", { agentId: team.members[2].agent_id, status: "working" });
      await node.getByText("Working").waitFor();
      await unfold(page, "What its agents may use");
      await page.getByLabel("Name of the team").fill("Renamed");
      await shot(page, `team-rename-${theme}-${width}`);
      await page.getByRole("button", { name: "Save the name" }).click();
      await page.getByRole("heading", { name: "Renamed", exact: true }).waitFor();
      expect(team.name).toBe("Renamed");
      await choose(page.getByLabel("What they may do"), "toolfree");
      await page.getByText("No tools. They think and talk, and touch nothing.").waitFor();
      // Each change names the version that it was made to, so the next one waits for the answer.
      const answer = mock.hold("PATCH /api/teams/{id}");
      await choose(page.getByLabel("Machine of their sandboxes"), "local");
      await until("the image to wait", () => page.getByLabel("Image of their sandboxes").isDisabled());
      answer();
      await until("the team to move", () => team.machine_id === "local");
      await choose(page.getByLabel("Machine of their sandboxes"), "");
      await until("the team to move back", () => team.machine_id === null);
      await page.getByText("named by the template").waitFor();
      await choose(page.getByLabel("Image of their sandboxes"), "node");
      await page.getByText("chosen for the team").waitFor();
      await page.getByText(/build\.sh --recipe node there/).waitFor();
      await page.getByLabel("Memory, in GiB").fill("2");
      await page.getByRole("button", { name: "Save limits" }).click();
      await page.getByText("2 GiB of memory", { exact: true }).waitFor();
      expect(team.limits).toStrictEqual({ memory_bytes: 2 * 1024 ** 3 });
      const shared = page.getByLabel("One sandbox for all");
      const before = team.shared_sandbox;
      await shared.click();
      await until("the sandbox to be another", () => team.shared_sandbox !== before);
      await page.getByText(before ? "one for each of them" : "one for all of them").waitFor();
      await expect(shared).toBeChecked({ checked: !before });
      const [connection] = mock.state.repos.connections;
      const repo = mock.state.repos.repos.find((one) => one.connection_id === connection.id && !one.gone_at);
      await choose(page.getByLabel("Repository of its runs"), repo!.id);
      await page.getByLabel("Begin at").last().fill("next");
      await page.getByRole("button", { name: "Save the repository" }).click();
      await until("the team to have its repository", () => team.repo?.base === "next");
      await expect(page.getByLabel("Repository", { exact: true })).toHaveAttribute("data-value", repo!.id);
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `team-${width}-${theme}`);
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("button", { name: "Delete team" }).click();
      const dialog = page.getByRole("alertdialog");
      await hasFocus(dialog.getByRole("button", { name: "Cancel" }));
      await dialog.getByLabel("Delete its agents as well").check();
      expect(await axe(page)).toStrictEqual([]);
      mock.state.failNext.set(
        `DELETE /api/teams/${team.id}`,
        new Refusal(409, "conflict", "The team has a run under way"),
      );
      await dialog.getByRole("button", { name: "Delete team" }).click();
      await dialog.getByText("The team has a run under way").waitFor();
      mock.state.failNext.clear();
      await dialog.getByRole("button", { name: "Delete team" }).click();
      await page.getByRole("heading", { name: "Teams", exact: true }).waitFor();
      expect(mock.state.teams.deleted).toStrictEqual({ id: team.id, agents: "true" });
    });

  test("a team's page names the mission that made the team, and moves nothing for it", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    const team = mock.state.teams.list.find(({ name }) => name === "Rust: Faster parser")!;
    const own = mock.state.teams.list.find(({ name }) => !name.includes(": "))!;
    const routine = makeRoutine(mock.state);
    missionNamed(mock.state, "Faster parser").routine_id = routine.id;
    const answer = mock.hold("GET /api/missions");
    await page.goto(`${mock.url}/teams/${team.id}`);
    await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
    await page.getByRole("heading", { name: team.name }).waitFor();
    const says = page.getByText("Made by the mission");
    const place = async () => (await page.getByRole("tablist").boundingBox())!.y;
    const before = await place();
    expect(await says.count(), "it is not known yet").toBe(0);
    answer();
    await says.waitFor();
    expect(await place()).toBe(before);
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "team-minted");
    const by = says.getByRole("link", { name: routine.name });
    expect(await by.getAttribute("href")).toBe(`/routines/${routine.id}`);
    await says.getByRole("link", { name: "Faster parser" }).click();
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    expect(page.url()).toMatch(/\/missions\//);
    // A team that a person made says nothing.
    const [none] = await Promise.all([
      page.waitForResponse((one) => one.url().includes(`/api/missions?team_id=${own.id}&limit=1`)),
      page.goto(`${mock.url}/teams/${own.id}`),
    ]);
    expect(await none.json()).toMatchObject({ items: [] });
    await page.getByRole("heading", { name: own.name }).waitFor();
    await drawn(page);
    expect(await says.count()).toBe(0);
  });

  test("the page handles loading, failures, live changes, hostile names and viewers", async ({ visit }) => {
    const { mock, page } = await visit({ width: 390 });
    const answer = mock.hold("GET /api/teams");
    await page.goto(`${mock.url}/teams`);
    await page.getByText("Loading teams").waitFor({ state: "attached" });
    answer();
    const [team] = mock.state.teams.list;
    await page.getByRole("link", { name: team.name }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
    const evil = `<b>x</b>\u202E${"long ".repeat(500)}`;
    const other = makeTeam(mock.state, mock.state.templates[0], { name: evil });
    other.members[0].name = evil;
    other.topology.nodes[0].label = evil;
    mock.state.teams.list.unshift(other);
    mock.hub.changed("team", other.id, 1);
    await until("it to come", async () => (await page.locator("main tbody tr").count()) === 2);
    mock.state.failNext.set("GET /api/teams", new Refusal(500, "internal", "Something failed"));
    await page.goto(`${mock.url}/teams`);
    await page.getByText("Something failed").waitFor();
    await tryAgain(page, mock);
    await page.getByRole("link", { name: team.name }).waitFor();
    mock.state.role = "member";
    await page.goto(`${mock.url}/teams/${other.id}`);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Delete team" }).click();
    await page
      .getByRole("alertdialog")
      .getByText(/Its agents stay/)
      .waitFor();
    expect(await page.getByRole("alertdialog").getByRole("checkbox").count()).toBe(0);
    mock.state.role = "viewer";
    await page.goto(`${mock.url}/teams/${other.id}`);
    await page.getByText(/You may not give teams goals/).waitFor();
    await drawn(page);
    expect(await page.locator("main b").count()).toBe(0);
    expect(await page.getByRole("button", { name: "More actions" }).count()).toBe(0);
    expect(await fits(page), "it scrolls sideways").toBeTruthy();
    expect(await axe(page)).toStrictEqual([]);
    await page.goto(`${mock.url}/teams/new`);
    await page.getByText(/You may not make teams/).waitFor();
  });
});
