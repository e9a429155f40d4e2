// The clock of the person's machine is wrong. Ages are those of the gateway's clock.
import { makeRun } from "../mock/runs.ts";
import { expect, test } from "./fixtures.ts";

test.describe("clock", () => {
  for (const hours of [1, -1])
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
});
