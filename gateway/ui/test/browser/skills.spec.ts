// The catalogue of skills in a real Chromium.
import type { Page } from "@playwright/test";
import { axe, drawn, hasFocus, settled, shot, tryAgain, until } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { makeSkill, shippedSkills } from "../mock/skills.ts";
import { expect, test } from "./fixtures.ts";

const rows = (page: Page) => page.locator("main [data-row]").count();

test.describe("skills", () => {
  test("a skill is found by words and by tag and is read", async ({ visit }) => {
    const { mock, page } = await visit();
    const answer = mock.hold("GET /api/skills");
    await page.goto(`${mock.url}/skills`);
    await page.getByText("Loading skills").waitFor({ state: "attached" });
    answer();
    await page.getByRole("link", { name: "Code review" }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.keyboard.press("/");
    await hasFocus(page.getByLabel("Search skills"));
    await page.keyboard.type("bug");
    await until("one to be left", async () => (await rows(page)) === 1);
    await page.getByLabel("Search skills").fill("");
    await page.getByRole("button", { name: /^writing/ }).click();
    await until("one to be left", async () => (await rows(page)) === 1);
    expect(page.url()).toMatch(/tag=writing/);
    await page.getByLabel("Search skills").fill("nothing like it");
    await page.getByText("No skill fits the search").waitFor();
    await page.getByRole("button", { name: "Clear search" }).click();
    const [first] = mock.state.skills;
    mock.state.skills.push(makeSkill("written-just-now"));
    mock.hub.changed("skill", first.id, 1);
    await until(
      "the new one to come or wait",
      async () => (await rows(page)) === 4 || (await page.getByText("1 new").count()) === 1,
    );
    await page.getByRole("link", { name: "Code review" }).click();
    await page.getByRole("heading", { name: "Steps" }).waitFor();
    expect(await page.getByRole("button", { name: "Edit" }).count(), "it comes with Roost").toBe(0);
    expect(await axe(page)).toStrictEqual([]);
  });

  test("many skills stand folded under their subjects, and their tags in one row", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440, height: 900 });
    mock.state.skills = shippedSkills();
    await page.goto(`${mock.url}/skills`);
    await settled(page);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(1800);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "skills-subjects");
    const bisection = page.getByRole("link", { name: "Debugging by bisection" });
    await expect(bisection).toBeHidden();
    await page.locator("summary", { hasText: "Debugging" }).click();
    await bisection.waitFor();
    expect(new URL(page.url()).hash).toBe("#about-debugging");
    await shot(page, "skills-subject-open");

    const tags = page.getByRole("group", { name: "Tags" }).getByRole("button");
    await expect(tags).toHaveCount(9);
    await page.getByRole("button", { name: /more tags$/ }).click();
    await page.getByRole("button", { name: /^concurrency/ }).waitFor();
    await page.getByRole("button", { name: "Fewer tags" }).click();
    await expect(tags).toHaveCount(9);

    await page.getByRole("button", { name: "One list" }).click();
    await until("all to be listed", async () => (await rows(page)) === mock.state.skills.length);
    expect(new URL(page.url()).searchParams.get("sort")).toBe("name");
    await page.getByRole("button", { name: "By subject" }).click();
    await page.getByLabel("Search skills").fill("bisection");
    await until("one to be left", async () => (await rows(page)) === 1);
  });

  test("a skill is written, changed, restored and deleted", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/skills`);
    await page.getByRole("button", { name: "Write a skill" }).click();
    await hasFocus(page.getByLabel("Name", { exact: true }));
    await page.keyboard.type("debugging");
    await page.getByLabel("Title").fill("How we log");
    await page.getByLabel("When to use it").fill("When something has to be logged.");
    await page.getByRole("textbox", { name: "Tags" }).fill("Logging, quality");
    await page.getByRole("textbox", { name: "Text" }).fill("# Logs\n\nOne line each.");
    await page.getByRole("button", { name: "Write it" }).click();
    await page.getByText("another skill has this name").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "skill-write");
    await page.getByLabel("Name", { exact: true }).fill("our-logs");
    await page.getByRole("button", { name: "Write it" }).click();
    await page.getByRole("heading", { name: "Logs", exact: true }).waitFor();
    expect(mock.state.skills.at(-1)!.tags).toStrictEqual(["logging", "quality"]);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("textbox", { name: "Text" }).fill("# Logs\n\nTwo lines each.");
    await page.getByRole("button", { name: "Save as a new version" }).click();
    await page.getByText("Two lines each.").waitFor();
    await page.getByRole("button", { name: "Read version 1" }).click();
    await page.getByRole("region", { name: "Version 1", exact: true }).getByText("One line each.").waitFor();
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Restore" }).click();
    await page.getByText("restored from version 1").waitFor();
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "skill-versions");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Skills", exact: true }).waitFor();
    expect(mock.state.skills.length).toBe(3);
  });

  test("a draft is not lost without a question", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/skills?dialog=new`);
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Title").waitFor();
    await page.keyboard.press("Escape");
    await until("it to close", async () => (await dialog.count()) === 0);
    await page.goto(`${mock.url}/skills?dialog=new`);
    await dialog.getByLabel("Title").fill("Mend a test");
    await page.keyboard.press("Escape");
    const asked = page.getByRole("alertdialog");
    await asked.getByText("Leave without saving?").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await asked.getByRole("button", { name: "Cancel" }).click();
    expect(await dialog.getByLabel("Title").inputValue()).toBe("Mend a test");
    await page.mouse.click(5, 400);
    await asked.getByRole("button", { name: "Leave" }).click();
    await until("it to close", async () => (await dialog.count()) === 0);
  });

  test("the page handles no skills, failures, hostile texts and viewers", async ({ visit }) => {
    const { mock, page } = await visit({ width: 390 });
    mock.state.failNext.set("GET /api/skills", new Refusal(500, "internal", "Something failed"));
    await page.goto(`${mock.url}/skills`);
    await page.getByText("Something failed").waitFor();
    mock.state.skills = [];
    await tryAgain(page, mock);
    await page.getByText("No skills", { exact: true }).waitFor();
    const evil = `<img src=x onerror=alert(1)>\u202E${"x".repeat(900)}`;
    mock.state.skills = [
      makeSkill("evil", {
        title: evil,
        when_to_use: evil,
        tags: ["x".repeat(40)],
        visibility: "workspace",
        body: `[a](javascript:alert(1)) <script>alert(1)</script> ${evil}`,
      }),
    ];
    mock.state.role = "viewer";
    for (const path of ["/skills", `/skills/${mock.state.skills[0].id}`]) {
      await page.goto(mock.url + path);
      await page.getByText(/You may not (write|change) skills/).waitFor();
      await drawn(page);
      expect(await page.locator("main img, main script, main a[href^=javascript]").count()).toBe(0);
      const [scroll, client] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
      ]);
      expect(scroll <= client, `${path} scrolls sideways`).toBeTruthy();
      expect(await axe(page)).toStrictEqual([]);
    }
    await page.goto(`${mock.url}/skills?dialog=new`);
    await page.getByText(/You may not write skills/).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });
});
