// The sandbox that the agents of a team share: made, used, its files read, and reached from each agent's page.
import { axe, axeBoth, choose, drawn, shot, shotBoth, until } from "../kit.ts";
import { makeHistory } from "../mock/snapshots.ts";
import { makeSandbox, makeSnapshot } from "../mock/state.ts";
import { agentNamed, expect, test, type Mock } from "./fixtures.ts";

/** The first team, whose agents share a sandbox from now on. */
function sharing({ state }: Mock) {
  const [team] = state.teams.list;
  team.shared_sandbox = true;
  return team;
}

/** The team gets a running sandbox with saved files. */
function equipped(mock: Mock) {
  const team = sharing(mock);
  const sandbox = makeSandbox({ kind: "team", id: team.id }, mock.state.nodes[0]);
  mock.state.sandboxes.set(team.id, sandbox);
  mock.state.snapshots.set(team.id, makeHistory(sandbox.snapshot ?? makeSnapshot("local")));
  return team;
}

test.describe("teams: sandbox", () => {
  test("a person makes the team's sandbox, runs a command in it, sees its files and ends it", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const team = sharing(mock);
    await page.goto(`${mock.url}/teams/${team.id}`);
    await page.getByRole("tab", { name: "Sandbox" }).click();
    await page.getByRole("heading", { name: "No sandbox yet" }).waitFor();
    await page.getByText("one isolated container for all agents of this team").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "team-sandbox-none");
    await page.getByText("Image and limits").click();
    const image = page.getByLabel("Image", { exact: true });
    await choose(image, "node");
    await page.getByText("roost-agent:node is not on the gateway's host").waitFor();
    await shot(page, "team-sandbox-image");
    await choose(image, "rust");
    await page.getByLabel("Memory, GiB").fill("2");
    const [sent] = await Promise.all([
      page.waitForRequest(
        (one) => one.method() === "POST" && one.url().endsWith(`/teams/${team.id}/sandbox`),
      ),
      page.getByRole("button", { name: "Create sandbox" }).click(),
    ]);
    expect(sent.postDataJSON()).toStrictEqual({ image: "rust", limits: { memory_bytes: 2 * 1024 ** 3 } });
    const command = page.getByLabel("Command", { exact: true });
    await command.fill("echo for all of us");
    await page.keyboard.press("Enter");
    const run = page.getByRole("article", { name: "echo for all of us", exact: true });
    await run.getByText("Exit 0", { exact: true }).waitFor();
    const sandbox = mock.state.sandboxes.get(team.id)!;
    expect(sandbox.owner_kind).toBe("team");
    await page.getByText("Hardening report").click();
    await page.getByRole("table", { name: "Hardening of the sandbox of this team" }).waitFor();

    // Its files were saved, which an event tells.
    mock.state.snapshots.set(team.id, makeHistory(sandbox.snapshot!));
    mock.hub.changed("sandbox", sandbox.id, 2);
    await page.getByRole("tab", { name: "Files" }).click();
    await page.getByRole("treeitem", { name: /README\.md/ }).click();
    await page.getByText("Counts what comes in and goes out.").waitFor();
    expect(new URL(page.url()).searchParams.get("tab")).toBe("files");
    await page.getByRole("button", { name: "Compare with the one before" }).click();
    await page.getByText("0 added, 1 changed, 1 removed").waitFor();

    await page.getByRole("tab", { name: "Sandbox" }).click();
    await page.getByRole("button", { name: "Destroy sandbox" }).click();
    const dialog = page.getByRole("alertdialog");
    await dialog.getByText(/^Destroy the sandbox of .*Ledger/).waitFor();
    await dialog.getByRole("button", { name: "Destroy sandbox" }).click();
    await page.getByRole("button", { name: "Create sandbox" }).waitFor();
    expect(mock.state.sandboxes.has(team.id)).toBe(false);
    await page.getByText("A new sandbox starts with them.").waitFor();
  });

  test("the team's sandbox says why it is not on the team's machine", async ({ visit }) => {
    const { mock, page } = await visit();
    const team = sharing(mock);
    team.machine_id = mock.state.nodes[2].id;
    await page.goto(`${mock.url}/teams/${team.id}?tab=sandbox`);
    await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Create sandbox" }).click();
    await page.getByText("Not where you wanted it.").waitFor();
    await page.getByRole("button", { name: /notification/i }).click();
    const happened = page.getByRole("list", { name: "What happened" });
    await happened.getByText(/was not made where you wanted it: it is offline/).waitFor();
    const link = happened.getByRole("link", { name: "Ledger" });
    expect(await link.getAttribute("href")).toContain(`/teams/${team.id}`);
  });

  test("both tabs can be read", async ({ visit }) => {
    const { mock, page } = await visit();
    const team = equipped(mock);
    await page.goto(`${mock.url}/teams/${team.id}?tab=sandbox`);
    await page.getByLabel("Command", { exact: true }).waitFor();
    await drawn(page);
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "team-sandbox");
    await page.getByRole("tab", { name: "Files" }).click();
    await page.getByRole("treeitem", { name: /README\.md/ }).click();
    await page.getByText("Counts what comes in and goes out.").waitFor();
    await drawn(page);
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "team-files");
    await page.goto(`${mock.url}/claws/${agentNamed(mock.state, "lookout").id}?app=sandbox`);
    await page.getByRole("heading", { name: "This agent works in its team's sandbox" }).waitFor();
    await drawn(page);
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "agent-in-team");
  });

  test("an agent of the team leads to the sandbox and the files of the team", async ({ visit }) => {
    const { mock, page } = await visit();
    const team = equipped(mock);
    const lookout = agentNamed(mock.state, "lookout");
    const heading = page.getByRole("heading", { name: "This agent works in its team's sandbox" });
    await page.goto(`${mock.url}/claws/${lookout.id}?app=sandbox`);
    await heading.waitFor();
    expect(await page.getByRole("button", { name: "Create sandbox" }).count()).toBe(0);
    await page.getByRole("link", { name: "Open the sandbox of Ledger" }).click();
    await page.getByRole("heading", { name: "Ledger", exact: true }).waitFor();
    await page.getByLabel("Command", { exact: true }).waitFor();
    await page.goto(`${mock.url}/claws/${lookout.id}?app=files`);
    await heading.waitFor();
    await page.getByRole("link", { name: "Open the files of Ledger" }).click();
    await page.getByRole("treeitem", { name: /README\.md/ }).waitFor();
    // One that has a sandbox of its own can still use it.
    const scribe = agentNamed(mock.state, "scribe");
    await page.goto(`${mock.url}/claws/${scribe.id}?app=sandbox`);
    await page.getByText("In its team, this agent works in the sandbox of Ledger.").waitFor();
    await page.getByLabel("Command", { exact: true }).waitFor();
    await page.getByRole("tab", { name: "Files" }).click();
    await page.getByText("In its team, this agent works in the sandbox of Ledger.").waitFor();
    await page.getByRole("treeitem", { name: /README\.md/ }).waitFor();
    // When the team shares none, an agent is offered one of its own.
    team.shared_sandbox = false;
    await page.goto(`${mock.url}/claws/${lookout.id}?app=sandbox`);
    await page.getByRole("button", { name: "Create sandbox" }).waitFor();
  });

  test("a team whose agents have their own sandboxes leads to each agent", async ({ visit }) => {
    const { mock, page } = await visit();
    const [team] = mock.state.teams.list;
    const words = page.getByRole("region", { name: "Each agent of this team works in its own sandbox" });
    await page.goto(`${mock.url}/teams/${team.id}?tab=files`);
    await words.getByRole("link", { name: "mason" }).waitFor();
    await page.getByRole("tab", { name: "Sandbox" }).click();
    await words.getByText("The page of each agent shows its sandbox.").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "team-sandbox-of-each");
    expect(await page.getByRole("button", { name: "Create sandbox" }).count()).toBe(0);
    await words.getByRole("link", { name: "mason" }).click();
    await page.getByRole("heading", { name: "mason" }).waitFor();
    await page.getByLabel("Command", { exact: true }).waitFor();
  });

  test("a machine's page names the team of a sandbox and of an operation", async ({ visit }) => {
    const { mock, page } = await visit();
    const team = equipped(mock);
    mock.state.operations[0].owner_id = team.id;
    await page.goto(`${mock.url}/fleet/${mock.state.nodes[0].id}`);
    const here = page.getByRole("table", { name: "Sandboxes on this machine" });
    await here.getByRole("link", { name: "Ledger" }).waitFor();
    expect(await here.getByRole("link").count()).toBe(3);
    const done = page.getByRole("region", { name: "Activity" });
    await done.getByRole("button", { name: "Show older ones" }).click();
    await done.getByRole("link", { name: "Ledger" }).waitFor();
    await until(
      "an agent to be named",
      async () => (await done.getByRole("link", { name: "mason" }).count()) > 0,
    );
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "machine-with-team");
    await here.getByRole("link", { name: "Ledger" }).click();
    await page.getByLabel("Command", { exact: true }).waitFor();
  });

  test("a viewer sees the sandbox and changes nothing", async ({ visit }) => {
    const { mock, page } = await visit({ width: 390 });
    const team = equipped(mock);
    mock.state.role = "viewer";
    await page.goto(`${mock.url}/teams/${team.id}?tab=sandbox`);
    await page.getByText(/You may not run commands/).waitFor();
    expect(await page.getByRole("button", { name: "Destroy sandbox" }).count()).toBe(0);
    await page.getByRole("tab", { name: "Files" }).click();
    await page.getByRole("tree", { name: "Files" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "team-files-390");
  });
});
