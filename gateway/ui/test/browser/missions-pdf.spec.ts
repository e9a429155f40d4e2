// The PDFs of a mission in a real Chromium: asked for, pending, ready, failed, and the viewer of their pages.
// `report.pdf` is of `roost-pdf`, the program that makes the PDFs of missions.
import { readFileSync } from "node:fs";
import { axe, axeBoth, hasFocus, shot, shotBoth, until } from "../kit.ts";
import { leave, missionNamed, settle } from "../mock/missions.ts";
import { Refusal } from "../mock/refusal.ts";
import { expect, test, type Visit } from "./fixtures.ts";

const REPORT = readFileSync(new URL("../mock/report.pdf", import.meta.url));
const PAGES = 8;

/** Opens the artifact of a mission that has these bytes as its PDF. */
async function openPdf({ mock, page }: Visit, bytes: Uint8Array) {
  const mission = missionNamed(mock.state, "Read the old code");
  const pdf = leave(mock.state, mission, {
    kind: "pdf",
    title: "Report of Faster parser",
    content: null,
    pdf: { source_id: null, pages: PAGES, bytes: bytes.length },
  });
  mock.state.missions.files.set(pdf.id, bytes);
  await page.goto(`${mock.url}/missions/${mission.id}?artifact=${pdf.id}`);
  return {
    pages: page.getByRole("region", { name: "Pages of Report of Faster parser" }),
    field: page.getByRole("textbox", { name: "Page" }),
    zoom: page.getByLabel("Zoom", { exact: true }),
    /** The numbers of the pages that are drawn. */
    drawn: () =>
      page
        .locator("[data-page]:has([data-drawn])")
        .evaluateAll((all) => all.map((one) => Number((one as HTMLElement).dataset["page"]))),
    /** Pixels of all canvases. */
    pixels: () =>
      page
        .locator("[data-page] canvas")
        .evaluateAll((all) =>
          all.reduce(
            (sum, one) => sum + (one as HTMLCanvasElement).width * (one as HTMLCanvasElement).height,
            0,
          ),
        ),
  };
}

test.describe("PDFs of missions", () => {
  test("the report is asked for, is pending, is ready, and a Markdown artifact is asked for too", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ missions: true });
    const mission = missionNamed(mock.state, "Read the old code");
    const markdown = leave(mock.state, mission, {
      kind: "markdown",
      title: "What it does",
      content: "It counts.",
    });
    await page.goto(`${mock.url}/missions/${mission.id}`);
    await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Report as PDF" }).click();
    const making = page.getByRole("button", { name: "The PDF is being made" });
    await making.waitFor();
    expect(await making.isDisabled()).toBe(true);
    const pdf = mission.artifacts.find(({ kind }) => kind === "pdf");
    if (!pdf) throw new Error("no PDF was asked for");

    Object.assign(pdf, { status: "failed", error: "The program that makes PDF files is not there." });
    settle(mission);
    mock.hub.changed("mission", mission.id, mission.version);
    await page.getByText("The program that makes PDF files is not there.").waitFor();
    await page.getByRole("button", { name: "Report as PDF again" }).click();
    await making.waitFor();

    Object.assign(pdf, { status: "ready", pdf: { source_id: null, pages: 12, bytes: 348160 } });
    settle(mission);
    mock.hub.changed("mission", mission.id, mission.version);
    const link = page.getByRole("link", { name: "Report as PDF (12 pages, 340 KiB)" });
    await link.waitFor();
    expect(await link.getAttribute("href")).toContain(`/artifacts/${pdf.id}/content`);
    await page.getByRole("button", { name: `Report of ${mission.title}` }).click();
    // The gateway answers with Markdown here, which is not a PDF.
    await page.getByText("This PDF is damaged").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "missions-pdf");

    await page.getByRole("button", { name: `PDF ${markdown.title}` }).click();
    await making.waitFor();
  });

  test("a viewer may download a PDF, and cannot ask for one", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    mock.state.role = "viewer";
    const mission = missionNamed(mock.state, "Read the old code");
    await page.goto(`${mock.url}/missions/${mission.id}`);
    await page.getByRole("link", { name: "Report", exact: true }).waitFor();
    expect(await page.getByRole("button", { name: /PDF/ }).count()).toBe(0);
  });

  for (const width of [390, 1440])
    test(`the pages of a PDF are shown (${width})`, async ({ visit }) => {
      const visited = await visit({ missions: true, width, height: 900 });
      const { pages, drawn } = await openPdf(visited, REPORT);
      const { page } = visited;
      await until("the first page to be drawn", async () => (await drawn()).includes(1));
      await page.getByText(`of ${PAGES}`, { exact: true }).waitFor();
      expect(await axeBoth(page)).toStrictEqual([]);
      // Ink on paper: the canvas is neither empty nor of one colour.
      const colours = await pages
        .locator("canvas")
        .first()
        .evaluate((canvas) => {
          const { width: wide, height: tall } = canvas as HTMLCanvasElement;
          const { data } = (canvas as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, wide, tall);
          return new Set(new Uint32Array(data.buffer)).size;
        });
      expect(colours).toBeGreaterThan(8);
      expect(await pages.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
      await pages.scrollIntoViewIfNeeded();
      await shotBoth(page, `missions-pdf-pages-${width}`);
    });

  test("only pages near the view are drawn, and pages far away release their pixels", async ({ visit }) => {
    const visited = await visit({ missions: true, width: 1440, height: 900 });
    const { pages, field, drawn, pixels } = await openPdf(visited, REPORT);
    const { page } = visited;
    await until("the first page to be drawn", async () => (await drawn()).includes(1));
    expect(await drawn()).not.toContain(PAGES);
    const most = (await pixels()) * 2;
    for (let number = 1; number <= PAGES; number += 1) {
      await field.fill(String(number));
      await field.press("Enter");
      await until(`page ${number} to be drawn`, async () => (await drawn()).includes(number));
      expect(await pixels()).toBeLessThanOrEqual(most);
      await expect(field).toHaveValue(String(number));
    }
    // One worker parses the PDF. It ends when the PDF is closed.
    expect(page.workers()).toHaveLength(1);
    await until("the first page to be released", async () => !(await drawn()).includes(1));
    expect(await pages.locator("[data-page='1'] .pdf-text > *").count()).toBe(0);
    await page.getByRole("button", { name: "Report of Faster parser" }).click();
    await until("the worker to end", () => page.workers().length === 0);
  });

  test("a PDF is read with the keyboard, and its text can be selected", async ({ visit }) => {
    const visited = await visit({ missions: true, width: 1440, height: 900 });
    const { pages, field, zoom, drawn } = await openPdf(visited, REPORT);
    const { page } = visited;
    await until("the first page to be drawn", async () => (await drawn()).includes(1));
    await pages.focus();
    await hasFocus(pages);
    await page.keyboard.press("ArrowRight");
    await expect(field).toHaveValue("2");
    await page.keyboard.press("ArrowLeft");
    await expect(field).toHaveValue("1");
    const fit = await zoom.textContent();
    await page.keyboard.press("-");
    await expect(zoom).not.toHaveText(String(fit));
    await page.keyboard.press("0");
    await expect(zoom).toHaveText(String(fit));
    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.keyboard.press("End");

    const words = pages
      .locator("[data-page='1'] .pdf-text")
      .getByText("The new parser is three times as fast.");
    await pages.evaluate((one) => one.scrollTo({ top: 0 }));
    await words.waitFor();
    const [line, sheet] = await Promise.all([
      words.boundingBox(),
      pages.locator("[data-page='1']").boundingBox(),
    ]);
    expect(line!.width).toBeGreaterThan(100);
    expect(line!.x).toBeGreaterThan(sheet!.x);
    await words.selectText();
    expect(await page.evaluate(() => String(getSelection()))).toContain("three times as fast");
  });

  test("a damaged PDF says so, and offers the download", async ({ visit }) => {
    const visited = await visit({ missions: true });
    await openPdf(visited, Buffer.from("%PDF-1.7\nnothing of a PDF"));
    const { page } = visited;
    const note = page.getByRole("alert").filter({ hasText: "This PDF is damaged" });
    await note.waitFor();
    expect(
      await note.getByRole("link", { name: "Download Report of Faster parser" }).getAttribute("href"),
    ).toContain("/content");
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "missions-pdf-damaged");
  });

  test("a PDF that did not arrive can be requested again", async ({ visit }) => {
    const visited = await visit({ missions: true });
    const { mock, page } = visited;
    const answer = mock.hold("GET /api/missions/{id}/artifacts/{artifact_id}/content");
    const { drawn } = await openPdf(visited, REPORT);
    await page.getByText("Loading the PDF").first().waitFor({ state: "attached" });
    const [id] = mock.state.missions.files.keys();
    const mission = missionNamed(mock.state, "Read the old code");
    const path = `GET /api/missions/${mission.id}/artifacts/${id}/content`;
    mock.state.failNext.set(path, new Refusal(503, "unavailable", "The store does not answer"));
    await page.reload();
    answer();
    await page.getByText("The store does not answer").waitFor();
    mock.state.failNext.delete(path);
    await page.getByRole("button", { name: "Try again" }).click();
    await until("the first page to be drawn", async () => (await drawn()).includes(1));
  });
});
