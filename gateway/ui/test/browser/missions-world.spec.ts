// The world view of a mission: who works where, and what happens just now.
import type { Page } from "@playwright/test";
import { axe, axeBoth, settled, shift, shotBoth, until } from "../kit.ts";
import { missionNamed, settle } from "../mock/missions.ts";
import { makeSandbox } from "../mock/state.ts";
import { expect, test, type Mock } from "./fixtures.ts";

/** The running mission, whose team at work shares a sandbox on the first machine. */
function atWork({ state }: Mock) {
  const mission = missionNamed(state, "Faster parser");
  const team = state.teams.list.find(({ name }) => name === "Rust: Faster parser")!;
  state.sandboxes.set(team.id, makeSandbox({ kind: "team", id: team.id }, state.nodes[0]));
  return { mission, team, machine: state.nodes[0] };
}

const tall = async (page: Page) =>
  (await page.getByRole("region", { name: "World view" }).boundingBox())!.height;

test.describe("missions: world view", () => {
  for (const width of [390, 1440])
    test(`the map fits and is accessible (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ missions: true, width, height: 900 });
      const { mission, team, machine } = atWork(mock);
      team.members[1].status = "working";
      // On a phone it is folded, and the address opens it.
      await page.goto(`${mock.url}/missions/${mission.id}#world`);
      const map = page.getByRole("group", { name: /^Map of the mission: 2 teams \(1 at work\)/ });
      await map.waitFor();
      await page.locator(`[data-thing="machine:${machine.id}"]`).waitFor();
      await page.locator(`[data-thing="agent:${team.members[1].agent_id}"][data-works=true]`).waitFor();
      const { width: wide } = (await map.boundingBox())!;
      for (const box of await page.locator("[data-thing]").all()) {
        const one = (await box.boundingBox())!;
        expect(one.width).toBeGreaterThan(60);
        expect(one.width).toBeLessThanOrEqual(wide);
      }
      expect(
        await page.evaluate(
          () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
        ),
      ).toBe(true);
      expect(await axeBoth(page)).toStrictEqual([]);
      await page.getByRole("heading", { name: "World view" }).scrollIntoViewIfNeeded();
      await page.getByRole("heading", { name: "Coding phase" }).scrollIntoViewIfNeeded();
      await shotBoth(page, `mission-world-${width}`);
      await page.getByRole("button", { name: "List", exact: true }).click();
      await page.getByRole("link", { name: "Rust", exact: true }).waitFor();
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `mission-world-list-${width}`);
    });

  test("what happens lights the map for a moment, and moves nothing", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    const { mission, team, machine } = atWork(mock);
    await page.goto(`${mock.url}/missions/${mission.id}`);
    const agent = page.locator(`[data-thing="agent:${team.members[0].agent_id}"]`);
    const box = page.locator(`[data-thing="machine:${machine.id}"]`);
    await agent.getByText("Ready").waitFor();
    await box.getByText("Ready").waitFor();
    await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
    const before = await tall(page);
    mock.hub.emit("agent.status", { agentId: team.members[1].agent_id, status: "working" });
    await page.locator(`[data-thing="agent:${team.members[1].agent_id}"][data-works=true]`).waitFor();
    mock.hub.emit("world.touch", {
      agentId: team.members[0].agent_id,
      nodeId: "event:tool/shell",
      kind: "event",
    });
    await agent.getByText("Uses shell").waitFor();
    mock.hub.emit("node.activity", { nodeId: `machine:${machine.id}`, label: "exec", heat: 0.3 });
    await box.getByText("Works", { exact: true }).waitFor();
    await agent.getByText("Ready").waitFor();
    await box.getByText("Ready").waitFor();
    // The name of an agent leads to its page.
    expect(await agent.getByRole("link").getAttribute("href")).toContain(team.members[0].agent_id);
    // The phase of the team ends, and the next one begins with commands in the mission's own sandbox.
    const [, coding, bench] = mission.phase_details;
    Object.assign(coding, { status: "completed", ended_at: new Date().toISOString() });
    coding.runs[0].status = "completed";
    Object.assign(bench, { status: "running", attempt: 1, started_at: new Date().toISOString() });
    mock.state.sandboxes.set(mission.id, makeSandbox({ kind: "mission", id: mission.id }, machine));
    settle(mission);
    mock.hub.changed("mission", mission.id, mission.version);
    mock.hub.changed("sandbox", mock.state.sandboxes.get(mission.id)!.id);
    await page.locator(`[data-thing="mission:${mission.id}/own"]`).getByText("Commands run").waitFor();
    expect(await tall(page)).toBe(before);
  });

  for (const width of [390, 1440])
    test(`the page of a mission does not move while its parts arrive (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ missions: true, width, height: 900 });
      const { mission } = atWork(mock);
      mock.state.delayMs = 300;
      await page.goto(`${mock.url}/missions/${mission.id}`);
      // On a phone the map is folded.
      await page.locator("[data-thing]").first().waitFor({ state: "attached" });
      await settled(page);
      mock.state.delayMs = 0;
      expect(await shift(page)).toBeLessThan(0.02);
    });

  test("before a team works and after the end there is no empty map", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    const mission = missionNamed(mock.state, "Faster parser");
    for (const phase of mission.phase_details)
      Object.assign(phase, { status: "pending", runs: [], has_card: false });
    settle(mission);
    await page.goto(`${mock.url}/missions/${mission.id}`);
    await page.getByText("No team works yet.").waitFor();
    mission.status = "completed";
    settle(mission);
    mock.hub.changed("mission", mission.id, mission.version);
    await expect(page.getByRole("heading", { name: "World view" })).toHaveCount(0);
  });

  for (const width of [390, 1440, 1920])
    test(`the workspace has its landmarks on a page (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ missions: true, width, height: 900 });
      const { team } = atWork(mock);
      await page.goto(`${mock.url}/world`);
      await page.getByRole("heading", { name: "World", exact: true }).waitFor();
      if (width === 390) await page.getByRole("link", { name: team.name }).waitFor();
      else await page.locator(`[data-thing="team:${team.id}"]`).waitFor();
      await settled(page);
      expect(await shift(page)).toBeLessThan(0.02);
      expect(
        await page.evaluate(
          () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
        ),
      ).toBe(true);
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `world-${width}`);
    });

  test("the page of the world follows its stream: landmarks come, go and light up; a cut stream comes back", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ missions: true, width: 1440 });
    const { team, machine } = atWork(mock);
    await page.goto(`${mock.url}/world`);
    const one = page.locator(`[data-thing="team:${team.id}"]`);
    await one.waitFor();
    const agent = page.locator(`[data-thing="agent:${team.members[0].agent_id}"]`);
    mock.hub.emit("world.touch", {
      agentId: team.members[0].agent_id,
      nodeId: "service:model/openai/gpt",
      kind: "service",
    });
    await agent.getByText("Asks openai/gpt").waitFor();
    await expect(one).toHaveAttribute("data-works", "true");
    // A team is renamed, and a machine goes.
    team.name = "Renamed";
    mock.state.nodes.splice(mock.state.nodes.indexOf(machine), 1);
    mock.hub.changed("team", team.id);
    await one.getByText("Renamed").waitFor();
    await page.locator(`[data-thing="machine:${machine.id}"]`).waitFor({ state: "detached" });
    mock.hub.cut();
    team.name = "Back again";
    mock.hub.mend();
    await one.getByText("Back again").waitFor();
    // Left, it holds no connection.
    await page.getByRole("link", { name: "Fleet" }).first().click();
    await page.getByRole("heading", { name: "Fleet" }).waitFor();
    await until("the stream to be closed", () => mock.hub.worlds() === 0);
  });

  test("an empty workspace says what will stand here", async ({ visit }) => {
    const { mock, page } = await visit();
    const { claws, nodes, sandboxes, teams } = mock.state;
    for (const list of [claws, nodes, teams.list]) list.length = 0;
    sandboxes.clear();
    await page.goto(`${mock.url}/world`);
    await page.getByText("Nothing here yet").waitFor();
    expect(await axe(page)).toStrictEqual([]);
  });
});
