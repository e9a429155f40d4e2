// Words that a newcomer does not know, explained where they stand, and the guides.
import { axe, drawn, hasFocus, settled, shot } from "../kit.ts";
import { expect, test, THEMES } from "./fixtures.ts";

test.describe("help", () => {
  for (const theme of THEMES)
    for (const width of [1440, 390])
      test(`opens beside its word, by keyboard, and leads to the guide (${theme}, ${width})`, async ({
        visit,
      }) => {
        const { mock, page } = await visit({ theme, width });
        await page.goto(`${mock.url}/fleet`);
        await settled(page);
        const question = page.getByRole("button", { name: "What is a machine?" });
        await question.focus();
        await page.keyboard.press("Enter");
        const note = page.getByRole("note").filter({ hasText: "A computer that you paired with Roost." });
        await note.waitFor();
        await expect(question).toHaveAttribute("aria-expanded", "true");
        const box = await note.boundingBox();
        expect(box!.x).toBeGreaterThanOrEqual(0);
        expect(box!.x + box!.width).toBeLessThanOrEqual(width);
        expect(await axe(page)).toStrictEqual([]);
        await shot(page, `help-${theme}-${width}`);
        await page.keyboard.press("Escape");
        await note.waitFor({ state: "detached" });
        await hasFocus(question);

        // The next stop of the keyboard is the link.
        await page.keyboard.press("Enter");
        await note.waitFor();
        await page.keyboard.press("Tab");
        await hasFocus(note.getByRole("link", { name: "Guide" }));
        const href = (await note.getByRole("link").getAttribute("href")) ?? "";
        await page.goto(`${mock.url}${href}`);
        await page.getByRole("heading", { name: "You own a machine" }).waitFor();
        await drawn(page);
        expect(await axe(page)).toStrictEqual([]);
      });

  test("each word is where its question arises", async ({ visit }) => {
    const { mock, page } = await visit();
    const team = mock.state.teams.list[0];
    const agent = mock.state.claws[2];
    for (const [path, word] of [
      ["/fleet", "sandbox"],
      ["/approvals", "door"],
      ["/quotas", "plan"],
      [`/teams/${team.id}`, "topology"],
      [`/claws/${agent.id}?app=sandbox`, "sandbox"],
      [`/claws/${agent.id}?app=level-ups`, "level-up"],
    ] as const) {
      await page.goto(`${mock.url}${path}`);
      await page.getByRole("button", { name: `What is a ${word}?` }).waitFor();
    }
    await page.goto(`${mock.url}/guide/glossary`);
    await page.getByRole("heading", { name: "People and work" }).waitFor();
    await page.getByRole("link", { name: "Teams and runs" }).click();
    await page.getByRole("heading", { name: "You are on a team" }).waitFor();
    await page.goto(`${mock.url}/guide/nothing`);
    await page.getByText("There is no such guide").waitFor();
  });
});
