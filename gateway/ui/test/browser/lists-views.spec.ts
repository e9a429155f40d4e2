// Saved views of lists besides the runs'.
import { axe, settled, shot } from "../kit.ts";
import { expect, test } from "./fixtures.ts";

test.describe("saved views", () => {
  test("filters of each list that has no states of its own are saved as views", async ({ visit }) => {
    const { mock, page } = await visit({ waiting: true });
    for (const address of [
      "/approvals?q=github",
      "/audit?action=node.",
      "/skills?tag=writing",
      "/templates?q=rust",
      "/repos?q=ledger",
      "/members?q=admin",
    ]) {
      await page.goto(mock.url + address);
      await settled(page);
      await page.getByRole("button", { name: "Save as a view" }).click();
      await page.getByLabel("Name of the view").fill("Mine");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "All", exact: true }).click();
      await page.waitForURL(mock.url + address.replace(/\?.*/, ""));
      await page.getByRole("link", { name: "Mine" }).click();
      await page.waitForURL(mock.url + address);
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `views-${address.slice(1, 6)}`);
    }
  });

  test("members are filtered by name, address and role", async ({ visit }) => {
    const { mock, page } = await visit();
    const [first, other] = mock.state.people.members;
    await page.goto(`${mock.url}/members?q=${other.role}`);
    const table = page.getByRole("region", { name: "Table of members" });
    await table.getByText(other.user.email).waitFor();
    await expect(table.getByText(first.user.email)).toHaveCount(0);
    await page.getByLabel("Filter by name, address or role").fill("nobody at all");
    await page.getByText("No member fits the filter").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("button", { name: "Clear filter" }).last().click();
    await table.getByText(first.user.email).waitFor();
    await page.waitForURL(`${mock.url}/members`);
  });
});
