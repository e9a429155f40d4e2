// The PDFs of a mission in a real Chromium: asked for, pending, ready, failed.
import { axe, shot } from "../kit.ts";
import { leave, missionNamed, settle } from "../mock/missions.ts";
import { expect, test } from "./fixtures.ts";

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
    await page.getByText("A PDF of 12 pages, 340 KiB.").waitFor();
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
});
