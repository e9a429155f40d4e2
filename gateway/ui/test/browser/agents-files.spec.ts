// The files of an agent: their history, their tree and their content, in a real Chromium.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { axe, axeBoth, drawn, hasFocus, shot, shotBoth, tryAgain, until } from "../kit.ts";
import { ago } from "../mock/ids.ts";
import { Refusal } from "../mock/refusal.ts";
import { makeKnown, type Files } from "../mock/snapshots.ts";
import { agentNamed, expect, test, type Mock } from "./fixtures.ts";

const tree = (page: Page) => page.getByRole("tree", { name: "Files" });
const row = (page: Page, name: string) =>
  tree(page).getByRole("treeitem", { name: new RegExp(`^${name.replaceAll(".", String.raw`\.`)}( |$)`) });
const historyOf = ({ state }: Mock) => state.snapshots.get(agentNamed(state, "mason").id)!;
const address = ({ url, state }: Mock, search = "") =>
  `${url}/agents/${agentNamed(state, "mason").id}/files${search}`;

test.describe("an agent's files", () => {
  for (const width of [390, 1440, 1920])
    test(`show a history, a tree and a text (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 900 });
      await page.goto(address(mock));
      await row(page, "src").click();
      await row(page, "lib.rs").click();
      await page.getByText("fn step_0()").waitFor();
      await page.getByRole("region", { name: "Text of src/lib.rs" }).waitFor();
      await page.getByText("latest", { exact: true }).waitFor();
      await drawn(page);
      expect(await axeBoth(page)).toStrictEqual([]);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(wide).toBeLessThanOrEqual(0);
      await shotBoth(page, `files-${width}`);
    });

  test("an address names snapshot and file, and holds after a reload and a step back", async ({ visit }) => {
    const { mock, page } = await visit();
    const [, second, first] = historyOf(mock);
    await page.goto(address(mock, `?snapshot=${second.snapshot.id}&path=src/parts/ledger.rs`));
    await page.getByText("pub struct Ledger;").waitFor();
    await row(page, "ledger.rs").waitFor();
    await page.getByRole("region", { name: "Snapshots" }).getByRole("button").nth(2).click();
    await page.getByText("This snapshot has no file with this path").waitFor();
    expect(page.url()).toContain(`snapshot=${first.snapshot.id}`);
    await page.reload();
    await page.getByText("This snapshot has no file with this path").waitFor();
    // The folders above the path are open.
    await row(page, "old.rs").click();
    await page.getByText("pub fn gone()").waitFor();
    await page.goBack();
    await page.getByText("This snapshot has no file with this path").waitFor();
  });

  test("are read with the keyboard alone", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(address(mock));
    await row(page, "README.md").waitFor();
    await tree(page).focus();
    await hasFocus(tree(page));
    await page.keyboard.press("s");
    await page.keyboard.press("ArrowRight");
    await row(page, "lib.rs").waitFor();
    await page.keyboard.press("l");
    await page.keyboard.press("Enter");
    await page.getByText("fn step_0()").waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await until("the folder to be closed", async () => (await row(page, "lib.rs").count()) === 0);
    expect(await axe(page)).toStrictEqual([]);
  });

  test("say what a picture, a link, an empty, a binary and a large file are, and are downloaded", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const [newest] = historyOf(mock);
    newest.files["log.txt"] = Buffer.alloc(600 * 1024, "a line\n");
    newest.files["huge.txt"] = Buffer.alloc(9 * 1024 ** 2, "a line\n");
    await page.goto(address(mock, "?path=docs/logo.png"));
    await page.getByText("64 × 64 pixels").waitFor();
    await shot(page, "files-picture");
    for (const [name, said] of [
      ["current", "This is a symbolic link to"],
      ["empty.txt", "This file is empty."],
      ["log.txt", "This file is too large for the page."],
      ["huge.txt", "This file is too large for the page."],
    ]) {
      await row(page, name).click();
      await page.getByText(said).waitFor();
    }
    await row(page, "data").click();
    await row(page, "table.bin").click();
    await page.getByText("This file is not text").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download table.bin" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("table.bin");
    expect([...readFileSync(await download.path())]).toEqual([0, 1, 2, 3, 255]);
    for (const [link, name] of [
      ["Download its folder", /^data\.tar$/],
      ["Download all", /^workspace-[0-9a-f]{12}\.tar$/],
    ] as const) {
      const [folder] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: link }).click(),
      ]);
      expect(folder.suggestedFilename()).toMatch(name);
      expect(readFileSync(await folder.path()).length).toBe(1024);
    }
  });

  test("draw only the rows in sight of ten thousand files and of a long text", async ({ visit }) => {
    const { mock, page } = await visit();
    const files: Files = {};
    for (let n = 0; n < 4900; n += 1)
      for (const folder of ["a", "b"]) files[`${folder}/file-${n}.txt`] = Buffer.from(`I am ${folder} ${n}`);
    files["long.txt"] = Buffer.from(Array.from({ length: 20_000 }, (_, n) => `line ${n + 1}`).join("\n"));
    historyOf(mock).unshift(makeKnown(files, { taken_at: ago(1) }));
    await page.goto(address(mock, "?path=b/file-4321.txt"));
    await page.getByText("I am b 4321").waitFor();
    await row(page, "file-4321.txt").waitFor();
    await tree(page).focus();
    // The folder arrives when the row at the end has been reached, which stays in sight.
    const answer = mock.hold("GET /api/claws/{id}/snapshots/{snapshot}/files");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await tree(page).getByText("Loading …").waitFor();
    await page.keyboard.press("End");
    await row(page, "long.txt").waitFor();
    answer();
    const rows = () => tree(page).evaluate((box) => box.scrollHeight);
    await until("the folder to be there", async () => (await rows()) > 200_000);
    await row(page, "long.txt").waitFor();
    expect(await tree(page).getByRole("treeitem").count()).toBeLessThan(120);
    await page.keyboard.press("Enter");
    const text = page.getByRole("region", { name: "Text of long.txt" });
    await text.getByText("line 1", { exact: true }).waitFor();
    await text.focus();
    await page.keyboard.press("End");
    await text.getByText("line 20000", { exact: true }).waitFor();
    expect(await text.locator("div > div > div").count()).toBeLessThan(200);
    await shot(page, "files-many");
  });

  test("explain themselves when there are none, when they are on a machine only, and when they failed", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const { state } = mock;
    await page.goto(`${mock.url}/agents/${agentNamed(state, "lookout").id}/files`);
    await page.getByRole("heading", { name: "No files are saved yet" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    const [newest] = historyOf(mock);
    newest.snapshot.uploaded = false;
    await page.goto(address(mock, `?snapshot=${newest.snapshot.id}`));
    await page.getByRole("heading", { name: "These files are not on the gateway" }).waitFor();
    await page.getByText("only on workshop").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "files-elsewhere");
    await page.goto(address(mock, "?snapshot=0198c0de-0000-7000-8000-ffffffffffff"));
    await page.getByRole("heading", { name: "This snapshot is not kept any more" }).waitFor();
    await page.getByRole("button", { name: "Show the latest" }).click();
    await row(page, "README.md").waitFor();
    const agent = agentNamed(state, "mason").id;
    const { id } = historyOf(mock)[1].snapshot;
    state.failNext.set(
      `GET /api/claws/${agent}/snapshots/${id}/file`,
      new Refusal(503, "unavailable", "The store does not answer"),
    );
    await row(page, "README.md").click();
    await page.getByText("The store does not answer").waitFor();
    await tryAgain(page, mock);
    await page.getByText("Counts what comes in.").waitFor();
    state.role = "viewer";
    await page.reload();
    await page.getByText(/You may not read files of agents/).waitFor();
  });

  test("a link to an older snapshot loads the history up to it", async ({ visit }) => {
    const { mock, page } = await visit();
    const all = historyOf(mock);
    for (let n = 0; n < 150; n += 1)
      all.push(makeKnown({ "old.txt": Buffer.from(`old ${n}`) }, { taken_at: ago(200_000 + n * 600) }));
    await page.goto(address(mock, `?snapshot=${all[140].snapshot.id}&path=old.txt`));
    await page.getByText("old 137").waitFor();
    const mark = page.getByRole("region", { name: "Snapshots" }).locator('[aria-current="true"]');
    await until("its mark to be in sight", () =>
      mark.evaluate((one) => {
        const view = one.closest('[role="region"]')!.getBoundingClientRect();
        const { top, bottom } = one.getBoundingClientRect();
        return top >= view.top && bottom <= view.bottom;
      }),
    );
    await shot(page, "files-history");
  });
});
