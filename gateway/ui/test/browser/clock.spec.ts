// The clock of the person's machine is wrong. Ages are those of the gateway's clock.
import { missionNamed } from "../mock/missions.ts";
import { makeRun } from "../mock/runs.ts";
import { find, makeTree } from "../mock/tree.ts";
import { expect, test } from "./fixtures.ts";

test.describe("clock", () => {
  for (const hours of [1, -1]) {
    test(`an age is right when this machine is ${hours} h off`, async ({ visit }) => {
      const { mock, page } = await visit();
      const begun = new Date(Date.now() - 40 * 60_000).toISOString();
      mock.state.runs.list = [makeRun(mock.state, { title: "Ledger", created_at: begun, started_at: begun })];
      await page.clock.install({ time: Date.now() + hours * 3_600_000 });
      await page.goto(`${mock.url}/runs`);
      const row = page.getByRole("row").filter({ hasText: "Ledger" });
      await expect(row).toContainText(/(?<! h )40 min/);
      await page.clock.runFor(1_500);
      await expect(row).toContainText(/(?<! h )40 min/);
    });

    test(`the world view lights a touch for a moment when this machine is ${hours} h off`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ missions: true });
      const team = mock.state.teams.list.find(({ name }) => name === "Rust: Faster parser")!;
      const agentId = team.members[0].agent_id;
      await page.clock.install({ time: Date.now() + hours * 3_600_000 });
      await page.goto(`${mock.url}/missions/${missionNamed(mock.state, "Faster parser").id}`);
      const agent = page.locator(`[data-thing="agent:${agentId}"]`);
      await agent.getByText("Ready").waitFor();
      await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
      await page.clock.runFor(1_500);
      mock.hub.emit("world.touch", { agentId, nodeId: "event:tool/shell", kind: "event" });
      await agent.getByText("Uses shell").waitFor();
      await agent.getByText("Ready").waitFor();
    });

    test(`the tree counts the last minute when this machine is ${hours} h off`, async ({ visit }) => {
      const { mock, page } = await visit({ width: 1440 });
      await page.clock.install({ time: Date.now() + hours * 3_600_000 });
      await page.goto(`${mock.url}/operator`);
      const row = page.getByRole("row", { name: /node-workshop/ }).first();
      await row.waitFor();
      await page.clock.runFor(1_500);
      const actor = find(makeTree(mock.state.nodes), "root/fleet/node-workshop")!;
      const changed = [{ parent: "root/fleet", actor: { ...actor, handled: actor.handled + 7 } }];
      (mock.state.treeNews ??= []).push({ changed });
      await expect(row).toContainText("7 in the last minute");
    });
  }
});
