// Names of 200 characters, right to left, with emoji and look-alikes: no page becomes wider for them, and each stands apart
// from the text around it. Markup and escapes in names have a test of their own (`app-hostile.spec.ts`).
import { drawn, shot, until } from "../kit.ts";
import { missionNamed } from "../mock/missions.ts";
import { expect, test, type Mock } from "./fixtures.ts";

const RTL = "مشروع البناء السريع";
const NAMES = [`${RTL} ${"ب".repeat(180)}`, `${"W".repeat(200)}`, `👩‍👩‍👧‍👦 ${"🏳️‍🌈".repeat(32)}`, "Αda раssword"];

function rename({ state }: Mock) {
  let turn = 0;
  const next = () => NAMES[(turn += 1) % NAMES.length];
  for (const list of [state.claws, state.nodes, state.teams.list, state.templates, state.repos.repos])
    for (const one of list) one.name = next();
  for (const one of state.skills) one.title = next();
  for (const one of state.missions.list) Object.assign(one, { title: next(), goal: next() });
  for (const one of state.runs.list) Object.assign(one, { title: next(), team_name: next() });
  for (const { user } of state.people.members) user.name = next();
  for (const one of state.people.workspaces) one.name = next();
  state.user.name = NAMES[0];
}

const pages = ({ state }: Mock): string[] => [
  "/",
  "/world",
  "/missions",
  "/missions?view=board",
  `/missions/${state.missions.list[0].id}`,
  "/missions/new",
  "/routines/new",
  "/runs",
  `/runs/${state.runs.list[0].id}`,
  "/teams",
  `/teams/${state.teams.list[0].id}`,
  `/teams/new?template=${state.templates[0].id}`,
  "/templates",
  `/templates/${state.templates[0].id}`,
  "/skills",
  `/skills/${state.skills[0].id}`,
  "/repos",
  "/approvals",
  "/agents?group=team",
  "/agents?dialog=new",
];

test.describe("names", () => {
  for (const width of [390, 1440])
    test(`long, right-to-left and look-alike names break no layout (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ missions: true, waiting: true, width, height: 900 });
      missionNamed(mock.state, "Faster parser");
      rename(mock);
      for (const path of pages(mock)) {
        await page.goto("about:blank");
        await page.goto(mock.url + path);
        await drawn(page, path);
        const found = await page.evaluate((rtl) => {
          const { scrollWidth, clientWidth } = document.documentElement;
          const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          const mixed = new Set<string>();
          while (walk.nextNode()) {
            const { parentElement: parent, textContent: text } = walk.currentNode;
            if (!parent || !text?.includes(rtl)) continue;
            // Alone in a block, a name can turn nothing around it.
            const alone = parent.textContent === text && getComputedStyle(parent).display !== "inline";
            const apart = parent.closest("bdi, [dir=auto], option, title, textarea");
            if (!alone && !apart && !/[\u2066-\u2069]/u.test(text)) mixed.add(parent.outerHTML.slice(0, 120));
          }
          return { wide: Math.max(0, scrollWidth - clientWidth), mixed: [...mixed] };
        }, RTL);
        expect(found, path).toStrictEqual({ wide: 0, mixed: [] });
        await shot(page, `names${path.replaceAll(/[/?=]/gu, "-")}-${width}`);
      }
      // The pickers and the list of workspaces.
      await page.keyboard.press("Escape");
      await page.goto(`${mock.url}/teams`);
      await drawn(page);
      await page.keyboard.press("Control+k");
      await page.getByRole("option").first().waitFor();
      await page.keyboard.type("WWW");
      await page.getByRole("option", { name: /^W+/ }).first().waitFor();
      await until("the palette to fit", () =>
        page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
      );
      await shot(page, `names-palette-${width}`);
    });
});
