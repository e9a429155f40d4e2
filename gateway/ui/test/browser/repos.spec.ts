// Repositories and the code hosts that they come from, in a real Chromium.
import { axe, hasFocus, shot, tryAgain, until } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { makeRepo } from "../mock/repos.ts";
import type { Schemas } from "../mock/schema.ts";
import { expect, test } from "./fixtures.ts";

test.describe("repositories", () => {
  test("a host is connected and its repositories appear live", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    await page.goto(`${mock.url}/repos`);
    await page.getByText("No code host is connected").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "repos-empty");
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByLabel("Organisation or person (optional)").fill("acme");
    await page.getByLabel("Access token").fill("short");
    await page.keyboard.press("Enter");
    await page.getByText("must be a token of 8 to 1000 characters").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await page.getByLabel("Access token").fill("ghp_a-long-enough-token");
    await shot(page, "repos-connect");
    await page.keyboard.press("Enter");
    await page.getByText("Syncing").waitFor();
    await page.getByText("No repositories yet").waitFor();
    expect(mock.state.lastToken).toBe("ghp_a-long-enough-token");
    const [connection] = mock.state.repos.connections;
    Object.assign(connection, { sync: "idle", last_synced_at: new Date().toISOString() });
    mock.state.repos.repos.push(makeRepo(connection, "roost"));
    mock.hub.changed("repo_connection", connection.id, 2);
    await page.getByRole("link", { name: "acme/roost" }).waitFor();
    await page.getByText("Synced", { exact: true }).waitFor();
  });

  test("a repository is found, opened and marked when its host lost it", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/repos`);
    await page.getByText("GitLab does not take the token").waitFor();
    await page.getByText("2 entries could not be understood").waitFor();
    await page.getByLabel("Search repositories").fill("web");
    await until("one to be left", async () => (await page.locator("main tbody tr").count()) === 1);
    await page.getByLabel("Search repositories").fill("nothing like it");
    await page.getByText("No repository fits the search").waitFor();
    await page.getByRole("button", { name: "Clear search" }).click();
    await page.getByRole("link", { name: "acme/website" }).click();
    await page.getByRole("heading", { name: "acme/website" }).waitFor();
    const out = page.getByRole("link", { name: "Open at github.com" });
    expect(await out.getAttribute("rel")).toBe("noreferrer noopener");
    const [connection] = mock.state.repos.connections;
    const repo = mock.state.repos.repos.find((one) => one.name === "website");
    repo!.gone_at = new Date().toISOString();
    mock.hub.changed("repo_connection", connection.id, 3);
    await page.getByText("Its host has not listed it since").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "repo-gone");
  });

  test("a mirror is made, shows its progress, fails and is removed", async ({ visit }) => {
    const { mock, page } = await visit();
    const repo = mock.state.repos.repos[0];
    await page.goto(`${mock.url}/repos/${repo.id}`);
    const panel = page.getByRole("region", { name: "Mirror" });
    await panel.getByText("A bare copy that the secret broker fetches").waitFor();
    await panel.getByRole("button", { name: "Make a mirror" }).click();
    await panel.getByText("About to fetch").waitFor();
    const told = (more: Partial<Schemas["RepoMirror"]>) => {
      repo.mirror = { ...repo.mirror!, ...more };
      mock.hub.changed("repo", repo.id, 2);
    };
    told({ state: "fetching", phase: "receiving", percent: 42, received: 12_582_912 });
    await panel.getByText("Receiving, 42 %, 12.0 MiB").waitFor();
    expect(await panel.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("42");
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "repo-mirror-fetching");
    const commit = "1f0c9a44f2a8d7b0c3e5a6978812f34ab56cd78e";
    told({ state: "ready", phase: null, percent: 0, received: 0, fetched_at: new Date().toISOString() });
    told({ head_branch: "main", head_commit: commit, branches: 7, tags: 3, bytes: 25_165_824 });
    await panel.getByText("24.0 MiB").waitFor();
    await panel.getByText(commit).waitFor();
    told({ state: "failed", error: "GitHub: the host failed (503)." });
    await panel.getByText("GitHub: the host failed (503).").waitFor();
    await panel.getByText(commit).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "repo-mirror");
    mock.state.failNext.set(
      `PUT /api/repos/${repo.id}/mirror`,
      new Refusal(409, "conflict", "The workspace has 50 mirrors, the most that it may have."),
    );
    await panel.getByRole("button", { name: "Fetch again" }).click();
    await panel.getByText("The workspace has 50 mirrors").waitFor();
    await panel.getByRole("button", { name: "Remove" }).click();
    await page
      .getByRole("alertdialog")
      .or(page.getByRole("dialog"))
      .getByRole("button", { name: "Remove" })
      .click();
    await panel.getByText("Being removed").waitFor();
    told({});
    repo.mirror = null;
    mock.hub.changed("repo", repo.id, 3);
    await panel.getByRole("button", { name: "Make a mirror" }).waitFor();
    mock.state.role = "viewer";
    await page.goto(`${mock.url}/repos/${repo.id}`);
    await panel.getByText("A bare copy").waitFor();
    expect(await panel.getByRole("button").count()).toBe(0);
  });

  test("the gateway searches when there are more repositories than the list shows", async ({ visit }) => {
    const { mock, page } = await visit();
    const [connection] = mock.state.repos.connections;
    for (let n = 0; n < 520; n += 1) mock.state.repos.repos.push(makeRepo(connection, `service-${n}`));
    await page.goto(`${mock.url}/repos`);
    await page.getByText("These are the 500 that changed last").waitFor();
    await page.getByLabel("Search repositories").fill("service-519");
    await page.getByRole("link", { name: "acme/service-519" }).waitFor();
    await until("one to be left", async () => (await page.locator("main tbody tr").count()) === 1);
  });

  test("a sync starts and ends and a host is removed after a question", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/repos`);
    await page.getByRole("button", { name: "Sync Tools" }).click();
    await page.getByText("Syncing").waitFor();
    expect(await page.getByRole("button", { name: "Sync Tools" }).isDisabled()).toBeTruthy();
    const [github, gitlab] = mock.state.repos.connections;
    Object.assign(gitlab, { sync: "idle", last_sync_error: null, last_sync_skipped: 0 });
    mock.hub.changed("repo_connection", gitlab.id, 2);
    await until(
      "both to be synced",
      async () => (await page.getByText("Synced", { exact: true }).count()) === 2,
    );
    await page.getByRole("button", { name: `Remove ${github.label}` }).click();
    await page.getByText("Its 4 repositories leave this workspace").waitFor();
    await hasFocus(page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }));
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "repos-remove");
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("No repositories yet").waitFor();
  });

  test("the page handles loading, failures, old data, an absent gateway and viewers", async ({ visit }) => {
    const { mock, page } = await visit();
    const answer = mock.hold("GET /api/repos/connections");
    await page.goto(`${mock.url}/repos`);
    await page.getByText("Loading connections").waitFor({ state: "attached" });
    answer();
    await page.getByRole("link", { name: "acme/roost" }).waitFor();
    const path = "GET /api/repos/connections";
    mock.state.failNext.set(path, new Refusal(503, "unavailable", "The gateway is busy"));
    mock.hub.changed("repo_connection", mock.state.repos.connections[0].id, 9);
    await page.getByText(/The gateway is busy\. What you see is from/).waitFor();
    await page.getByText("acme at github.com").waitFor();
    await tryAgain(page, mock);
    await until("the note to go", async () => (await page.getByText("What you see is from").count()) === 0);

    mock.state.failNext.set(
      "GET /api/repos",
      new Refusal(500, "internal", "Something failed inside the gateway"),
    );
    await page.goto(`${mock.url}/repos`);
    await page.getByText("Something failed inside the gateway").waitFor();
    await page.getByText(/^req-\d+$/).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await tryAgain(page, mock);
    await page.getByRole("link", { name: "acme/roost" }).waitFor();

    mock.down = true;
    mock.hub.cut();
    await page.getByRole("button", { name: "Sync Tools" }).click();
    await page.getByRole("alert").filter({ hasText: "Sync" }).or(page.getByRole("alert")).first().waitFor();
    await shot(page, "repos-offline");
    mock.down = false;
    mock.hub.mend();

    mock.state.role = "viewer";
    await page.goto(`${mock.url}/repos`);
    await page.getByText(/You may not connect or remove code hosts/).waitFor();
    expect(await page.getByRole("button", { name: "Sync Tools" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Connect" }).count()).toBe(0);
  });
});
