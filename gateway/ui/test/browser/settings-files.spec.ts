// The workspace's setting for saved files: an admin changes it, others read it.
import { choose } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { expect, test } from "./fixtures.ts";

test.describe("saved files", () => {
  test("an admin keeps saved files on their machines, and others only read it", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/settings`);
    const panel = page.getByRole("region", { name: "Saved files" });
    await panel.getByText("are lost with it").waitFor();
    await choose(panel.getByRole("combobox"), "stay");
    await panel.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => mock.state.filePolicy).toBe("stay");
    mock.state.role = "member";
    await page.reload();
    await panel.getByText("Keep them on that machine only").waitFor();
    await expect(panel.getByRole("combobox")).toHaveCount(0);
  });

  test("a refused change keeps the choice and says why", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/settings`);
    const panel = page.getByRole("region", { name: "Saved files" });
    await choose(panel.getByRole("combobox"), "stay");
    const refusal = new Refusal(500, "internal", "Something failed inside the gateway");
    mock.state.failNext.set(`PATCH /api/workspaces/${mock.state.workspace}`, refusal);
    await panel.getByRole("button", { name: "Save" }).click();
    await panel.getByRole("alert").waitFor();
    await expect(panel.getByRole("combobox")).toHaveAttribute("data-value", "stay");
    expect(mock.state.filePolicy).toBe("upload");
  });
});
