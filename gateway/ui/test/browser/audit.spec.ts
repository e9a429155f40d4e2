// The audit log: its order.
import { axeBoth, choose, shot } from "../kit.ts";
import { makeEntry } from "../mock/state.ts";
import { expect, test } from "./fixtures.ts";

test("the audit log is read from its beginning", async ({ visit }) => {
  const { mock, page } = await visit();
  const { state } = mock;
  state.audit = [];
  for (let n = 1; n <= 45; n += 1)
    state.audit.unshift(makeEntry(state, n, "claw.created", state.claws[0], { name: `agent-${n}` }));
  await page.goto(`${mock.url}/audit`);
  const rows = page.getByRole("region", { name: "Entries" }).locator("ol > li");
  await page.getByText("20 newest entries").waitFor();
  expect(await rows.first().innerText()).toContain("agent-45");
  await choose(page.getByLabel("Order"), "at");
  await page.getByText("20 oldest entries").waitFor();
  expect(new URL(page.url()).search).toBe("?sort=at");
  expect(await rows.first().innerText()).toMatch(/agent-1\b/);
  await page.getByRole("button", { name: "Show newer ones" }).click();
  await page.getByText("40 oldest entries").waitFor();
  expect(await rows.nth(39).innerText()).toContain("agent-40");
  expect(await axeBoth(page)).toStrictEqual([]);
  await shot(page, "audit-oldest");
  // The order is no filter: what clears the filter keeps it.
  await choose(page.getByLabel("What"), "claw.*");
  await page.getByRole("button", { name: "Clear filter" }).click();
  await page.getByText("40 oldest entries").waitFor();
  expect(new URL(page.url()).search).toBe("?sort=at");
  expect(await page.getByRole("button", { name: "Clear filter" }).count()).toBe(0);
});
