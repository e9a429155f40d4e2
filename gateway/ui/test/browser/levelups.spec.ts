// Level-ups in a real Chromium: a proposal is asked for, read, decided; and what can go wrong with each.
import type { Page } from "@playwright/test";
import { axe, drawn, settled, shot } from "../kit.ts";
import { itemsFor, makeItem, makeLevelUp } from "../mock/levelups.ts";
import { Refusal } from "../mock/refusal.ts";
import { agentNamed, expect, test, type Mock } from "./fixtures.ts";

const change = (page: Page, name: string) => page.getByRole("article", { name });
const fits = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

/** A proposal of every kind for the agent of this name. */
function proposed(mock: Mock, name: string) {
  const agent = agentNamed(mock.state, name);
  const proposal = makeLevelUp(mock.state, { agent }, itemsFor(mock.state, agent));
  mock.state.levelUps.list.unshift(proposal);
  return { agent, proposal, path: `${mock.url}/claws/${agent.id}?app=level-ups` };
}

test.describe("level-ups", () => {
  test("a proposal is asked for, and what a person approves is applied", async ({ visit }) => {
    const { mock, page } = await visit();
    const scribe = agentNamed(mock.state, "scribe");
    await page.goto(`${mock.url}/claws/${scribe.id}`);
    await page.getByRole("tab", { name: "Level-ups" }).click();
    await page.getByText("No proposal waits for a decision.").waitFor();
    expect(await axe(page)).toStrictEqual([]);

    // The model takes its time; the page says so, also after a look at another tab.
    const free = mock.hold("POST /api/claws/{id}/level-up");
    await page.getByRole("button", { name: "Propose a level-up" }).click();
    await page.getByText("A model reads what scribe did").waitFor();
    await page.getByRole("tab", { name: "Overview" }).click();
    await page.getByRole("tab", { name: "Level-ups" }).click();
    await page.getByText("A model reads what scribe did").waitFor();
    await expect(page.getByRole("button", { name: "Propose a level-up" })).toBeDisabled();
    expect(await axe(page)).toStrictEqual([]);
    free();
    await page.getByRole("link", { name: /^5 changes: new instructions/ }).click();

    const first = change(page, "i1: New instructions");
    const texts = first.getByRole("region", { name: "Changes of the instructions" });
    await texts.getByText("added: Run the tests first.").waitFor();
    await first.getByText("The tests were not run.").waitFor();
    const run = mock.state.runs.list[0];
    expect(await first.getByRole("link", { name: /, step planner/ }).getAttribute("href")).toBe(
      `/runs/${run.id}#agent-planner`,
    );
    await change(page, "i2: New text of the brain").getByText("removed: Keeps it short.").waitFor();
    const skill = change(page, "i3: Skill from the catalogue");
    await skill.getByRole("link", { name: "release-notes" }).waitFor();
    // The skills that the agent has stay around the one that is added.
    const skills = skill.getByRole("region", { name: "Changes of the skills" }).getByRole("listitem");
    await expect(skills).toHaveText([/code-review$/, /debugging$/, /added: release-notes$/]);
    await change(page, "i4: New skill").getByText("When tests take longer than a minute.").waitFor();
    await change(page, "i5: Change of tools").getByText("added: read skills").waitFor();
    await page.getByText("2 ended runs: 1 accepted, 1 rejected, 0 without a verdict").waitFor();

    await expect(page.getByRole("button", { name: "Apply", exact: true })).toBeDisabled();
    await page.getByLabel("Approve Run the tests before saying").check();
    // By keyboard.
    await page.getByLabel("Approve Let it read skills").focus();
    await page.keyboard.press("Space");
    await page.getByText("2 of 5 changes approved").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "level-up-proposal");
    await page.getByRole("button", { name: "Apply 2 changes" }).click();
    await first.getByText("Applied", { exact: true }).waitFor();
    expect(mock.state.levelUps.sent).toStrictEqual([["i1", "i5"]]);
    await change(page, "i5: Change of tools").getByText("A person makes this change").waitFor();
    await skill.getByText("Not applied").waitFor();
    // The list that this proposal was about is not known any more.
    await expect(skills).toHaveText([/added: release-notes$/]);
    await page.getByText(/1 of 5 changes, .* by Ada/).waitFor();
    expect(await page.getByRole("button", { name: "Reject all" }).count()).toBe(0);
    expect(await axe(page)).toStrictEqual([]);

    await page.getByRole("button", { name: "All level-ups" }).click();
    const decided = page.getByRole("region", { name: "Decided" });
    await decided.getByText("1 of 5 applied by Ada.").waitFor();
    await page.goBack();
    await first.waitFor();
  });

  test("a model that fails says why, and the next try is another question", async ({ visit }) => {
    const { mock, page } = await visit();
    const scribe = agentNamed(mock.state, "scribe");
    await page.goto(`${mock.url}/claws/${scribe.id}?app=level-ups`);
    const path = `POST /api/claws/${scribe.id}/level-up`;
    mock.state.failNext.set(
      path,
      new Refusal(502, "model-answer-invalid", "The model's answer cannot be used", {
        detail:
          "The model answered twice, and neither answer has the form of a proposal. Nothing was changed.",
        errors: [{ pointer: "/items/0/skill", detail: "is not a string" }],
      }),
    );
    await page.getByRole("button", { name: "Propose a level-up" }).click();
    await page.getByText("neither answer has the form of a proposal").waitFor();
    await page.getByText("/items/0/skill").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "level-up-failed");
    mock.state.failNext.clear();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("article", { name: "i1: New instructions" }).waitFor();
  });

  test("a text that was changed meanwhile is not overwritten, and the other items can be applied", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const { agent, proposal, path } = proposed(mock, "scribe");
    await page.goto(`${path}&proposal=${proposal.id}`);
    await settled(page);
    await page.getByLabel("Approve Run the tests before saying").check();
    await page.getByLabel("Approve Learn to write release notes").check();
    await page.getByLabel("Approve Keep what worked as a skill").check();
    // Somebody writes new instructions while this person reads.
    Object.assign(agent, { system_prompt: "Something else.", version: agent.version + 1 });
    mock.hub.changed("claw", agent.id, agent.version);
    await change(page, "i1: New instructions")
      .getByText("the instructions were changed since the proposal was made")
      .waitFor();
    await expect(page.getByLabel("Approve Run the tests before saying")).toBeDisabled();
    // Only the gateway knows the names of all skills.
    mock.state.levelUps.outdated.set("i4", "another skill of the workspace has this name now");
    await page.getByRole("button", { name: "Apply 2 changes" }).click();
    await page.getByText("These items cannot be applied any more. Nothing was applied.").waitFor();
    await change(page, "i4: New skill")
      .getByText("another skill of the workspace has this name now.")
      .waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "level-up-outdated");
    await page.getByRole("button", { name: "Apply 1 change" }).click();
    await change(page, "i3: Skill from the catalogue").getByText("Applied", { exact: true }).waitFor();
    expect(mock.state.levelUps.sent).toStrictEqual([["i3", "i4"], ["i3"]]);
  });

  test("a proposal is rejected after a question, and a later decision of others is told", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const { proposal, path } = proposed(mock, "scribe");
    await page.goto(`${path}&proposal=${proposal.id}`);
    await settled(page);
    await page.getByRole("button", { name: "Reject all" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Reject", exact: true }).click();
    await page.getByText("Rejected", { exact: true }).waitFor();
    expect(proposal.status).toBe("rejected");

    const second = proposed(mock, "scribe");
    await page.goto(`${path}&proposal=${second.proposal.id}`);
    await settled(page);
    await page.getByLabel("Approve Learn to write release notes").check();
    // Without an event: the page does not know yet.
    second.proposal.status = "rejected";
    await page.getByRole("button", { name: "Apply 1 change" }).click();
    await page.getByText("Another person decided this proposal before you").waitFor();
  });

  test("a proposal of a team is on the pages of the team and of the agent that it changes, and on Home", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const team = mock.state.teams.list[0];
    const mason = agentNamed(mock.state, "mason");
    const items = [
      makeItem("i1", "skill_add", {
        agent_id: mason.id,
        agent_name: mason.name,
        skill_name: "code-review",
        summary: "Learn to review",
      }),
      makeItem("i2", "roster_change", {
        summary: "Add a tester",
        roster: { action: "add", slot: "linter", detail: "Nobody runs the tests." },
      }),
      makeItem("i3", "roster_change", {
        summary: "Sharpen the coder",
        roster: { action: "change", slot: "coder", detail: "Write smaller commits." },
      }),
    ];
    const proposal = makeLevelUp(mock.state, { team }, items);
    proposal.payload.dropped.push({
      kind: "identity_refinement",
      summary: "Be somebody else",
      reason: "the agent does not belong to the team",
    });
    mock.state.levelUps.list.push(proposal);
    await page.goto(`${mock.url}/claws/${mason.id}?app=level-ups`);
    await page.getByText("From a level-up of its team.").waitFor();
    await page.goto(`${mock.url}/`);
    await page.getByRole("link", { name: "A level-up of Ledger has 3 proposed changes" }).click();
    await page.getByRole("heading", { name: "Ledger", exact: true }).waitFor();
    await change(page, "i2: Change of roles").getByText("Nobody runs the tests.").waitFor();
    const roles = (id: string) =>
      change(page, `${id}: Change of roles`)
        .getByRole("region", { name: "Changes of the roles" })
        .getByRole("listitem");
    await expect(roles("i2").last()).toHaveText(/added: linter: new role$/);
    const coder = roles("i3").filter({ hasText: "coder" });
    await expect(coder).toHaveText([/removed: coder: Coder, mason$/, /added: coder: as "What to do" says$/]);
    // Somebody has added the skill since.
    await change(page, "i1: Skill from the catalogue").getByText("The agent has this skill now.").waitFor();
    await page.getByText("the agent does not belong to the team").waitFor();
    await page.getByRole("button", { name: "All level-ups" }).click();
    await page.getByRole("button", { name: "Propose a level-up" }).click();
    await change(page, "i1: Change of roles").waitFor();
    expect(await axe(page)).toStrictEqual([]);
  });

  test("a viewer reads proposals, and is told what is missing", async ({ visit }) => {
    const { mock, page } = await visit();
    const { proposal, path } = proposed(mock, "scribe");
    mock.state.role = "viewer";
    await page.goto(path);
    await page.getByText(/You may not ask for proposals/).waitFor();
    await page.goto(`${path}&proposal=${proposal.id}`);
    await page.getByText(/You may not decide proposals/).waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
  });

  for (const [theme, width] of [
    ["dark", 1920],
    ["light", 1440],
    ["dark", 390],
    ["light", 390],
  ] as const)
    test(`the pages of level-ups fit and are accessible (${theme}, ${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ theme, width, height: 900 });
      const { agent, proposal, path } = proposed(mock, "scribe");
      const applied = makeLevelUp(mock.state, { agent }, itemsFor(mock.state, agent), {
        status: "applied",
        applied_items: ["i1"],
        approved_by: mock.state.user,
        applied_at: new Date().toISOString(),
      });
      mock.state.levelUps.list.push(applied);
      for (const [name, address] of Object.entries({
        list: path,
        proposal: `${path}&proposal=${proposal.id}`,
        applied: `${path}&proposal=${applied.id}`,
      })) {
        await page.goto(address);
        await drawn(page);
        expect(await fits(page), name).toBeTruthy();
        expect(await axe(page), name).toStrictEqual([]);
        await page.screenshot({
          path: `${process.env["SHOTS"] ?? "test-results/shots"}/levelups-${name}-${theme}-${width}.png`,
          fullPage: true,
        });
      }
    });
});
