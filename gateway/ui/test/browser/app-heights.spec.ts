// How long pages are: the first screen says what matters, and a page folds what a person reads second.
import { drawn, settled, until } from "../kit.ts";
import { shippedSkills } from "../mock/skills.ts";
import { expect, test } from "./fixtures.ts";
import { allPagesOf } from "./pages.ts";

const HEIGHTS = { 390: 844, 1440: 900, 1920: 1080 };
const MOST = 2;
/** Pages that may be longer, with the reason. */
const LONGER: [RegExp, reason: string][] = [
  [/^guide-/, "A guide is one text, which a person reads from its beginning to its end."],
];

test.describe("heights", () => {
  for (const [width, height] of Object.entries(HEIGHTS))
    test(`each page is at most two screens long at ${width} px`, async ({ visit }) => {
      const { mock, page } = await visit({ width: Number(width), height, waiting: true, missions: true });
      // As many as the product ships, beside those of the mock.
      mock.state.skills.push(...shippedSkills());
      const long: Record<string, number> = {};
      for (const [name, path] of Object.entries(allPagesOf(mock.state))) {
        if (LONGER.some(([pages]) => pages.test(name))) continue;
        await page.goto(mock.url + path);
        await drawn(page, path);
        if (name !== "lost") await settled(page);
        const screens = (await page.evaluate(() => document.documentElement.scrollHeight)) / height;
        if (screens > MOST) long[name] = Math.round(screens * 100) / 100;
      }
      expect(long).toStrictEqual({});
    });

  test("a part that is folded on a phone is open on a wide screen, and a link opens it", async ({
    visit,
  }) => {
    for (const width of [1280, 390]) {
      const { mock, page } = await visit({ width });
      const address = `${mock.url}/fleet/${mock.state.nodes[0].id}`;
      await page.goto(address);
      await settled(page);
      const host = page.getByText("Host name", { exact: true });
      const machine = page.getByRole("region", { name: "Machine", exact: true });
      expect(await host.isVisible()).toBe(width > 640);
      if (width > 640) continue;
      await machine.locator("summary").press("Enter");
      await host.waitFor();
      await until("the address to say so", () => new URL(page.url()).hash === "#machine");
      await page.goto("about:blank");
      await page.goto(`${address}#tools`);
      await page.getByText("docker-compose").waitFor();
      expect(await host.isVisible()).toBe(false);
    }
  });

  test("a run that has ended shows its first agents, and all at a press or from its drawing", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ width: 1440 });
    const run = `${mock.url}/runs/${mock.state.runs.list[0].id}`;
    await page.goto(run);
    await settled(page);
    const last = page.getByRole("region", { name: "Committer", exact: true });
    expect(await last.count()).toBe(0);
    await page.getByRole("button", { name: "Show 3 more agents" }).click();
    await last.waitFor();
    await page.goto("about:blank");
    await page.goto(`${run}#agent-committer`);
    await last.waitFor();
    await expect(page.locator("#agent-committer")).toBeFocused();
  });
});
