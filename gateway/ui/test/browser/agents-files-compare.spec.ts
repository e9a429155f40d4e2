// Two snapshots of an agent's files side by side, and a sandbox that starts with one of them, in a real Chromium.
import type { Page } from "@playwright/test";
import { axe, axeBoth, choose, drawn, hasFocus, shot, shotBoth, until } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { agentNamed, expect, test, type Mock } from "./fixtures.ts";

const agentOf = ({ state }: Mock) => agentNamed(state, "mason").id;
const historyOf = (mock: Mock) => mock.state.snapshots.get(agentOf(mock))!;
const address = (mock: Mock, search = "") => `${mock.url}/agents/${agentOf(mock)}/files${search}`;
const panel = (page: Page) => page.getByRole("region", { name: "Comparison" });

test.describe("two snapshots of an agent's files", () => {
  for (const width of [390, 1440, 1920])
    test(`are compared (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 900 });
      const [third, , first] = historyOf(mock);
      await page.goto(address(mock));
      await page.getByRole("button", { name: "Compare with the one before" }).click();
      await panel(page).getByText("0 added, 1 changed, 1 removed").waitFor();
      await choose(panel(page).getByLabel("From"), first.snapshot.id);
      await panel(page).getByText("3 added, 2 changed, 1 removed").waitFor();
      await panel(page)
        .getByRole("button", { name: /^src\/lib\.rs/ })
        .click();
      await panel(page).getByText("2 lines added, 2 removed").waitFor();
      const lines = panel(page).getByRole("region", { name: "What differs in src/lib.rs" });
      const folds = lines.getByRole("button", { name: /unchanged lines$/ });
      const before = await lines.getByRole("listitem").count();
      await folds.first().click();
      await until("the fold to open", async () => (await lines.getByRole("listitem").count()) > before);
      await drawn(page);
      expect(await axeBoth(page)).toStrictEqual([]);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(wide).toBeLessThanOrEqual(0);
      await shotBoth(page, `files-compare-${width}`);
      // The pair and the file are in the address.
      const search = new URL(page.url()).searchParams;
      expect([search.get("before"), search.get("snapshot"), search.get("path")]).toStrictEqual([
        first.snapshot.id,
        third.snapshot.id,
        "src/lib.rs",
      ]);
      await page.reload();
      await panel(page).getByText("2 lines added, 2 removed").waitFor();
    });

  test("show added, removed and binary files and links, and can be swapped and closed by keyboard", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const [third, , first] = historyOf(mock);
    third.files["current"] = { target: "src/parts" };
    await page.goto(address(mock, `?snapshot=${third.snapshot.id}&before=${first.snapshot.id}`));
    for (const [path, said] of [
      ["src/old.rs", "0 lines added, 1 removed"],
      ["src/parts/ledger.rs", "3 lines added, 0 removed"],
      ["data/table.bin", "This file is not text."],
      ["current", "This is a symbolic link"],
    ]) {
      await panel(page)
        .getByRole("button", { name: new RegExp(`^${path}`) })
        .focus();
      await page.keyboard.press("Enter");
      await panel(page).getByText(said).waitFor();
    }
    await panel(page).getByRole("button", { name: "Removed", exact: true }).click();
    await until("one file", async () => (await panel(page).getByRole("heading", { level: 3 }).count()) === 1);
    await panel(page).getByRole("button", { name: "Swap" }).focus();
    await page.keyboard.press("Enter");
    await panel(page).getByText("1 added, 3 changed, 3 removed").waitFor();
    await choose(panel(page).getByLabel("To"), third.snapshot.id);
    await page.getByText("Both are the same snapshot.").waitFor();
    await panel(page).getByRole("button", { name: "Close the comparison" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("tree", { name: "Files" }).waitFor();
    expect(page.url()).not.toContain("before=");
  });

  test("of thousands of files are drawn in parts, and begin with the file of a link", async ({ visit }) => {
    const { mock, page } = await visit();
    const [third, , first] = historyOf(mock);
    for (let n = 0; n < 3000; n += 1) third.files[`many/${n}`] = Buffer.from("x");
    const { id } = third.snapshot;
    await page.goto(address(mock, `?snapshot=${id}&before=${first.snapshot.id}&path=src/lib.rs`));
    await panel(page).getByText("2 lines added, 2 removed").waitFor();
    const files = panel(page).getByRole("heading", { level: 3 });
    expect(await files.first().innerText()).toContain("src/lib.rs");
    expect(await files.count()).toBe(200);
    await panel(page)
      .getByRole("button", { name: /^Show more of 2,80\d further files$/ })
      .click();
    await until("more files", async () => (await files.count()) === 400);
  });

  test("say why they cannot be compared", async ({ visit }) => {
    const { mock, page } = await visit();
    const [third, second, first] = historyOf(mock);
    second.snapshot.uploaded = false;
    await page.goto(address(mock, `?snapshot=${third.snapshot.id}&before=${second.snapshot.id}`));
    await page.getByText("This snapshot is only on its machine.").waitFor();
    first.files = third.files;
    await page.goto(address(mock, `?snapshot=${third.snapshot.id}&before=${first.snapshot.id}`));
    await page.getByText("The files of both snapshots are the same.").waitFor();
    mock.state.role = "viewer";
    first.files = {};
    await page.goto(
      address(mock, `?snapshot=${first.snapshot.id}&before=${third.snapshot.id}&path=README.md`),
    );
    await page.getByText(/You may not read files of agents/).waitFor();
  });
});

test.describe("a sandbox with earlier files", () => {
  test("replaces the present one after a question, and the page says what was restored", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const [, second] = historyOf(mock);
    await page.goto(address(mock, `?snapshot=${second.snapshot.id}`));
    await page.getByRole("button", { name: "Restore these files" }).click();
    const dialog = page.getByRole("alertdialog");
    await hasFocus(dialog.getByRole("button", { name: "Cancel" }));
    await dialog.getByText("Its files are saved first").waitFor();
    await dialog.getByText("node_modules: can be made again").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "files-restore");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText(/^The new sandbox started with the files of .* \(7 files\)\.$/).waitFor();
    await page.getByText("the current sandbox started with it").waitFor();
    expect(mock.state.sandboxes.get(agentOf(mock))!.restored_from!.digest).toBe(second.snapshot.digest);
    await shot(page, "files-restored");
  });

  test("is not made when the gateway refuses, and the reason stays in the dialog", async ({ visit }) => {
    const { mock, page } = await visit();
    const [newest] = historyOf(mock);
    newest.snapshot.uploaded = false;
    mock.state.sandboxes.delete(agentOf(mock));
    await page.goto(address(mock, `?snapshot=${newest.snapshot.id}`));
    await page.getByRole("button", { name: "Restore these files" }).click();
    const dialog = page.getByRole("alertdialog");
    await dialog.getByText("Only workshop has these files").waitFor();
    expect(await dialog.getByText("The current sandbox ends").count()).toBe(0);
    const detail = "This snapshot is only on workshop. Make the sandbox there.";
    mock.state.failNext.set(
      `POST /api/claws/${agentOf(mock)}/sandbox`,
      new Refusal(409, "conflict", "This conflicts with the present state", { detail }),
    );
    await dialog.getByRole("button", { name: "Create the sandbox" }).click();
    await dialog.getByText(detail).waitFor();
    mock.state.role = "viewer";
    await page.reload();
    await page.getByRole("heading", { name: "These files are not on the gateway" }).waitFor();
    expect(await page.getByRole("button", { name: "Restore these files" }).count()).toBe(0);
  });
});
