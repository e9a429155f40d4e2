// Lists that are short tables: their headings sort, by keyboard, and the address keeps the order.
import type { Page } from "@playwright/test";
import { axe, settled, until } from "../kit.ts";
import { newId } from "../mock/ids.ts";
import { makeSkill } from "../mock/skills.ts";
import type { State } from "../mock/state.ts";
import { expect, test } from "./fixtures.ts";

interface List {
  path: string;
  /** Makes the rows differ in what the column shows. */
  seed?: (state: State) => void;
  column: string;
  /** The value of `sort` after each press of the heading. Empty is the own order of the list. */
  presses: { sort: string; rows: string[] }[];
}

const LISTS: Record<string, List> = {
  members: {
    path: "/members",
    column: "Name",
    presses: [
      { sort: "name", rows: ["Ada", "Grace"] },
      { sort: "-name", rows: ["Grace", "Ada"] },
      { sort: "", rows: ["Ada", "Grace"] },
    ],
  },
  skills: {
    path: "/skills?q=e",
    seed: (state) => {
      state.skills.push(makeSkill("zebra", { current_version: 9 }));
      state.skills[0].current_version = 4;
    },
    column: "Version",
    presses: [
      { sort: "-version", rows: ["Zebra", "Code review", "Debugging", "Release notes"] },
      { sort: "version", rows: ["Debugging", "Release notes", "Code review", "Zebra"] },
      { sort: "", rows: ["Code review", "Debugging", "Release notes", "Zebra"] },
    ],
  },
  templates: {
    path: "/templates",
    column: "Roles",
    presses: [
      { sort: "-roles", rows: ["Codebase research", "Insight research", "Rust, from plan to commit"] },
      { sort: "roles", rows: ["Insight research", "Rust, from plan to commit", "Codebase research"] },
      { sort: "", rows: ["Rust, from plan to commit", "Codebase research", "Insight research"] },
    ],
  },
  repositories: {
    path: "/repos",
    column: "Repository",
    presses: [
      { sort: "name", rows: ["acme/infrastructure", "acme/notes", "acme/roost", "acme/website"] },
      { sort: "-name", rows: ["acme/website", "acme/roost", "acme/notes", "acme/infrastructure"] },
      { sort: "", rows: ["acme/roost", "acme/website", "acme/infrastructure", "acme/notes"] },
    ],
  },
};

const copies = <T extends { id: string }>(one: T): T[] =>
  Array.from({ length: 300 }, () => ({ ...one, id: newId() }));

const table = (page: Page) => page.getByRole("table").last();

/** Waits until the rows on the screen have these names, in this order. */
const rowsAre = (page: Page, words: string[]) =>
  until(`the rows ${words.join(", ")}`, async () => {
    const rows = await table(page).locator("tbody tr").allInnerTexts();
    return rows.length === words.length && words.every((word, at) => rows[at].includes(word));
  });

const sortOf = (page: Page) => new URL(page.url()).searchParams.get("sort") ?? "";

test.describe("short lists", () => {
  for (const [name, { path, seed, column, presses }] of Object.entries(LISTS))
    test(`${name} are sorted by a heading, and the address keeps the order`, async ({ visit }) => {
      const { mock, page } = await visit();
      seed?.(mock.state);
      await page.goto(mock.url + path);
      await settled(page);
      const heading = table(page).getByRole("button", { name: column, exact: true });
      for (const { sort, rows } of presses) {
        await heading.focus();
        await page.keyboard.press("Enter");
        await rowsAre(page, rows);
        expect(sortOf(page)).toBe(sort);
        if (sort) {
          const said = sort.startsWith("-") ? "descending" : "ascending";
          await expect(page.getByRole("columnheader", { name: column })).toHaveAttribute("aria-sort", said);
          await page.reload();
          await settled(page);
          await rowsAre(page, rows);
        }
      }
      await page.goto(`${mock.url}${path.split("?")[0]}?sort=nonsense`);
      await settled(page);
      expect(await axe(page)).toStrictEqual([]);
    });

  for (const [name, path, grow] of [
    ["skills", "/skills?sort=name", (state: State) => state.skills.push(...copies(state.skills[0]))],
    ["templates", "/templates", (state: State) => state.templates.push(...copies(state.templates[0]))],
    ["repositories", "/repos", (state: State) => state.repos.repos.push(...copies(state.repos.repos[0]))],
    [
      "members",
      "/members",
      ({ people: { members } }: State) =>
        members.push(...copies(members[1].user).map((user) => ({ ...members[1], user }))),
    ],
    [
      "connections",
      "/connections",
      ({ apps }: State) => apps.connections.push(...copies(apps.connections[0])),
    ],
  ] as const)
    test(`of many ${name} the page draws those in view`, async ({ visit }) => {
      const { mock, page } = await visit({ width: 1440, height: 900 });
      grow(mock.state);
      await page.goto(mock.url + path);
      await settled(page);
      const rows = page.locator("main [data-row]");
      await rows.first().waitFor();
      expect(await rows.count()).toBeLessThan(100);
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      await until("the last rows to come", async () => {
        const edge = await rows.last().boundingBox();
        return edge !== null && edge.y < 900 && edge.y > 0;
      });
      expect(await rows.count()).toBeLessThan(100);
    });
});
