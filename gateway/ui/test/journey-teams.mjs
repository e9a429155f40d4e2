// The journey's part about agents at work: a template of one's own, a team of it, its run, and two teams side by side.
import assert from "node:assert/strict";
import { choose, until } from "./kit.ts";

const panel = (page, name) => page.getByRole("region", { name, exact: true });

/** `open(path, heading)` goes somewhere, `clean(name)` checks what is there, `calm()` waits until it is drawn. */
export const teamTests = ({ page, open, clean, calm, patience }) => ({
  "a template is copied and written anew, and both versions are kept": async () => {
    await open("/templates", "Templates");
    await page.getByLabel("Search templates").fill("rust");
    await page.locator("main [data-row]").first().getByRole("link").first().click();
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByLabel("Key").fill("Not A Key");
    await page.getByLabel("Name", { exact: true }).fill("Ours");
    await page.getByLabel("Key").fill("ours");
    await page.getByRole("button", { name: "Make the copy" }).click();
    await page.getByRole("heading", { name: "Ours", exact: true }).waitFor();
    await calm();
    await clean("template");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const form = page.getByRole("form", { name: "Write a new version" });
    const first = form.getByRole("group", { name: "Role 1" });
    await first.getByLabel("Slot").fill("coder");
    await form.getByRole("button", { name: "Save as version 2" }).click();
    // The gateway's own refusal, at the field that it is about.
    await form.locator("[aria-invalid=true]").first().waitFor();
    await first.getByLabel("Slot").fill("planner");
    await first.getByLabel("In one line").fill("Plans what the others do.");
    await form.getByRole("button", { name: "Show changes" }).click();
    await page.getByText("Plans what the others do.").last().waitFor();
    await clean("template-edit");
    await form.getByRole("button", { name: "Save as version 2" }).click();
    await page.getByText("version 2, the workspace's own").waitFor();
    await form.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Read version 1" }).click();
    await panel(page, "From version 1 to version 2").getByText("Plans what the others do.").waitFor();
    await clean("template-versions");
  },

  "a team is made of it, and works before one's eyes": async () => {
    await page.getByRole("link", { name: "Make a team" }).click();
    await page.getByLabel("Name of the team").fill("Ledger");
    const machines = page.getByLabel("Machine of their sandboxes");
    await choose(machines, { label: /^journey/ });
    await page.getByText("journey: Online").waitFor();
    // The template's own image may be missing there; the deployment's image is what this journey has.
    await choose(page.getByLabel("Image of their sandboxes"), "default");
    await clean("team-builder");
    await page.getByRole("button", { name: "Create team" }).click();
    await page.getByRole("heading", { name: "Ledger", exact: true }).waitFor();
    await page.getByText("None yet. Give the team a goal.").waitFor();
    await calm();
    await clean("team");
    await page.getByRole("textbox", { name: "Goal" }).fill("The tests fail. Find out why.");
    await page.getByRole("textbox", { name: "Goal" }).press("Control+Enter");
    // The script finds no repository to work on; what it runs says so, on the machine that was chosen.
    await page.getByText("demonstration", { exact: true }).first().waitFor();
    await clean("run");
    await panel(page, "Run")
      .getByText(/^(Failed|Completed)$/)
      .waitFor();
    await calm();
    await clean("run-ended");
  },

  "a member of it runs with less of what it may, and has a token for a program of its own": async () => {
    // The link to the files of its sandbox, which stands above, names a tab.
    await page.locator('main a[href^="/teams/"]:not([href*="?"])').first().click();
    await page.getByRole("heading", { name: "Ledger", exact: true }).waitFor();
    await page.locator('main a[href^="/claws/"]').first().click();
    await page.getByRole("tab", { name: "Runtime" }).click();
    await panel(page, "Configuration").getByText("scripted").waitFor();
    const skills = panel(page, "Skills");
    const first = skills.getByRole("button", { name: /^Exclude/ }).first();
    const name = (await first.getAttribute("aria-label")).replace("Exclude ", "");
    await first.click();
    await skills.getByText("excluded for this agent").waitFor();
    await clean("runtime");
    await skills.getByRole("button", { name: `Include ${name}` }).click();
    await skills.getByRole("button", { name: `Exclude ${name}` }).waitFor();
    const tokens = panel(page, "Tokens");
    await tokens.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("What it is for").fill("nightly build");
    await page.getByRole("button", { name: "Create token" }).click();
    const token = await page.getByLabel("Token", { exact: true }).inputValue();
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const ask = () =>
      fetch(new URL("/mcp/skills", page.url()), {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify(list),
      });
    assert.notEqual((await ask()).status, 401, "the token opens its tools");
    await page.getByRole("button", { name: "Done" }).click();
    await tokens.getByRole("button", { name: "Revoke nightly build" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
    await tokens.getByText("No tokens yet. With a token, a program").waitFor();
    assert.equal((await ask()).status, 401, "a revoked one opens nothing");
  },

  "a routine fires at once and mints a team, is edited, and is deleted": async () => {
    await open("/routines", "Routines");
    await page.getByRole("link", { name: "New routine" }).click();
    await page.getByRole("button", { name: "In a loop" }).click();
    await page.getByLabel("Interval, in minutes").fill("60");
    await page.getByLabel("Number of starts").fill("1");
    await page.getByLabel("Name", { exact: true }).fill("Look once");
    await choose(page.getByLabel("Team template"), { label: "Ours" });
    await page.getByLabel("Goal", { exact: true }).fill("Say what you would do.");
    await page.getByLabel("Go on although something is missing").check();
    await page.getByRole("button", { name: "Make routine" }).click();
    await page.getByRole("heading", { name: "Look once", exact: true }).waitFor();
    const journal = panel(page, "Journal");
    await journal.getByRole("link", { name: "Its run" }).waitFor();
    // The journal is told of the end by the live stream.
    await journal.getByText(/^(Done|Failed)$/).waitFor();
    await calm();
    await clean("routine");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("Look again");
    await page.getByLabel("Number of starts").fill("2");
    await clean("routine-edit");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { name: "Look again", exact: true }).waitFor();
    await until(
      "the changed schedule to fire",
      async () => (await journal.getByRole("link", { name: "Its run" }).count()) === 2,
      patience,
    );
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Delete routine" }).click();
    await page.getByText("No routines yet").waitFor();
  },

  "the team is compared with one of its own, side by side, within a sum": async () => {
    await open("/settings/models", "Models");
    await page.getByLabel("Limit per run, in dollars").fill("2,5");
    await page.getByRole("button", { name: "Save limits" }).click();
    await until(
      "it to be saved",
      async () => (await page.getByText("Not saved yet").count()) === 0,
      patience,
    );
    await page.reload();
    await until(
      "the ceiling to be kept",
      async () => (await page.getByLabel("Limit per run, in dollars").inputValue()) === "2.5",
      patience,
    );
    await clean("ceilings");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Search places/ }).fill("Ledger");
    await page.getByRole("option", { name: /^Ledger\s*5 agents/ }).click();
    await page.getByRole("heading", { name: "Ledger", exact: true }).waitFor();
    await open("/runs", "Runs");
    await page.getByRole("link", { name: "Compare teams" }).click();
    for (const place of [1, 2])
      await choose(page.getByRole("group", { name: `Candidate ${place}` }).getByLabel("Team"), {
        label: "Ledger",
      });
    const second = page.getByRole("group", { name: "Candidate 2" });
    await choose(second.getByLabel("How they work together"), "single");
    await page.getByRole("textbox", { name: "Goal" }).fill("Say what you would do.");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    const table = panel(page, "Table of candidates");
    await table.waitFor();
    await until(
      "both to end",
      async () => (await table.getByText(/^(Completed|Failed)$/).count()) === 2,
      patience,
    );
    await calm();
    await clean("comparison");
  },
});
