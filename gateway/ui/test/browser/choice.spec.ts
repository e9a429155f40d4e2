// The choice of one of several values, in a real Chromium: by keyboard, by pointer, and as a screen reader has it.
import type { Page } from "@playwright/test";
import { axe, axeBoth, choose, drawn, hasFocus, settled, shot, shotBoth } from "../kit.ts";
import { newId } from "../mock/ids.ts";
import { makeRepo } from "../mock/repos.ts";
import { expect, test } from "./fixtures.ts";

const provider = (page: Page) => page.getByRole("combobox", { name: "Provider" });
const list = (page: Page) => page.getByRole("listbox");

/** The dialog of a new model, in which a choice is named and has more options than fit below it. */
async function newModel(page: Page, url: string) {
  await page.goto(`${url}/settings/models`);
  await settled(page);
  await page
    .getByRole("button", { name: /^(Add a|New) model/ })
    .first()
    .click();
  await provider(page).waitFor();
}

test.describe("a choice", () => {
  test("is opened, walked, typed into and closed by keyboard", async ({ visit }) => {
    const { mock, page } = await visit();
    await newModel(page, mock.url);
    const box = provider(page);
    const before = await box.getAttribute("data-value");
    await box.focus();
    await page.keyboard.press("ArrowDown");
    await list(page).waitFor();
    await expect(box).toHaveAttribute("aria-expanded", "true");
    const options = list(page).getByRole("option");
    const count = await options.count();
    await expect(list(page).getByRole("option", { selected: true })).toHaveCount(1);

    // The focus stays, and the button names the active option.
    await page.keyboard.press("End");
    await hasFocus(box);
    await expect(box).toHaveAttribute(
      "aria-activedescendant",
      (await options.nth(count - 1).getAttribute("id")) ?? "none",
    );
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await expect(box).toHaveAttribute(
      "aria-activedescendant",
      (await options.nth(1).getAttribute("id")) ?? "none",
    );

    // Escape closes the list and not the dialog, and chooses nothing.
    await page.keyboard.press("Escape");
    await list(page).waitFor({ state: "detached" });
    await expect(box).toHaveAttribute("data-value", before ?? "none");
    await page.getByRole("dialog").waitFor();

    // Letters go to the option that begins with them; no key of the page acts.
    await page.keyboard.type("olla");
    await page.keyboard.press("Enter");
    await expect(box).toHaveAttribute("data-value", "ollama");
    await list(page).waitFor({ state: "detached" });
    await hasFocus(box);

    // Tab chooses and goes on, as in the choices of a browser.
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Home");
    const first = await options.first().getAttribute("data-value");
    await page.keyboard.press("Tab");
    await list(page).waitFor({ state: "detached" });
    await expect(box).toHaveAttribute("data-value", first ?? "none");
    expect(await box.evaluate((element) => element === document.activeElement)).toBe(false);
  });

  test("has the name of its label, and its hint, for a screen reader", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/fleet`);
    const box = page.getByLabel("New sandboxes run on");
    await expect(box).toHaveRole("combobox");
    await expect(box).toHaveAccessibleName("New sandboxes run on");
    await expect(box).toHaveAccessibleDescription("Existing sandboxes won't move.");
    await choose(box, { label: "workshop (Online)" });
    await expect(box).toHaveText("workshop (Online)");
    await expect
      .poll(() => mock.state.placement)
      .toMatchObject({ target: "node", node_id: mock.state.nodes[0].id });
  });

  test("skips what cannot be chosen, and a press elsewhere closes it", async ({ visit }) => {
    const { mock, page } = await visit();
    const scribe = mock.state.claws[0];
    const [newest] = mock.state.snapshots.get(scribe.id) ?? [];
    newest.snapshot.uploaded = false;
    await page.goto(`${mock.url}/claws/${scribe.id}?app=files`);
    await page.getByRole("button", { name: "Compare" }).first().click();
    const box = page.getByRole("combobox", { name: "From" });
    await box.click();
    const off = list(page).locator("[aria-disabled=true]");
    await off.first().waitFor();
    const before = await box.getAttribute("data-value");
    await off.first().click({ force: true });
    await expect(box).toHaveAttribute("data-value", before ?? "none");
    await page.keyboard.press("Home");
    const active = await box.getAttribute("aria-activedescendant");
    expect(await page.locator(`[id="${active}"]`).getAttribute("aria-disabled")).toBeNull();
    await page.locator("h1").click();
    await list(page).waitFor({ state: "detached" });
  });

  test("of many options draws those in view, searches them, and answers at once", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440, height: 900 });
    const { state } = mock;
    for (let n = 0; n < 10_000; n += 1)
      state.claws.push({ ...state.claws[0], id: newId(), name: `Weaver ${n}` });
    await page.goto(`${mock.url}/`);
    await page.getByRole("button", { name: "Give work" }).click();
    const box = page.getByRole("combobox", { name: "Who works" });
    // The dialog sets the focus when it opens. It must not take it from the list.
    await drawn(page);
    await box.click();
    const field = page.getByRole("combobox", { name: "Search the options" });
    await hasFocus(field);
    const options = list(page).getByRole("option");
    expect(await options.count()).toBeLessThan(120);
    const active = async () => {
      const id = await field.getAttribute("aria-activedescendant");
      return list(page).locator(`[id="${id}"]`);
    };

    // The last one is far below those that were drawn.
    await page.keyboard.press("End");
    // After the agents come the templates from which a team can be made.
    await expect(await active()).toContainText("New team:");
    await expect(await active()).toBeInViewport();
    expect(await options.count()).toBeLessThan(120);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await expect(await active()).toBeInViewport();

    // Every word must be there. What begins with the words is active.
    await page.keyboard.type("weaver 987");
    await expect(options).toHaveCount(20);
    await expect(await active()).toContainText("Weaver 987");
    await page.keyboard.type("0");
    await expect(options).toHaveCount(1);
    await expect(await active()).toContainText("Weaver 9870");
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "choice-search");
    await page.keyboard.press("Enter");
    await list(page).waitFor({ state: "detached" });
    await hasFocus(box);
    await expect(box).toHaveText("Weaver 9870");

    // What was typed is forgotten; the chosen one is in view.
    await page.keyboard.press("ArrowDown");
    await hasFocus(field);
    await expect(field).toHaveValue("");
    await expect(list(page).getByRole("option", { selected: true })).toBeInViewport();
    await page.keyboard.type("nobody");
    await page.getByText("No option fits.").waitFor();
    await page.keyboard.press("Enter");
    await expect(box).toHaveText("Weaver 9870");
    // Escape closes the list and not the dialog.
    await box.press("Enter");
    await page.keyboard.press("Escape");
    await list(page).waitFor({ state: "detached" });
    await page.getByRole("dialog").waitFor();
    await hasFocus(box);
    // A letter on the closed choice begins a search.
    await page.keyboard.press("l");
    await expect(field).toHaveValue("l");
  });

  test("of more repositories than the gateway lists, it searches what is typed", async ({ visit }) => {
    const { mock, page } = await visit();
    const { repos } = mock.state.repos;
    const [known] = repos;
    while (repos.length < 500) repos.push(makeRepo({ id: known.connection_id }, `repo-${repos.length}`));
    const zebra = makeRepo({ id: known.connection_id }, "zebra");
    repos.push(zebra);
    const [team] = mock.state.teams.list;
    await page.goto(`${mock.url}/teams/${team.id}`);
    const box = page.getByRole("combobox", { name: "Repository", exact: true });
    await box.click();
    await page.getByText("Only the 500 repositories that changed last are listed.").waitFor();
    await expect(list(page).getByRole("option", { name: "acme/zebra" })).toHaveCount(0);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "choice-repositories");
    await page.getByRole("combobox", { name: "Search the options" }).fill("zebra");
    await list(page).getByRole("option", { name: "acme/zebra" }).waitFor();
    await page.keyboard.press("Enter");
    await expect(box).toHaveAttribute("data-value", zebra.id);
    // Its name stays, although the list without a search does not have it.
    await box.getByText("acme/zebra").waitFor();
    await box.click();
    await page.getByText("Only the 500 repositories that changed last are listed.").waitFor();
    await expect(list(page).getByRole("option", { selected: true })).toHaveText("acme/zebra");
  });

  for (const [width, height] of [
    [1440, 900],
    [390, 500],
  ] as const)
    test(`is whole and accessible while it is open (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height });
      await newModel(page, mock.url);
      await provider(page).click();
      await list(page).waitFor();
      // No dialog cuts it off: its last option can be pressed.
      const box = await list(page).boundingBox();
      expect(box!.y).toBeGreaterThanOrEqual(0);
      expect(box!.y + box!.height).toBeLessThanOrEqual(height);
      expect(box!.x + box!.width).toBeLessThanOrEqual(width);
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `choice-${width}`);
      await list(page).getByRole("option").last().click();
      await list(page).waitFor({ state: "detached" });
    });
});
