// The repository of a run: its commits, their diff and their way to the code host, in a real Chromium.
import { axe, axeBoth } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { bindRepo, makeRun } from "../mock/runs.ts";
import { expect, test } from "./fixtures.ts";

test.describe("the repository of a run", () => {
  for (const width of [1280, 360])
    test(`shows commits and their diff, and a person pushes them (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 860 });
      const run = makeRun(mock.state, { status: "completed" });
      mock.state.runs.list.unshift(run);
      const repo = bindRepo(mock.state, run);
      await page.goto(`${mock.url}/runs/${run.id}`);
      const panel = page.getByRole("region", { name: "Changes", exact: true });
      await panel.getByText("Begin the loop at zero").waitFor();
      // The changed files are the result of a run that has ended.
      await panel.getByText("for at in 0..length").waitFor();
      await panel.getByRole("button", { name: "Hide changed files" }).click();
      await panel.getByText("for at in 0..length").waitFor({ state: "detached" });
      await panel.getByRole("button", { name: "Show changed files" }).click();
      await panel.getByText("for at in 0..length").waitFor();
      expect(await axeBoth(page)).toStrictEqual([]);
      const whose = panel.getByRole("link", { name: mock.state.claws[0].name, exact: true });
      expect(await whose.getAttribute("href")).toContain(`/claws/${mock.state.claws[0].id}`);
      await panel.getByRole("button", { name: "Push branch" }).click();
      await panel.getByText("The code host has the branch now.").waitFor();
      await panel.getByText("not pushed").waitFor({ state: "detached" });
      expect(repo.branches[0].pushed_at).toBeTruthy();
    });

  test("says why commits were not received, and that a branch has moved", async ({ visit }) => {
    const { mock, page } = await visit();
    const run = makeRun(mock.state, { status: "completed" });
    mock.state.runs.list.unshift(run);
    const repo = bindRepo(mock.state, run);
    repo.steps[0].refused = "It changes `.github/workflows/x.yml`, from which the code host runs programs.";
    await page.goto(`${mock.url}/runs/${run.id}`);
    const panel = page.getByRole("region", { name: "Changes", exact: true });
    await panel.getByText("from which the code host runs programs").waitFor();
    const detail = "The branch is at 9999 now. Look at its commits again, then push.";
    mock.state.failNext.set(
      `POST /api/runs/${run.id}/repo/push`,
      new Refusal(409, "conflict", "This conflicts with the present state", { detail }),
    );
    await panel.getByRole("button", { name: "Push branch" }).click();
    await panel.getByText("Look at its commits again").waitFor();
  });

  test("shows which packages came, and why others are left out", async ({ visit }) => {
    const { mock, page } = await visit();
    const run = makeRun(mock.state, { status: "running" });
    mock.state.runs.list.unshift(run);
    bindRepo(mock.state, run, {
      supplies: [
        {
          path: "Cargo.lock",
          kind: "cargo",
          state: "done",
          wanted: 3,
          fetched: 1,
          stored: 1,
          bytes: 4096,
          left_out_count: 2,
          left_out: [{ name: "forked 1.0.0", why: "It comes from a git repository." }],
          approved: 1,
          at: new Date().toISOString(),
        },
      ],
    });
    await page.goto(`${mock.url}/runs/${run.id}`);
    const packages = page.getByRole("list", { name: "Packages" });
    await packages.getByText("2 of 3 packages (1 from the store, 1 approved during the run)").waitFor();
    await packages.getByText("2 left out").click();
    await packages.getByText("It comes from a git repository.").waitFor();
    await packages.getByText("and 1 more").waitFor();
    expect(await axe(page)).toStrictEqual([]);
  });

  test("a viewer is told about the missing right", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.role = "viewer";
    const run = makeRun(mock.state, { status: "completed" });
    mock.state.runs.list.unshift(run);
    bindRepo(mock.state, run);
    await page.goto(`${mock.url}/runs/${run.id}`);
    const panel = page.getByRole("region", { name: "Changes", exact: true });
    await panel.getByText("Begin the loop at zero").waitFor();
    expect(await panel.getByRole("button", { name: "Push branch" }).count()).toBe(0);
    await panel.getByText(/push branches/u).waitFor();
  });
});
