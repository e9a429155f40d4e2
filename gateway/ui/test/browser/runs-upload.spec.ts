// Files of a person's computer as the origin of a run, in a real Chromium.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { axe } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { bindRepo, makeRun } from "../mock/runs.ts";
import { expect, test, type Mock } from "./fixtures.ts";

/** The names and sizes of the files in a tar archive. */
function entriesOf(archive: Buffer): [string, number][] {
  const text = (from: number, length: number) =>
    archive
      .subarray(from, from + length)
      .toString()
      .split("\0")[0];
  const found: [string, number][] = [];
  let long: string | undefined;
  for (let at = 0; archive[at];) {
    const size = Number.parseInt(text(at + 124, 12), 8);
    if (text(at + 156, 1) === "L") long = text(at + 512, size);
    else {
      found.push([long ?? text(at, 100), size]);
      long = undefined;
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return found;
}

/** A folder with these files; `made` is removed after each test. */
let made: string | undefined;

function folderOf(files: Record<string, string>): string {
  made = mkdtempSync(join(tmpdir(), "roost-upload-"));
  const folder = join(made, "shop");
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

const teamOf = (mock: Mock) => `${mock.url}/teams/${mock.state.teams.list[0].id}`;

test.describe("uploaded files of a run", () => {
  test.afterEach(() => {
    if (made) rmSync(made, { recursive: true });
    made = undefined;
  });

  test("a folder is sent, and the run works on it", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(teamOf(mock));
    const area = page.getByRole("group", { name: "Files from this computer" });
    await area.getByText("At most 50,000 files").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    const long = `${"deep/".repeat(30)}x.txt`;
    const folder = folderOf({ "a.txt": "one\n", ".git/config": "[core]", [long]: "two\n" });
    await area.locator("[data-picks=folder]").setInputFiles(folder);
    await page.getByText("Works on shop: 2 files").waitFor();
    const [id, archive] = [...mock.state.uploads][0];
    expect(entriesOf(archive)).toStrictEqual([
      ["a.txt", 4],
      [long, 4],
    ]);
    // One or the other.
    expect(await page.getByLabel("Repository", { exact: true }).count()).toBe(0);
    await page.getByRole("textbox", { name: "Goal" }).fill("Mend the tests");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL(/\/runs\//u);
    expect(mock.state.teams.goal).toMatchObject({ repo: { upload_id: id } });
  });

  test("an archive goes as it is, and can be taken away again", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(teamOf(mock));
    const area = page.getByRole("group", { name: "Files from this computer" });
    await area.getByText("At most 50,000 files").waitFor();
    const buffer = Buffer.from("PK of a zip");
    const file = { name: "shop.zip", mimeType: "application/zip", buffer };
    await area.locator("[data-picks=files]").setInputFiles(file);
    await page.getByText("Works on shop:").waitFor();
    expect([...mock.state.uploads.values()][0]).toStrictEqual(buffer);
    await page.getByRole("button", { name: "Without these files" }).click();
    await area.waitFor();
    await page.getByLabel("Repository", { exact: true }).waitFor();
  });

  test("shows that it sends, stops, and says why an archive was refused", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(teamOf(mock));
    const area = page.getByRole("group", { name: "Files from this computer" });
    await area.getByText("At most 50,000 files").waitFor();
    const free = mock.hold("POST /api/uploads");
    const file = { name: "shop.tar", mimeType: "application/x-tar", buffer: Buffer.alloc(2048) };
    await area.locator("[data-picks=files]").setInputFiles(file);
    await page.getByRole("progressbar", { name: "Sent" }).waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("progressbar", { name: "Sent" }).waitFor({ state: "detached" });
    free();
    const detail = "`.git/config` is inside a `.git` folder.";
    const refusal = new Refusal(400, "validation", "The request is not valid", { detail });
    mock.state.failNext.set("POST /api/uploads", refusal);
    await area.locator("[data-picks=files]").setInputFiles(file);
    await page.getByText("is inside a").waitFor();
    expect(await page.getByText("Works on").count()).toBe(0);
  });

  test("files over a limit are not sent", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.uploadLimits.archive_bytes = 1000;
    await page.goto(teamOf(mock));
    const area = page.getByRole("group", { name: "Files from this computer" });
    await area.getByText("At most 50,000 files").waitFor();
    const file = { name: "shop.tar", mimeType: "application/x-tar", buffer: Buffer.alloc(2048) };
    await area.locator("[data-picks=files]").setInputFiles(file);
    await page.getByText("These files are over a limit").waitFor();
    expect(mock.state.uploads.size).toBe(0);
  });

  test("the run's page has the files, and no way to push", async ({ visit }) => {
    const { mock, page } = await visit();
    const run = makeRun(mock.state, { status: "completed" });
    mock.state.runs.list.unshift(run);
    const repo = bindRepo(mock.state, run);
    Object.assign(repo, { upload_id: repo.repo_id, full_name: "shop" });
    delete repo.repo_id;
    delete repo.html_url;
    await page.goto(`${mock.url}/runs/${run.id}`);
    const panel = page.getByRole("region", { name: "Changes", exact: true });
    await panel.getByText("uploaded files, without a code host").waitFor();
    const link = panel.getByRole("link", { name: "Download the files" });
    expect(await link.getAttribute("href")).toContain(`/api/runs/${run.id}/repo/archive?branch=`);
    expect(await panel.getByRole("button", { name: "Push branch" }).count()).toBe(0);
    expect(await panel.getByText("not pushed").count()).toBe(0);
    expect(await axe(page)).toStrictEqual([]);
  });

  test("nothing moves on a phone when the limits of uploads arrive late", async ({ visit }) => {
    const { mock, page } = await visit({ width: 390, height: 844 });
    const free = mock.hold("GET /api/uploads/limits");
    await page.goto(`${mock.url}/teams/${mock.state.teams.list[0].id}`);
    const run = page.getByRole("button", { name: "Run", exact: true });
    await page.getByLabel("Turn limit").waitFor();
    await run.waitFor();
    const before = await run.boundingBox();
    free();
    await page.getByText(/^Or drop a folder or an archive here/).waitFor();
    await expect(page.getByText(/^Or drop a folder or an archive here/)).toBeVisible();
    expect((await run.boundingBox())?.y).toBe(before?.y);
  });
});
