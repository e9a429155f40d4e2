// The own sandbox of a mission on its page: folded, with its console and its files.
import { axe, axeBoth, shotBoth, until } from "../kit.ts";
import { missionNamed, settle } from "../mock/missions.ts";
import { makeHistory } from "../mock/snapshots.ts";
import { makeSandbox } from "../mock/state.ts";
import { expect, test } from "./fixtures.ts";

test.describe("missions: sandbox", () => {
  test("the sandbox of a mission appears while it lives, and runs commands and shells", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    const mission = missionNamed(mock.state, "Faster parser");
    await page.goto(`${mock.url}/missions/${mission.id}`);
    const fold = page.locator("#sandbox");
    await fold.getByText("None yet. Roost creates it when a benchmark or a security scan begins.").waitFor();
    expect(await page.getByRole("button", { name: "Create sandbox" }).count()).toBe(0);

    // The benchmark begins, and an event tells of its sandbox.
    const sandbox = makeSandbox({ kind: "mission", id: mission.id }, mock.state.nodes[0]);
    mock.state.sandboxes.set(mission.id, sandbox);
    mock.state.snapshots.set(mission.id, makeHistory(sandbox.snapshot!));
    mock.hub.changed("sandbox", sandbox.id, 1);
    await fold.getByText("Running", { exact: true }).waitFor();
    expect(await page.getByLabel("Command", { exact: true }).count()).toBe(0);
    await fold.getByRole("heading", { name: "The mission's own sandbox" }).click();
    const command = page.getByLabel("Command", { exact: true });
    await command.fill("echo measured");
    await page.keyboard.press("Enter");
    const run = page.getByRole("article", { name: "echo measured", exact: true });
    await run.getByText("Exit 0", { exact: true }).waitFor();
    // Another part that is opened leaves this one open.
    await page.getByText("Hardening report").click();
    await page.getByRole("table", { name: "Hardening of the sandbox of this mission" }).waitFor();
    await run.waitFor();
    expect(await axeBoth(page)).toStrictEqual([]);
    await fold.scrollIntoViewIfNeeded();
    await shotBoth(page, "mission-sandbox");
    await page.getByRole("button", { name: "Shell", exact: true }).click();
    await page.getByRole("textbox", { name: /Terminal/ }).waitFor();
    expect(new URL(page.url()).searchParams.get("shell")).toBeTruthy();
    // What is chosen above does not end the shell.
    await page.getByRole("button", { name: /^1\. Research/ }).click();
    expect(new URL(page.url()).searchParams.get("shell")).toBeTruthy();
    await fold.getByRole("button", { name: "Files", exact: true }).click();
    await page.getByRole("treeitem", { name: /README\.md/ }).click();
    await page.getByText("Counts what comes in and goes out.").waitFor();
  });

  test("a mission that is over, and one that measures nothing, say why there is no sandbox", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ missions: true, width: 390, height: 844 });
    const over = missionNamed(mock.state, "Read the old code");
    await page.goto(`${mock.url}/missions/${over.id}`);
    await page.locator("#sandbox").getByText("It ended with the mission.").waitFor();
    over.status = "running";
    over.ended_at = null;
    settle(over);
    mock.hub.changed("mission", over.id, over.version);
    await page.locator("#sandbox").getByText("this mission has neither").waitFor();
    await page.locator("#sandbox").getByRole("heading").click();
    await until(
      "the sentence in the part",
      async () => (await page.getByText("this mission has neither").count()) === 2,
    );
    expect(await axe(page)).toStrictEqual([]);
    const draft = missionNamed(mock.state, "Compare three databases");
    await page.goto(`${mock.url}/missions/${draft.id}`);
    await page.getByRole("button", { name: "Launch" }).waitFor();
    expect(await page.locator("#sandbox").count()).toBe(0);
  });
});
