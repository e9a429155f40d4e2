// An agent's page: its tabs by keyboard and address.
import { until } from "../kit.ts";
import { agentNamed, test } from "./fixtures.ts";

test.describe("agents", () => {
  test("tabs open with arrow keys, set the address, and also open from older links", async ({ visit }) => {
    const { mock, page } = await visit();
    const agent = agentNamed(mock.state, "mason");
    await page.goto(`${mock.url}/claws/${agent.id}`);
    await page.getByRole("heading", { name: "Recent activity" }).waitFor();
    await page.getByRole("tab", { name: "Overview" }).focus();
    for (const [name, app] of [
      ["Work", "work"],
      ["Sandbox", "sandbox"],
      ["Files", "files"],
      ["Brain", "brain"],
      ["Runtime", "runtime"],
      ["Activity", "activity"],
      ["Apps", "apps"],
    ]) {
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      await until(`${name} to be in the address`, () => page.url().endsWith(`?app=${app}`));
      await page.getByRole("tab", { name, selected: true }).waitFor();
    }
    await page.getByRole("heading", { name: "GitHub" }).waitFor();
    for (const [old, tab] of [
      ["?tab=hardening", "Sandbox"],
      ["?tab=details", "Overview"],
      ["?tab=brain", "Brain"],
      ["?app=nonsense", "Overview"],
    ]) {
      await page.goto(`${mock.url}/claws/${agent.id}${old}`);
      await page.getByRole("tab", { name: tab, selected: true }).waitFor();
    }
  });
});
