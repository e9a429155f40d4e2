// Team templates in a real Chromium.
import { axe, choose, drawn, hasFocus, shot, tryAgain, until } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { expect, test } from "./fixtures.ts";

test.describe("templates", () => {
  test("a template is found, read with the prompt of each role and used", async ({ visit }) => {
    const { mock, page } = await visit();
    const answer = mock.hold("GET /api/team-templates");
    await page.goto(`${mock.url}/templates`);
    await page.getByText("Loading templates").waitFor({ state: "attached" });
    answer();
    await page.getByLabel("Search templates").fill("archeologist");
    await until("one to be left", async () => (await page.locator("main [data-row]").count()) === 1);
    await page.getByLabel("Search templates").fill("nothing like it");
    await page.getByText("No template fits the search").waitFor();
    await page.getByRole("button", { name: "Clear search" }).click();
    const [template] = mock.state.templates;
    template.version = 2;
    template.missing_skills = [{ slot: "planner", name: "planning" }];
    mock.hub.changed("team_template", template.id, 2);
    await page.getByRole("link", { name: template.name }).click();
    await page.locator("summary").filter({ hasText: "Planner" }).click();
    await page.getByRole("region", { name: "Prompt of Planner" }).getByText("You are the Planner.").waitFor();
    await page.getByText("(missing)").waitFor();
    await page.getByRole("button", { name: "Read version 1" }).click();
    await page.getByText("As it was in version 1").waitFor();
    await page.getByRole("region", { name: "From version 1 to version 2" }).waitFor();
    await page.getByRole("button", { name: "As it was", exact: true }).click();
    await page
      .getByRole("region", { name: "Version 1", exact: true })
      .getByText("Planner", { exact: true })
      .waitFor();
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "template-open");
    await page.getByRole("button", { name: "Upgrade 1 that is behind" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Upgrade" }).click();
    await page.getByText("somebody changed its prompt").waitFor();
    await until("nobody to be behind", async () => (await page.getByText("behind").count()) === 0);
    await page.getByRole("link", { name: "Make a team" }).click();
    await page.getByLabel("Name of the team").waitFor();
  });

  test("a template is copied and the copy is deleted", async ({ visit }) => {
    const { mock, page } = await visit();
    const [template] = mock.state.templates;
    await page.goto(`${mock.url}/templates/${template.id}`);
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByLabel("Key").fill(template.key);
    await page.getByRole("button", { name: "Make the copy" }).click();
    await page.getByText("another template has this key").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await page.getByLabel("Key").fill("ours");
    await page.getByLabel("Name", { exact: true }).fill("Ours");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Ours" }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Templates", exact: true }).waitFor();
    expect(mock.state.templates.length).toBe(3);
  });

  for (const [theme, width] of [
    ["dark", 1280],
    ["light", 390],
  ] as const)
    test(`a workspace's template is rewritten only over the version that was read (${theme}, ${width})`, async ({
      visit,
    }) => {
      const { mock, page } = await visit({ theme, width, height: 860 });
      const [template] = mock.state.templates;
      await page.goto(`${mock.url}/templates/${template.id}`);
      await page.getByRole("heading", { name: template.name }).waitFor();
      expect(await page.getByRole("button", { name: "Edit" }).count(), "it comes with Roost").toBe(0);
      template.source = "workspace";
      await page.reload();
      await page.getByRole("button", { name: "Edit" }).click();
      const form = page.getByRole("form", { name: "Write a new version" });
      await form.getByRole("group", { name: "Role 1" }).getByLabel("Prompt").fill("You plan.\n\nBriefly.");
      await form.getByRole("button", { name: "Move Tester up" }).click();
      await form.getByRole("button", { name: "Remove Coder" }).focus();
      await page.keyboard.press("Enter");
      await form.getByRole("button", { name: "Add a role" }).click();
      const last = form.getByRole("group", { name: "Role 3" });
      await last.getByLabel("Title").fill("Scribe");
      await last.getByLabel("Slot").fill("tester");
      // A name that the workspace does not have stays until a person removes it.
      const first = form.getByRole("group", { name: "Role 1" });
      await first
        .getByRole("listitem")
        .filter({ hasText: "planning" })
        .getByText("The workspace does not have this skill.")
        .waitFor();
      const add = last.getByRole("combobox", { name: "Add a skill" });
      await add.focus();
      await page.keyboard.type("code");
      await page.getByRole("option", { name: /^code-review When code review/ }).waitFor();
      await page.keyboard.press("Enter");
      await choose(add, "debugging");
      await choose(add, "release-notes");
      await last.getByRole("button", { name: "Move release-notes up" }).click();
      await last.getByRole("button", { name: "Move release-notes up" }).click();
      await last.getByRole("button", { name: "Remove debugging" }).focus();
      await page.keyboard.press("Enter");
      await hasFocus(add);
      await last.getByLabel("Prompt").fill("You write it down.");
      await form.getByLabel("read skills").uncheck();
      await form.getByRole("button", { name: "Show changes" }).click();
      await page
        .getByRole("region", { name: "Your text against version 1" })
        .getByText("You plan.")
        .waitFor();
      await drawn(page);
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `template-edit-${width}-${theme}`);
      await form.getByRole("button", { name: "Save as version 2" }).click();
      await last.getByText("is there already").waitFor();
      await last.getByLabel("Slot").fill("scribe");
      await page.getByRole("link", { name: "Templates" }).last().click();
      await page.getByText("Leave without saving?").waitFor();
      await page.getByRole("button", { name: "Cancel" }).click();
      Object.assign(template, { version: 5, description: "Theirs." });
      await form.getByRole("button", { name: "Save as version 2" }).click();
      await form.getByText("changed this template meanwhile").waitFor();
      await form.getByText("You changed other fields, so both changes can stay.").waitFor();
      await form.getByRole("button", { name: "Save mine too" }).click();
      await page.getByText("version 6, the workspace's own").waitFor();
      await form.waitFor({ state: "detached" });
      expect(template.roles.map(({ slot, skills }) => [slot, skills])).toStrictEqual([
        ["planner", ["planning"]],
        ["tester", []],
        ["scribe", ["release-notes", "code-review"]],
      ]);
      expect(template.mcp_bundles).toStrictEqual(["sandbox", "repo"]);
      await page.getByRole("button", { name: "Read version 5" }).click();
      await page
        .getByRole("region", { name: "From version 5 to version 6" })
        .getByText("You plan.")
        .waitFor();
      expect(await axe(page)).toStrictEqual([]);
    });

  test("the image of a template and the seats of its roles are choices with words", async ({ visit }) => {
    const { mock, page } = await visit();
    const [template] = mock.state.templates;
    // This deployment has no image of this name.
    Object.assign(template, { source: "workspace", image: { kind: "cobol", tag: null, lacks: [] } });
    await page.goto(`${mock.url}/templates/${template.id}`);
    await page.getByRole("button", { name: "Edit" }).click();
    const form = page.getByRole("form", { name: "Write a new version" });
    const image = form.getByRole("combobox", { name: "Image of their sandboxes" });
    await expect(image).toHaveText("cobol");
    await choose(image, { label: "node (not here)" });
    await form.getByText("roost-agent:node is not on the gateway's host").waitFor();
    // The saved name remains a choice.
    await choose(image, "cobol");
    await choose(image, "rust");
    await form.getByText("Rust with Clippy and rustfmt").waitFor();

    const role = form.getByRole("group", { name: "Role 1" });
    await expect(role.getByLabel("Slot")).toHaveAccessibleDescription(/^The role's id, such as tester\./);
    const seat = role.getByRole("combobox", { name: "Seat" });
    await expect(seat).toHaveText("Chosen by the topology");
    await seat.click();
    await page.getByRole("option", { name: /^Lead In Hierarchy, it gives work/ }).click();
    await role.getByText("In Hierarchy, it gives work to the roles that follow it").waitFor();
    await drawn(page);
    expect(await axe(page)).toStrictEqual([]);
    await form.getByRole("button", { name: "Save as version 2" }).click();
    await page.getByText("version 2, the workspace's own").waitFor();
    expect([template.image.kind, template.roles[0].seat]).toStrictEqual(["rust", "lead"]);
    await page.locator("summary").filter({ hasText: "planner, Lead" }).waitFor();
  });

  test("the page handles no templates, failures, hostile texts and viewers", async ({ visit }) => {
    const { mock, page } = await visit({ width: 390 });
    const kept = mock.state.templates;
    mock.state.failNext.set("GET /api/team-templates", new Refusal(500, "internal", "Something failed"));
    await page.goto(`${mock.url}/templates`);
    await page.getByText("Something failed").waitFor();
    mock.state.templates = [];
    await tryAgain(page, mock);
    await page.getByText("No templates", { exact: true }).waitFor();
    mock.state.templates = kept;
    const evil = `<script>alert(1)</script>\u202E${"x".repeat(900)}`;
    Object.assign(kept[0], { name: evil, description: evil });
    Object.assign(kept[0].roles[0], { title: evil, summary: evil, system_prompt: evil, skills: [evil] });
    mock.state.role = "viewer";
    await page.goto(`${mock.url}/templates`);
    await page.getByRole("link", { name: /script/ }).click();
    await page.getByText(/You may not copy templates/).waitFor();
    await page.locator("summary").first().click();
    await page.getByText("Prompt", { exact: true }).waitFor();
    await drawn(page);
    expect(await page.locator("main script").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Copy", exact: true }).count()).toBe(0);
    const [scroll, client] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    expect(scroll <= client, `it scrolls sideways: ${scroll} > ${client}`).toBeTruthy();
    expect(await axe(page)).toStrictEqual([]);
  });
});
