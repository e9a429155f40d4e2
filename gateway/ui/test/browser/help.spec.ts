// Words that a newcomer does not know, explained where they stand, and the guides.
import { axe, axeBoth, drawn, hasFocus, settled, shift, shot, shotBoth, until } from "../kit.ts";
import { expect, test } from "./fixtures.ts";

test.describe("help", () => {
  for (const width of [1440, 390])
    test(`opens beside its word, by keyboard, and leads to the guide (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width });
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
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `help-${width}`);
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
      expect(await axeBoth(page)).toStrictEqual([]);
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

  test("the first model, repository, team and machine have a link to their guide", async ({ visit }) => {
    const { mock, page } = await visit({ full: false });
    mock.state.models.list = [];
    mock.state.repos.connections = [];
    mock.state.repos.repos = [];
    mock.state.teams.list = [];
    const leads = async (path: string, name: string, guide: string) => {
      await page.goto(`${mock.url}${path}`);
      const link = page.getByRole("link", { name: `Guide: ${name}` }).first();
      await link.waitFor();
      expect(await link.getAttribute("href")).toBe(`/guide/${guide}`);
    };
    await leads("/settings/models", "your own models", "models");
    await page.getByRole("button", { name: "Add a model" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Guide: your own models" }).waitFor();
    await leads("/repos", "your own repository", "repository");
    await leads("/teams", "your first result", "first");
    await leads("/", "your own repository", "repository");
    await page.goto(`${mock.url}/fleet?dialog=pair`);
    await page.getByLabel("Name of the machine").fill("attic");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Guide: your machines" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
  });

  for (const [theme, width] of [
    ["dark", 390],
    ["light", 1440],
    ["dark", 1920],
  ] as const)
    test(`a guide has its pictures and leads to other guides (${theme}, ${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ theme, width, height: 900 });
      await page.goto(`${mock.url}/guide/first`);
      await page.getByRole("heading", { name: "Your first result" }).waitFor();
      await drawn(page);
      expect(await shift(page)).toBe(0);
      const picture = page.getByRole("img", { name: "A team is put together" });
      await picture.scrollIntoViewIfNeeded();
      await until("the picture to be there", () =>
        picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0),
      );
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `guide-first-${theme}-${width}`);
      expect(
        await page.evaluate(
          () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
        ),
      ).toBe(true);
      const link = page.getByRole("link", { name: /^Your own repository/ }).last();
      expect(await link.getAttribute("href")).toContain("/guide/repository");
      for (const name of ["repository", "models", "machine"]) {
        await page.goto(`${mock.url}/guide/${name}`);
        await drawn(page);
        expect(await page.getByText(".md", { exact: true }).count()).toBe(0);
        expect(await axe(page)).toStrictEqual([]);
      }
    });
});
