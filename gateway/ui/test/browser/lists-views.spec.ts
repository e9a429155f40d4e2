// Saved views of lists besides the runs'.
import { axe, settled, shot } from "../kit.ts";
import { expect, test } from "./fixtures.ts";

test.describe("saved views", () => {
  test("filters of the approvals and of the audit log are saved as views", async ({ visit }) => {
    const { mock, page } = await visit({ waiting: true });
    for (const address of ["/approvals?q=github", "/audit?action=node."]) {
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
});
