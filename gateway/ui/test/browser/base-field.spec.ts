// "Begin at": the branches that a code host has, in a real Chromium.
import type { Page } from "@playwright/test";
import { axeBoth, choose, hasFocus, shotBoth, unfold } from "../kit.ts";
import { expect, test } from "./fixtures.ts";

const repoOf = (state: { repos: { repos: { id: string }[] } }) => state.repos.repos[0]!;

/** The form of a team's repository, with one that is chosen. */
async function chosen(page: Page, url: string, repo: string) {
  await page.goto(url);
  await unfold(page, "What its agents may use");
  await choose(page.getByLabel("Repository of its runs"), repo);
  return page.getByRole("combobox", { name: "Begin at" }).last();
}

test.describe("begin at", () => {
  test("a branch is found by what is typed, with the keys and by a press", async ({ visit }) => {
    const { mock, page } = await visit();
    const [team] = mock.state.teams.list;
    const repo = repoOf(mock.state);
    const field = await chosen(page, `${mock.url}/teams/${team!.id}`, repo.id);
    const options = page.getByRole("listbox", { name: "Branches" }).getByRole("option");
    await field.click();
    await expect(options).toHaveText([/^main/, "feature/timeline", "fix/login-redirect", "release/1.0"]);
    await expect(options.first()).toContainText("The default branch");
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "begin-at");
    await field.press("ArrowDown");
    await field.press("ArrowDown");
    await expect(options.nth(1)).toHaveAttribute("data-active", "true");
    await field.press("Enter");
    await expect(field).toHaveValue("feature/timeline");
    await expect(options).toHaveCount(0);
    await hasFocus(field);

    await field.fill("LOGIN");
    await expect(options).toHaveText(["fix/login-redirect"]);
    await field.press("Escape");
    await expect(options).toHaveCount(0);
    await expect(field).toHaveValue("LOGIN");
    await field.press("ArrowDown");
    await options.first().click();
    await expect(field).toHaveValue("fix/login-redirect");
    await page.getByRole("button", { name: "Save the repository" }).click();
    await expect.poll(() => mock.state.teams.list[0]!.repo?.base).toBe("fix/login-redirect");
  });

  test("any other text is taken, and the list says why it has no branch of that name", async ({ visit }) => {
    const { mock, page } = await visit({ width: 390, height: 844 });
    const [team] = mock.state.teams.list;
    const repo = repoOf(mock.state);
    const commit = "0a".repeat(20);
    const field = await chosen(page, `${mock.url}/teams/${team!.id}`, repo.id);
    await field.fill("nowhere");
    await page.getByText("No branch has this in its name.").waitFor();
    expect(await axeBoth(page)).toStrictEqual([]);
    await field.fill(commit);
    await expect(page.getByText("No branch has this in its name.")).toHaveCount(0);
    await page.getByRole("button", { name: "Save the repository" }).click();
    await expect.poll(() => mock.state.teams.list[0]!.repo?.base).toBe(commit);
  });

  test("of many branches those that fit are asked for", async ({ visit }) => {
    const { mock, page } = await visit();
    const [team] = mock.state.teams.list;
    mock.state.repos.branches = Array.from({ length: 900 }, (_, at) => `topic/${at}`);
    const field = await chosen(page, `${mock.url}/teams/${team!.id}`, repoOf(mock.state).id);
    await field.click();
    await page.getByText("Only 200 branches are listed. Type to find the others.").waitFor();
    await field.fill("topic/88");
    const options = page.getByRole("listbox", { name: "Branches" }).getByRole("option");
    await expect(options).toHaveCount(11);
  });

  test("a host that does not answer is named, and the text stays", async ({ visit }) => {
    const { mock, page } = await visit();
    const [team] = mock.state.teams.list;
    mock.state.repos.away = "GitHub cannot be reached.";
    const field = await chosen(page, `${mock.url}/teams/${team!.id}`, repoOf(mock.state).id);
    await field.fill("main");
    await page.getByText("GitHub cannot be reached.").waitFor();
    await expect(field).toHaveValue("main");
  });
});
