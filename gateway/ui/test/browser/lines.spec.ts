// What an eye sees at once: texts of a row on one line, and where the focus is.
import type { Locator, Page } from "@playwright/test";
import { settled, until } from "../kit.ts";
import { agentNamed, expect, test } from "./fixtures.ts";

/** Where the first line of a text stands: a box without height is put before it for a moment. */
const baseline = (element: Locator) =>
  element.evaluate((one) => {
    const words = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    let text = words.nextNode();
    while (text && text.textContent!.trim() === "") text = words.nextNode();
    const mark = document.createElement("span");
    mark.style.display = "inline-block";
    text!.parentNode!.insertBefore(mark, text);
    const { bottom } = mark.getBoundingClientRect();
    mark.remove();
    return bottom;
  });

const apart = async (elements: Locator[]) => {
  const lines = await Promise.all(elements.map(baseline));
  return Math.max(...lines) - Math.min(...lines);
};

test.describe("lines and rings", () => {
  for (const width of [1280, 390])
    test(`state, sentence and figures of an activity row are on one line (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width });
      const agent = agentNamed(mock.state, "mason");
      await page.goto(`${mock.url}/claws/${agent.id}?app=activity`);
      await settled(page);
      const row = page.getByRole("listitem").filter({ hasText: "cargo test" });
      const state = row.getByText("Done", { exact: true });
      const sentence = row.getByRole("paragraph").filter({ hasText: "cargo test" });
      const figures = row.getByText(/ ago$/).last();
      const output = row.getByRole("button", { name: /output/ });
      expect(await apart([state, figures])).toBeLessThan(0.5);
      // On a phone each has a line of its own.
      if (width > 640) expect(await apart([state, sentence, output])).toBeLessThan(0.5);
    });

  test("the facts of an agent are on one line, with and without an icon", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440 });
    await page.goto(`${mock.url}/claws/${agentNamed(mock.state, "mason").id}`);
    await settled(page);
    const facts = page.getByRole("definition");
    const [state, machine] = [facts.filter({ hasText: "Running" }), facts.filter({ hasText: "workshop" })];
    expect(await apart([state.first(), machine.first()])).toBeLessThan(0.5);
  });

  for (const [path, button] of [
    ["/members", "Invite"],
    ["/connections", "Connect an app"],
  ] as const)
    test(`a press on "${button}" shows the focus on the first field`, async ({ visit }) => {
      const { mock, page } = await visit();
      await page.goto(mock.url + path);
      await settled(page);
      await page.getByRole("button", { name: button, exact: true }).first().click();
      const field = page.getByRole("dialog").getByRole("combobox").first();
      await until("the focus to be seen", () =>
        field.evaluate(
          (one) => one === document.activeElement && getComputedStyle(one).outlineStyle === "solid",
        ),
      );
    });

  for (const [path, left, right] of [
    ["/account", "Password", "Sessions"],
    ["/settings", "Plan", "Pushes of agents"],
    ["/settings/models", "Models", "Spending limits"],
    ["/settings/sign-in", "How people sign in", "Who can join"],
  ] as const)
    test(`a wide screen shows "${right}" beside "${left}", and a narrow one below it`, async ({ visit }) => {
      const place = async (page: Page, name: string) =>
        (await page.getByRole("region", { name, exact: true }).boundingBox())!;
      const { mock, page } = await visit({ width: 1920, height: 1080 });
      await page.goto(mock.url + path);
      await settled(page);
      const [a, b] = [await place(page, left), await place(page, right)];
      expect(b.x).toBeGreaterThanOrEqual(a.x + a.width);
      expect(Math.abs(b.y - a.y)).toBeLessThan(1);
      await page.setViewportSize({ width: 390, height: 844 });
      await until("them to be below each other", async () => {
        const [over, under] = [await place(page, left), await place(page, right)];
        return under.x === over.x && under.y >= over.y + over.height;
      });
    });
});
