// The demonstration of an empty workspace: one press uploads its files, creates its team and starts its run.
import { axe, axeBoth, settled, shot, shotBoth } from "../kit.ts";
import { makeRun } from "../mock/runs.ts";
import { expect, test, type Mock } from "./fixtures.ts";
import type { Page } from "@playwright/test";

async function home(page: Page, mock: Mock): Promise<void> {
  mock.state.models.list = [];
  await page.goto(`${mock.url}/`);
  await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
  await settled(page);
}

const button = (page: Page) => page.getByRole("button", { name: "Run the demonstration" });

test.describe("the demonstration", () => {
  for (const width of [390, 1440])
    test(`is offered in an empty workspace (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ full: false, width, height: 900 });
      await home(page, mock);
      await button(page).waitFor();
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `demonstration-${width}`);
    });

  test("sends its files, creates a team with the scripted model and opens the run", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    await home(page, mock);
    const free = mock.hold("POST /api/teams");
    await button(page).click();
    await page.getByText("Creating the team.").waitFor();
    expect(await button(page).isDisabled()).toBe(true);
    free();
    await page.waitForURL(/\/runs\//u);
    const [[id, archive]] = [...mock.state.uploads];
    expect(archive.toString()).toContain("if unit >= largest {");
    expect(mock.state.teams.asked[0].body).toMatchObject({
      name: "Demonstration",
      template_id: mock.state.templates[0].id,
      model_binding: "scripted",
    });
    expect(mock.state.teams.goal).toMatchObject({
      input: "The tests fail. Find out why, mend the cause, and commit it.",
      repo: { upload_id: id },
    });
    // It took the place of a model. Its files are nobody's code.
    await page.goto(`${mock.url}/`);
    await page.getByText("3 of 4 done").waitFor();
    await page.getByRole("link", { name: "Connect a code host" }).waitFor();
    expect(await button(page).count()).toBe(0);
  });

  test("says why it failed, and a second try uses the team of the first", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    await home(page, mock);
    // The mock plans a failure for an address, and this one has the id of a team that is not there yet.
    const address = "**/api/teams/*/run";
    const body = { code: "conflict", title: "The gateway is full", detail: "Ten runs are active." };
    await page.route(address, (route) => route.fulfill({ status: 409, json: body }));
    await button(page).click();
    await page.getByRole("alert").getByText("Ten runs are active.").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "demonstration-failed");
    await page.unroute(address);
    await button(page).click();
    await page.waitForURL(/\/runs\//u);
    expect(mock.state.teams.list.length).toBe(1);
    expect(mock.state.uploads.size).toBe(1);
  });

  test("says what its sandboxes lack before it makes anything", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    mock.state.templates[0].image.lacks = [
      { what: "no_image", detail: "The image is not here.", remedy: "Build it with make." },
    ];
    await home(page, mock);
    await button(page).click();
    await page.getByRole("alert").getByText("The image is not here. Build it with make.").waitFor();
    expect([mock.state.teams.list.length, mock.state.uploads.size]).toStrictEqual([0, 0]);
  });

  test("a viewer sees which role it needs", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    mock.state.role = "viewer";
    await home(page, mock);
    await page.getByText("You may not run the demonstration: that needs the role Member").waitFor();
    expect(await button(page).count()).toBe(0);
    await shot(page, "demonstration-viewer");
  });

  test("is not offered after another run", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    mock.state.runs.list.push(makeRun(mock.state, { status: "completed" }));
    await home(page, mock);
    await page.getByText("of 4 done").waitFor();
    expect(await button(page).count()).toBe(0);
  });
});
