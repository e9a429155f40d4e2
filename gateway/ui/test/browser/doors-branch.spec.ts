// Approvals that send a branch: the exact commit stands beside the request with its diff, and a workspace may allow pushes.
import { axeBoth, choose } from "../kit.ts";
import { makeDoor } from "../mock/doors.ts";
import { ago } from "../mock/ids.ts";
import { bindRepo, makeRun } from "../mock/runs.ts";
import type { State } from "../mock/state.ts";
import { act, cards, dialog, open } from "./doors-kit.ts";
import { expect, test } from "./fixtures.ts";

/** A run with a branch, and the request to push it. */
function pushing(state: State, more: Parameters<typeof makeDoor>[1] = {}) {
  const run = makeRun(state, { status: "running" });
  state.runs.list.unshift(run);
  const repo = bindRepo(state, run);
  const [branch] = repo.branches;
  const door = makeDoor(state.claws[1], {
    action: "repo.branch.push",
    target: repo.full_name,
    summary: `Push 1 commit of the branch ${branch.branch} to ${repo.full_name}`,
    address: "https://git.example/acme/tools.git",
    params: { reason: "All tests pass on it." },
    run_id: run.id,
    branch: {
      run_id: run.id,
      repository: repo.full_name,
      branch: branch.branch,
      commit: branch.commit,
      commits: 1,
      files: 1,
    },
    ...more,
  });
  state.doors.push(door);
  return { run, branch, door };
}

test.describe("doors that send a branch", () => {
  for (const width of [1280, 390])
    test(`the diff of exactly this commit is read before it is approved (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 860 });
      const { branch } = pushing(mock.state);
      await page.goto(`${mock.url}/approvals`);
      const card = cards(page).filter({ hasText: "Push a branch" });
      const sent = card.getByRole("region", { name: "What is sent" });
      await sent.getByText(branch.commit.slice(0, 12)).waitFor();
      await sent.getByText("1 commit, 1 file").waitFor();
      await sent.getByRole("button", { name: "Show the diff" }).click();
      await sent.getByText("for at in 0..length").waitFor();
      expect(await axeBoth(page)).toStrictEqual([]);
      // It is no connection of the agent that may be missing.
      expect(await card.getByText("is not connected to").count()).toBe(0);
      await card.getByRole("button", { name: /^Approve/ }).click();
      await dialog(page).getByText("Roost sends exactly this commit").waitFor();
      await dialog(page).getByText("for at in 0..length").waitFor();
      expect(await axeBoth(page)).toStrictEqual([]);
      await act(page, "Approve").click();
      await open(page).getByRole("article").filter({ hasText: "Push a branch" }).getByText("Done").waitFor();
    });

  test("a push that the workspace allows says that nobody decided", async ({ visit }) => {
    const { mock, page } = await visit();
    pushing(mock.state, { state: "performed", allowed_by_setting: true, decided_at: ago(60) });
    await page.goto(`${mock.url}/approvals`);
    await page.getByText("by the workspace's setting").first().waitFor();
  });

  test("an admin lets agents push, and others only read it", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/settings`);
    const panel = page.getByRole("region", { name: "Pushes of agents" });
    await choose(panel.getByRole("combobox"), "allow");
    await panel.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => mock.state.pushPolicy).toBe("allow");
    mock.state.role = "member";
    await page.reload();
    await panel.getByText("Push at once").waitFor();
    expect(await panel.getByRole("combobox").count()).toBe(0);
  });

  test("the run's page links the pull request", async ({ visit }) => {
    const { mock, page } = await visit();
    const { run, branch } = pushing(mock.state);
    branch.pull_url = "https://git.example/acme/tools/pulls/7";
    await page.goto(`${mock.url}/runs/${run.id}`);
    const link = page.getByRole("link", { name: /Pull request on git\.example/ });
    expect(await link.getAttribute("href")).toBe("https://git.example/acme/tools/pulls/7");
  });
});
